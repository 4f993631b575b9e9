// How the work is cut up. A pass of one direction over TILE sequences is done by a team of blocks.
// Each block owns UNITS hidden units for all steps, and keeps their recurrent weights in shared
// memory if they fit (RESIDENT). After each step the blocks of a team wait for each other, and read
// from L2 what the others wrote: h(t) on the way forward, the gates' gradients on the way back.
//
// In each step a block multiplies its weights [M, K] by what was read, [K, TILE]. Forward, M counts
// the four gates of each unit and K the hidden units; backward, M counts units and K all gates.

constexpr int kThreads = 256;
constexpr int H = HIDDEN, U = UNITS, N = TILE;
constexpr int kBlocks = H / U;                   // of a team
#if FORWARD
constexpr int M = 4 * U, K = H;
#else
constexpr int M = U, K = 4 * H;
#endif
constexpr int kRow = M + 4;                      // floats between rows of a product: spreads banks
constexpr int kCells = U * N > kThreads ? U * N / kThreads : 1;   // of one thread
constexpr int kPerLoad = 16 / sizeof(STORAGE);   // numbers in a load of 16 bytes

constexpr int smaller(int a, int b) { return a < b ? a : b; }
constexpr int larger(int a, int b) { return a > b ? a : b; }
// The largest divisor of K that is a multiple of 32 and at most `limit`.
constexpr int chunk_of(int limit) {
  int best = 32;
  for (int d = 32; d <= smaller(K, limit); d += 32)
    if (K % d == 0) best = d;
  return best;
}

struct Work {
  const long long* lengths;       // [B]
  const uint4* weights;           // [D, blocks, ...], in the order in which they are used
  const float* peepholes;         // [D, 3, H]: w_ci, w_cf, w_co
  unsigned* arrived;              // [groups, 32], zeros: signals of each group
  const STORAGE* inputs;          // [T, B, D, 4H], projected; backward [T, B, D, H], dL/dh
  STORAGE* gates;                 // [T, B, D, 4H]: activated; backward they become gradients
  float* cells;                   // [T, B, D, H]; forward, null together with gates
  STORAGE* hidden;                // [T, B, D, H]; forward only
  float* sums;                    // [groups / D, 7 D, H]: see row_of_sums
  STORAGE* operand;               // a step's own launch only: what the next product multiplies,
  const STORAGE* product;         //   what the product before gave,
  float* carried;                 //   and [D, B, H]: c, or backward dL/dc
  int T, B, D, groups, teams, step;
  unsigned reversed;              // bit d: direction d reads from the last token to the first
};

__device__ __forceinline__ float widened(float x) { return x; }
__device__ __forceinline__ float widened(bfloat16 x) { return as_float(unsigned(x.bits) << 16); }
__device__ __forceinline__ void put(float* p, float x) { *p = x; }
__device__ __forceinline__ void put(bfloat16* p, float x) {
  const unsigned bits = as_bits(x);
  const unsigned rounded = x == x ? bits + 0x7fffu + ((bits >> 16) & 1u) : bits | 0x400000u;
  p->bits = (unsigned short)(rounded >> 16);
}
__device__ __forceinline__ float sigmoid(float x) { return __fdividef(1.f, 1.f + __expf(-x)); }

// Where a group leaves its sums, of bias i, f, c, o and of w_ci, w_cf, w_co: the gradients of the bias
// [D, 4H] lie together, then those of the peepholes [D, 3, H].
__device__ __forceinline__ size_t row_of_sums(const Work& p, int group, int k) {
  const int direction = group % p.D;
  return size_t(group / p.D) * 7 * p.D + (k < 4 ? direction * 4 + k : p.D * 4 + direction * 3 + k - 4);
}

// The sequences of a group, and where their tokens lie.
struct Group {
  int direction, first, steps;    // steps: of the longest sequence
  bool reversed;
  int* lengths;                   // [N] in shared memory, 0 for a row beyond the batch

  __device__ __forceinline__ Group(const Work& p, int number, int* memory)
      : direction(number % p.D), first(number / p.D * N), steps(0),
        reversed((p.reversed >> direction) & 1u), lengths(memory) {
    block_barrier();              // the group before is done with the memory
    for (int row = threadIdx.x; row < N; row += kThreads) {
      const long long length = first + row < p.B ? p.lengths[first + row] : 0;
      lengths[row] = int(length < 0 ? 0 : length > p.T ? p.T : length);
    }
    block_barrier();
    for (int row = 0; row < N; ++row) steps = larger(steps, lengths[row]);
  }
  // Past a sequence's end a step's position is its own number: padding, to be zeroed.
  __device__ __forceinline__ size_t token(const Work& p, int step, int row) const {
    const int length = lengths[row];
    const int position = reversed && step < length ? length - 1 - step : step;
    return (size_t(position) * p.B + (first + row)) * p.D + direction;
  }
};

// After each step: what this block wrote is there for its team, and what its team wrote is there for
// it. A team of one block needs no signals, since its own barrier shows its writes to its threads.
__device__ __forceinline__ void tell_team(const Work& p, int number) {
  if (kBlocks > 1) signal(p.arrived + number * 32);
}
__device__ __forceinline__ void await_team(const Work& p, int number, int steps) {
  if (kBlocks > 1) await(p.arrived + number * 32, unsigned(steps) * kBlocks);
  else block_barrier();
}
