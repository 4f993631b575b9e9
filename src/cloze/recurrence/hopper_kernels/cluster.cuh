// What the two passes share: the shape of the work, and how a cluster of thread blocks talks.
//
// One cluster of H/32 blocks runs one direction of one tile of sequences. Each block owns 32 hidden
// units and keeps their recurrent weights in registers for the whole pass, so a time step reads no
// weight from memory. A block has 256 threads.
//
// A tile is cut into groups of R sequences (R = 1, 2, 4 or 8). Sums over the hidden units are split
// over S neighbouring lanes ("slices"); fold() adds them up so that each lane ends with its own
// share of the group's rows. The order of every sum is fixed and does not depend on R, on the tile
// or on the batch: a sequence alone and the same sequence in company give the same bits.

constexpr int kThreads = 256;
constexpr int kUnits = 32;        // hidden units of one block
constexpr int kUnitSlices = 8;    // lanes that share one unit in the forward sums
constexpr int kLookAhead = 3;     // steps between the L2 prefetch and the use

struct Problem {
  int T, B, D, tile;              // time steps, sequences, directions, sequences in a tile
  unsigned reversed;              // bit d: direction d reads from the last token to the first
  const int64_t* lengths;         // [B]
  const float* recurrent;         // [D, 4H, H], gates in the order i, f, c, o
  const float* peepholes;         // [D, 3, H], w_ci, w_cf, w_co
};

constexpr int log2_of(int x) { return x <= 1 ? 0 : 1 + log2_of(x / 2); }

// How R rows end up on S lanes after fold().
template <int R, int S>
struct Share {
  static constexpr int kSplits = log2_of(R) < log2_of(S) ? log2_of(R) : log2_of(S);
  static constexpr int kRows = R >> kSplits;     // rows that one lane ends with
  static constexpr int kCopies = S >> kSplits;   // lanes that end with the same rows
  static constexpr int kDrop = log2_of(kCopies), kShift = log2_of(kRows);
  static __device__ __forceinline__ int first_row(int slice) { return slice >> kDrop << kShift; }
  static __device__ __forceinline__ int copy(int slice) { return slice & (kCopies - 1); }
};

// Sums acc over lanes that differ in the bits below 2*MASK. Before: acc[j] of a lane belongs to row
// j ^ first_row(slice). That order lets two lanes swap halves of their rows without a select.
// After: acc[0 .. kRows) belongs to rows first_row(slice) + 0 ...
template <int ROWS, int MASK, int R>
__device__ __forceinline__ void fold(float (&acc)[R][4]) {
  if constexpr (MASK >= 1) {
    if constexpr (ROWS > 1) {
#pragma unroll
      for (int j = 0; j < ROWS / 2; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) acc[j][e] += shuffle_xor(acc[j + ROWS / 2][e], MASK);
      fold<ROWS / 2, MASK / 2, R>(acc);
    } else {
#pragma unroll
      for (int e = 0; e < 4; ++e) acc[0][e] += shuffle_xor(acc[0][e], MASK);
      fold<1, MASK / 2, R>(acc);
    }
  }
}

__device__ __forceinline__ float sigmoid(float x) { return __fdividef(1.f, 1.f + __expf(-x)); }

__device__ __forceinline__ float to_float(float x) { return x; }
__device__ __forceinline__ float to_float(bfloat16 x) { return as_float(uint32_t(x.bits) << 16); }
__device__ __forceinline__ void put(float* p, float x) { *p = x; }
__device__ __forceinline__ void put(bfloat16* p, float x) {
  const uint32_t bits = as_bits(x);
  const uint32_t rounded = x == x ? bits + 0x7fffu + ((bits >> 16) & 1u) : bits | 0x400000u;
  p->bits = (unsigned short)(rounded >> 16);
}

// The sequences of a block's tile, in shared memory.
struct Tile {
  int direction, first, groups, steps;   // steps: the longest sequence of the tile
  bool reversed;
  int* lengths;                          // [tile], 0 for a row beyond the batch
  int* longest;                          // [groups]

  // Where step n of a sequence lies. Past its end the position is n itself: padding, to be zeroed.
  __device__ __forceinline__ int position(int n, int length) const {
    return reversed && n < length ? length - 1 - n : n;
  }
  __device__ __forceinline__ size_t token(const Problem& p, int position, int row) const {
    return (size_t(position) * p.B + (first + row)) * p.D + direction;
  }
};

template <int R>
__device__ __forceinline__ Tile make_tile(const Problem& p, int cluster, int* memory) {
  Tile tile;
  tile.direction = cluster % p.D;
  tile.first = cluster / p.D * p.tile;
  tile.groups = p.tile / R;
  tile.reversed = (p.reversed >> tile.direction) & 1u;
  tile.lengths = memory;
  tile.longest = memory + p.tile;
  for (int row = threadIdx.x; row < p.tile; row += kThreads) {
    const int b = tile.first + row;
    const int64_t length = b < p.B ? p.lengths[b] : 0;
    tile.lengths[row] = int(length < 0 ? 0 : length > p.T ? p.T : length);
  }
  block_barrier();
  for (int g = threadIdx.x; g < tile.groups; g += kThreads) {
    int longest = 0;
    for (int r = 0; r < R; ++r) longest = max(longest, tile.lengths[g * R + r]);
    tile.longest[g] = longest;
  }
  block_barrier();
  tile.steps = 0;
  for (int g = 0; g < tile.groups; ++g) tile.steps = max(tile.steps, tile.longest[g]);
  return tile;
}
