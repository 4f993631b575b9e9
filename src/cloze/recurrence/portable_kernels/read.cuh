// What a step reads from the other blocks, a chunk of K at a time: from L2 into registers while the
// chunk before is being multiplied, then into shared memory as the products want it.

#if MATH == PLAIN
constexpr int kChunk = chunk_of(4096 / N);
constexpr int kStride = N + 4;                   // [k][row]
constexpr int kChunkFloats = kChunk * kStride;
#else
constexpr int kWords = 4 / sizeof(STORAGE);      // numbers in a word of 32 bits
constexpr int kChunk = chunk_of(4096 / N * kWords);
constexpr int kChunkWords = kChunk / kWords;
constexpr int kStride = kChunkWords + (kChunkWords % 32 ? 0 : 16);   // [row][k]
constexpr int kChunkFloats = N * kStride;
#endif
constexpr int kLoadsOfRow = kChunk / kPerLoad;
constexpr int kLoads = (N * kLoadsOfRow + kThreads - 1) / kThreads;   // of one thread

struct Reader {
  uint4 held[kLoads];
  int row[kLoads], quad[kLoads];                 // quad: which 16 bytes of the row's chunk

  __device__ __forceinline__ Reader() {
#pragma unroll
    for (int j = 0; j < kLoads; ++j) {
      const int index = threadIdx.x + j * kThreads;
#if MATH == PLAIN   // neighbouring lanes take different rows, for the sake of the transposed store
      constexpr int rows = smaller(N, 16), quads = smaller(32 / rows, 4);
      const int rest = index / (rows * quads);
      quad[j] = index % quads + quads * (rest % (kLoadsOfRow / quads));
      row[j] = index / quads % rows + rows * (rest / (kLoadsOfRow / quads));
#else
      quad[j] = index % kLoadsOfRow, row[j] = index / kLoadsOfRow;
#endif
    }
  }
  // From `source`, whose rows hold K numbers: what step `step` of each sequence left there. Rows
  // whose sequence has no such step are zero.
  __device__ __forceinline__ void load(const Work& p, const Group& group, const STORAGE* source,
                                       int step, int chunk) {
#pragma unroll
    for (int j = 0; j < kLoads; ++j) {
      held[j] = make_uint4(0, 0, 0, 0);
      if (row[j] < N && step < group.lengths[row[j]])
        held[j] = load_shared_by_all(source + group.token(p, step, row[j]) * K + chunk * kChunk +
                                     quad[j] * kPerLoad);
    }
  }
  __device__ __forceinline__ void store(float* chunk) const {
#pragma unroll
    for (int j = 0; j < kLoads; ++j) {
      if (row[j] >= N) continue;
      const unsigned words[4] = {held[j].x, held[j].y, held[j].z, held[j].w};
#if MATH == PLAIN
      float* to = chunk + quad[j] * kPerLoad * kStride + row[j];
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        if (kPerLoad == 4) {
          to[e * kStride] = as_float(words[e]);
        } else {
          to[2 * e * kStride] = as_float(words[e] << 16);
          to[(2 * e + 1) * kStride] = as_float(words[e] & 0xffff0000u);
        }
      }
#else
      float* to = chunk + row[j] * kStride + quad[j] * 4;
#pragma unroll
      for (int e = 0; e < 4; ++e)
#if MATH == TF32
        to[e] = as_float(to_tf32(as_float(words[e])));
#else
        to[e] = as_float(words[e]);
#endif
#endif
    }
  }
};
