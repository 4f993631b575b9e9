// The sums over hidden units inside a step, computed by plain multiply-adds in float32 (here) or by
// the tensor cores in TF32 (products_tf32.cuh). Each way says which lane of a warp ends with which
// cell, how the exchanged values lie in shared memory, and computes the sums.
//
// A warp owns four hidden units, a "quad". Rows are the sequences of a group.

// Forward: the recurrent share of the four gates, W_h h(t-1); each lane has one unit and one row.
template <int H, int R>
struct PlainForward {
  static constexpr int Q = H / 4 / kUnitSlices;    // quads of hidden units that a lane sums over
  using Rows = Share<R, kUnitSlices>;
  static constexpr int kCopies = Rows::kCopies;
  const int slice, row, copy, unit;                // unit: of the warp's four
  float w[Q][4][4];                                // W_h: [quad][gate][unit of the quad]
  int offset[R];                                   // of this lane's first quad, rows as fold() wants

  __device__ __forceinline__ PlainForward(int lane)
      : slice(lane & 7), row(Rows::first_row(slice)), copy(Rows::copy(slice)), unit(lane >> 3) {
#pragma unroll
    for (int j = 0; j < R; ++j) offset[j] = slice * R + (j ^ row);
  }
  // W: the row of the warp's first unit in W_h of gate i.
  __device__ __forceinline__ void load(const float* W) {
#pragma unroll
    for (int q = 0; q < Q; ++q)
#pragma unroll
      for (int gate = 0; gate < 4; ++gate) {
        const float4 v = *reinterpret_cast<const float4*>(
            W + size_t(gate * H + unit) * H + (q * kUnitSlices + slice) * 4);
        w[q][gate][0] = v.x, w[q][gate][1] = v.y, w[q][gate][2] = v.z, w[q][gate][3] = v.w;
      }
  }
  // Where h of a quad and a row lies within its group.
  static __device__ __forceinline__ int slot(int quad, int row) { return quad * R + row; }
  static __device__ __forceinline__ float rounded(float x) { return x; }
  __device__ __forceinline__ void sum(const float4* h_group, float (&gates)[4]) const {
    float acc[R][4] = {};
#pragma unroll
    for (int q = 0; q < Q; ++q)
#pragma unroll
      for (int j = 0; j < R; ++j) {
        const float4 v = h_group[q * kUnitSlices * R + offset[j]];
#pragma unroll
        for (int gate = 0; gate < 4; ++gate) {
          acc[j][gate] = fmaf(w[q][gate][0], v.x, acc[j][gate]);
          acc[j][gate] = fmaf(w[q][gate][1], v.y, acc[j][gate]);
          acc[j][gate] = fmaf(w[q][gate][2], v.z, acc[j][gate]);
          acc[j][gate] = fmaf(w[q][gate][3], v.w, acc[j][gate]);
        }
      }
    fold<R, kUnitSlices / 2, R>(acc);
#pragma unroll
    for (int gate = 0; gate < 4; ++gate) gates[gate] = acc[0][gate];
  }
};

// Backward: this block's share of dL/dh(t-1), sent to the blocks that own the columns.
template <int H, int R>
struct PlainBackward {
  static constexpr int kSlices = kThreads * 4 / H;  // lanes that share a quad of columns of W_h
  static constexpr int N = kUnits / kSlices;        // units of this block that a lane sums over
  using Rows = Share<R, kUnitSlices>;               // who computes which cell
  using Sent = Share<R, kSlices>;                   // who sends which row of the products
  const int row, copy, unit;                        // of the cell, as in the forward pass
  const bool leads;                                 // writes what the lanes of its unit summed up
  const int slice, columns, sent_row, sent_copy, quad, sent_swap, own_swap;
  float w[N][4][4];                                 // W_h: [unit][gate][column of the quad]
  int offset[R];

  __device__ __forceinline__ PlainBackward(int lane, int warp)
      : row(Rows::first_row(lane & 7)), copy(Rows::copy(lane & 7)), unit(lane >> 3),
        leads((lane & 7) == 0), slice(threadIdx.x % kSlices), columns(threadIdx.x / kSlices),
        sent_row(Sent::first_row(slice)), sent_copy(Sent::copy(slice)),
        quad(columns % (kUnits / 4)),
        // Odd receivers' quads swap neighbouring rows, so that a warp's stores spread over all banks.
        sent_swap(quad & (Sent::kRows - 1)), own_swap(warp & (Sent::kRows - 1)) {
#pragma unroll
    for (int j = 0; j < R; ++j) offset[j] = slice * R + (j ^ sent_row);
  }
  // W: the row of the block's first unit in W_h of gate i.
  __device__ __forceinline__ void load(const float* W) {
#pragma unroll
    for (int k = 0; k < N; ++k)
#pragma unroll
      for (int gate = 0; gate < 4; ++gate) {
        const float4 v = *reinterpret_cast<const float4*>(
            W + size_t(gate * H + k * kSlices + slice) * H + columns * 4);
        w[k][gate][0] = v.x, w[k][gate][1] = v.y, w[k][gate][2] = v.z, w[k][gate][3] = v.w;
      }
  }
  // Where the four gate gradients of a unit and a row lie within their group.
  static __device__ __forceinline__ int slot(int unit, int row) { return unit * R + row; }
  static __device__ __forceinline__ float rounded(float x) { return x; }
  static __device__ __forceinline__ float total(float x) {   // over the rows of a unit
#pragma unroll
    for (int mask = 4; mask >= Rows::kCopies; mask /= 2) x += shuffle_xor(x, mask);
    return x;
  }
  // owed: [quad of the receiver's units][row] of this sender and group, the same in every block.
  __device__ __forceinline__ void send(const float4* d_group, float4* owed) const {
    float acc[R][4] = {};                          // [row][column of the quad]
#pragma unroll
    for (int k = 0; k < N; ++k)
#pragma unroll
      for (int j = 0; j < R; ++j) {
        const float4 v = d_group[k * kSlices * R + offset[j]];
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          acc[j][e] = fmaf(w[k][0][e], v.x, acc[j][e]);
          acc[j][e] = fmaf(w[k][1][e], v.y, acc[j][e]);
          acc[j][e] = fmaf(w[k][2][e], v.z, acc[j][e]);
          acc[j][e] = fmaf(w[k][3][e], v.w, acc[j][e]);
        }
      }
    fold<R, kSlices / 2, R>(acc);
    if (sent_copy == 0)
#pragma unroll
      for (int j = 0; j < Sent::kRows; ++j)
        remote_store(owed + quad * R + ((sent_row + j) ^ sent_swap), columns / (kUnits / 4), acc[j]);
  }
};
