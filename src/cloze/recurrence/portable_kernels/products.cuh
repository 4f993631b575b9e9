// A block's product in one step, by plain multiply-adds in float32 or by the tensor cores. Both leave
// it in shared memory as [split][row of the tile][m]; the splits are parts of the sum over K.

#if MATH == PLAIN

// A thread has kTiles pieces of 4 m's by R rows. Where there are fewer pieces than threads, several
// threads share a piece, each with its own part of K.
struct Product {
  static constexpr int R = N >= 32 ? 8 : 4;
  static constexpr int kM = M / 4, kN = N / R, kPieces = kM * kN;
  static constexpr int kTiles = larger(1, kPieces / kThreads);
  static constexpr int kSplits = larger(1, kThreads / kPieces);
  static constexpr int kNearM = smaller(8, kM), kNearN = smaller(4, kN);
  float sum[kTiles][R][4];

  static __device__ __forceinline__ int split() { return threadIdx.x / kPieces % kSplits; }
  static __device__ __forceinline__ int piece(int tile) {
    return (threadIdx.x + tile * kThreads) % kPieces;
  }
  static __device__ __forceinline__ int first_m(int piece) {
    return 4 * (piece % kNearM + kNearM * (piece / (kNearM * kNearN) % (kM / kNearM)));
  }
  static __device__ __forceinline__ int first_row(int piece) {
    return R * (piece / kNearM % kNearN + kNearN * (piece / (kM * kNearN)));
  }
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile)
#pragma unroll
      for (int r = 0; r < R; ++r)
#pragma unroll
        for (int e = 0; e < 4; ++e) sum[tile][r][e] = 0.f;
  }
  // weights: [K][M]
  __device__ __forceinline__ void add(const uint4* weights, const float* chunk, int number) {
    const float4* w = reinterpret_cast<const float4*>(weights) + size_t(number) * kChunk * (M / 4);
#pragma unroll 4
    for (int k = split(); k < kChunk; k += kSplits)
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile) {
        const float4 a = w[k * (M / 4) + first_m(piece(tile)) / 4];
        const float* x = chunk + k * kStride + first_row(piece(tile));
#pragma unroll
        for (int r = 0; r < R; r += 4) {
          const float4 b = *reinterpret_cast<const float4*>(x + r);
          const float four[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            sum[tile][r + e][0] = fmaf(a.x, four[e], sum[tile][r + e][0]);
            sum[tile][r + e][1] = fmaf(a.y, four[e], sum[tile][r + e][1]);
            sum[tile][r + e][2] = fmaf(a.z, four[e], sum[tile][r + e][2]);
            sum[tile][r + e][3] = fmaf(a.w, four[e], sum[tile][r + e][3]);
          }
        }
      }
  }
  __device__ __forceinline__ void leave(float* product) const {
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile)
#pragma unroll
      for (int r = 0; r < R; ++r) {
        const float (&s)[4] = sum[tile][r];
        float* to = product + (split() * N + first_row(piece(tile)) + r) * kRow +
                    first_m(piece(tile));
        *reinterpret_cast<float4*>(to) = make_float4(s[0], s[1], s[2], s[3]);
      }
  }
};

#else

// mma, lane = 4 g + t: A holds rows g and g + 8, B column g, the result rows g and g + 8 of columns 2t
// and 2t + 1. Which k is which is ours to choose as long as A and B agree: lane t takes 16
// neighbouring bytes, enough for two products in a row.
struct Product {
  static constexpr int kM = M / 16, kN = N / 8;                     // tiles of the tensor cores
  static constexpr int kWarpsM = smaller(kM, 4), kWarpsN = smaller(kN, 8 / kWarpsM);
  static constexpr int kSplits = 8 / (kWarpsM * kWarpsN);
  static constexpr int kOwnM = kM / kWarpsM, kOwnN = kN / kWarpsN;  // tiles of one warp
  static constexpr int kSteps = kChunkWords / 16;
  float sum[kOwnM][kOwnN][4];

  static __device__ __forceinline__ int lane() { return threadIdx.x & 31; }
  static __device__ __forceinline__ int warp() { return threadIdx.x >> 5; }
  static __device__ __forceinline__ int first_m() { return warp() % kWarpsM * kOwnM; }
  static __device__ __forceinline__ int first_n() { return warp() / kWarpsM % kWarpsN * kOwnN; }
  static __device__ __forceinline__ int split() { return warp() / (kWarpsM * kWarpsN); }

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int m = 0; m < kOwnM; ++m)
#pragma unroll
      for (int n = 0; n < kOwnN; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) sum[m][n][e] = 0.f;
  }
  // weights: [K in 16 words][2 products][kM][lane], 16 bytes each
  __device__ __forceinline__ void add(const uint4* weights, const float* chunk, int number) {
    const float* mine = chunk + (first_n() * 8 + lane() / 4) * kStride + lane() % 4 * 4;
#pragma unroll 2
    for (int k = split(); k < kSteps; k += kSplits) {
      const uint4* w = weights + ((size_t(number) * kSteps + k) * 2 * kM + first_m()) * 32 + lane();
      uint4 a[kOwnM][2];
#pragma unroll
      for (int m = 0; m < kOwnM; ++m) a[m][0] = w[m * 32], a[m][1] = w[(kM + m) * 32];
#pragma unroll
      for (int n = 0; n < kOwnN; ++n) {
        const uint4 b = *reinterpret_cast<const uint4*>(mine + n * 8 * kStride + k * 16);
#pragma unroll
        for (int m = 0; m < kOwnM; ++m) mma(sum[m][n], a[m][0], b.x, b.y);
#pragma unroll
        for (int m = 0; m < kOwnM; ++m) mma(sum[m][n], a[m][1], b.z, b.w);
      }
    }
  }
  __device__ __forceinline__ void leave(float* product) const {
    const int g = lane() / 4, t = lane() % 4;
#pragma unroll
    for (int m = 0; m < kOwnM; ++m)
#pragma unroll
      for (int n = 0; n < kOwnN; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int row = (first_n() + n) * 8 + 2 * t + (e & 1);
          const int at = (first_m() + m) * 16 + g + (e & 2) * 4;
          product[(split() * N + row) * kRow + at] = sum[m][n][e];
        }
  }
};

#endif

constexpr int kProductFloats = Product::kSplits * N * kRow;
constexpr int kScratchFloats = larger(larger(kChunkFloats, kProductFloats), 7 * kThreads);

// Shared memory, in this order: the weights if they stay there, what is read or multiplied in a step,
// a number for each cell, and the lengths.
struct Memory {
  uint4* weights;
  float *scratch, *state;
  int* lengths;
  __device__ __forceinline__ Memory() {
    weights = reinterpret_cast<uint4*>(shared_memory());
    scratch = reinterpret_cast<float*>(shared_memory() + (RESIDENT ? WEIGHT_BYTES : 0));
    state = scratch + kScratchFloats;
    lengths = reinterpret_cast<int*>(state + U * N);
  }
};
static_assert((RESIDENT ? WEIGHT_BYTES : 0) + 4 * (kScratchFloats + U * N + N) <= MEMORY_BYTES,
              "the launch asks for too little shared memory");

// The block's weights of one direction, where the products will read them.
__device__ __forceinline__ const uint4* weights_of(const Work& p, const Memory& memory,
                                                   int direction, int rank) {
  const uint4* all = p.weights + (size_t(direction) * kBlocks + rank) * (WEIGHT_BYTES / 16);
  if (!RESIDENT) return all;
  for (int k = threadIdx.x; k < WEIGHT_BYTES / 16; k += kThreads) memory.weights[k] = all[k];
  return memory.weights;
}

// Leaves the product of the weights and what `step` left in `source` in the scratch memory.
__device__ __forceinline__ void multiply(const Work& p, const Group& group, const Memory& memory,
                                         const uint4* weights, const STORAGE* source, int step,
                                         Reader& reader) {
  Product product;
  product.clear();
  reader.load(p, group, source, step, 0);
#pragma unroll 1
  for (int chunk = 0; chunk < K / kChunk; ++chunk) {
    block_barrier();
    reader.store(memory.scratch);
    block_barrier();
    if (chunk + 1 < K / kChunk) reader.load(p, group, source, step, chunk + 1);
    product.add(weights, memory.scratch, chunk);
  }
  block_barrier();
  product.leave(memory.scratch);
  block_barrier();
}
