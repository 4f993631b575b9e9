// The backward pass of few units. Sixteen neighbouring threads have four units, each for a sixteenth of
// the gates' gradients: of each sort of gates four of every 64, so that a warp reads 256 neighbouring
// bytes. They share the sums so that each keeps that of one unit and one row.
constexpr int kQuads = 4 * H / 64;

struct Memory {
  float* gradients;               // [2][N][4H] of the gates' inputs, of the step before and of this one
  float* scratch;                 // for the sums at the end, in the same place
  int* lengths;
  __device__ __forceinline__ Memory() {
    gradients = scratch = reinterpret_cast<float*>(shared_memory());
    lengths = reinterpret_cast<int*>(scratch + larger(8 * N * H, 7 * kThreads));
  }
};
static_assert(4 * (larger(8 * N * H, 7 * kThreads) + N) <= MEMORY_BYTES, "too little shared memory");

// Which of the gates' gradients [4H] is a thread's own number k.
__device__ __forceinline__ int gradient_of(int k) { return k / 4 * 64 + threadIdx.x % 16 * 4 + k % 4; }

// dL/dh of the thread's cell from the gradients of the step after, from its own first one on.
__device__ __forceinline__ float multiply(int lane, const float (&weights)[4][4 * kQuads],
                                          const float* gradients) {
  float rows[N];
#pragma unroll
  for (int row = 0; row < N; ++row) {
    float sums[4] = {};
#pragma unroll
    for (int quad = 0; quad < kQuads; ++quad) {
      const float4 four =
          *reinterpret_cast<const float4*>(gradients + row * 4 * H + quad * 64);
      const float x[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int u = 0; u < 4; ++u) sums[u] = fmaf(weights[u][quad * 4 + i], x[i], sums[u]);
    }
    const float low = kept_of(lane, sums[0], sums[1], 1);
    rows[row] = kept_of(lane, low, kept_of(lane, sums[2], sums[3], 1), 2);
  }
  return kept_row(lane, rows, 4, 8);
}

// What a cell's step needs, as load_cell does: i, f, g, o, c(t), c(t-1), dL/dh(t) from above.
__device__ __forceinline__ void load_held(const STORAGE* gates, const float* cells,
                                          const STORAGE* from, long long back, bool first,
                                          float (&held)[7]) {
#pragma unroll
  for (int e = 0; e < 4; ++e) held[e] = widened(gates[e * H]);
  held[4] = *cells;
  held[5] = first ? 0.f : cells[back];
  held[6] = widened(*from);
}

__device__ __forceinline__ void backward_group(const Work& p, int number) {
  const Memory memory;
  const Group group(p, number, memory.lengths);
  const int four = threadIdx.x / 16 * 4 % H;      // the first of the four units
  const Cell cell(p, group, four + threadIdx.x % 4, threadIdx.x / 4 % 4);
  const int unit = cell.unit, row = cell.row, length = cell.length;
  const float* peephole = p.peepholes + size_t(group.direction) * 3 * H + unit;
  const float w[3] = {peephole[0], peephole[H], peephole[2 * H]};
  const float* W_h = reinterpret_cast<const float*>(p.weights) + size_t(group.direction) * 4 * H * H;
  float weights[4][4 * kQuads];
#pragma unroll
  for (int u = 0; u < 4; ++u)
#pragma unroll
    for (int k = 0; k < 4 * kQuads; ++k) weights[u][k] = W_h[gradient_of(k) * H + four + u];
  // Where the gates, c and dL/dh of the cell's next step lie, which is the one before in its sequence.
  int lane = threadIdx.x % 32, own = gradient_of(0), slot = (row * 4 + cell.replica) * H + unit;
  long long back = -cell.stride(p, group), back4 = 4 * back;
  long long far = (kAhead - 1) * back, far4 = 4 * far + cell.replica * H, farther = far + back;
  settle(lane), settle(own), settle(slot), settle(back), settle(back4);
  settle(far), settle(far4), settle(farther);
  const size_t token = length > 0 ? group.token(p, length - 1, row) : 0;
  STORAGE* gates = p.gates + token * (4 * H) + unit;
  const float* cells = p.cells + token * H + unit;
  const STORAGE* from = p.inputs + token * H + unit;
  STORAGE* to = gates + cell.replica * H;   // the gradients of this step
  float sums[7] = {}, held[7] = {}, next[7] = {}, dc = 0.f;
  float *after = memory.gradients, *now = after + N * 4 * H;
  if (group.steps == length && length > 0) {
    load_held(gates, cells, from, back, length == 1, next);
    gates += back4, cells += back, from += back;
  }

  for (int n = group.steps - 1; n >= 0; --n) {
    // The gradients of the step after are there, and the ones after that were read; so were this
    // step's gates by all who have the cell, one of whom will store gradients in their place.
    block_barrier();
#pragma unroll
    for (int k = 0; k < 7; ++k) held[k] = next[k];
    if (n > 0 && n - 1 < length) {                // asked for before the product: it takes a step
      load_held(gates, cells, from, back, n == 1, next);
      if (n >= kAhead) {
#pragma unroll
        for (int k = 0; k < N; ++k) prefetch(gates + far4 + k * kReplicas * H);
        if (cell.replica == 0) prefetch(from + far);
        if (cell.replica == kReplicas - 1 && n > kAhead) prefetch(cells + farther);
      }
      gates += back4, cells += back, from += back;
    }
    float dh = 0.f;
    if (n + 1 < group.steps && cell.multiplies) dh = multiply(lane, weights, after + own);
    if (n < length) {
      if (n + 1 == length) dh = 0.f;
      float d[4];
      cell_back(held, dh + held[6], dc, w, d);
#pragma unroll
      for (int k = 0; k < N; ++k) {
        const float picked = cell.picked(d, k);
        now[slot + k * kReplicas * H] = picked;
        put(to + k * kReplicas * H, picked);
      }
      to += back4;
      sums[0] += d[0], sums[1] += d[1], sums[2] += d[2], sums[3] += d[3];
      sums[4] = fmaf(d[0], held[5], sums[4]);
      sums[5] = fmaf(d[1], held[5], sums[5]);
      sums[6] = fmaf(d[3], held[4], sums[6]);
    } else if (cell.exists) {
      STORAGE* padding = p.gates + group.token(p, n, row) * (4 * H) + unit;
#pragma unroll
      for (int k = 0; k < N; ++k) put(padding + cell.own(k) * H, 0.f);
    }
    float* const old = after;
    after = now, now = old;
  }
  if (cell.exists)
    for (int n = group.steps; n < p.T; ++n)
#pragma unroll
      for (int k = 0; k < N; ++k)
        put(p.gates + group.token(p, n, row) * (4 * H) + cell.own(k) * H + unit, 0.f);
  if (!cell.multiplies || cell.replica > 0)       // its cell is counted once
#pragma unroll
    for (int k = 0; k < 7; ++k) sums[k] = 0.f;
  // A thread with no unit of its own has the place of its own number, beyond those of the others.
  const int place = cell.multiplies ? threadIdx.x / 4 % 4 * H + unit : threadIdx.x;
  leave_sums(p, number, 0, place, memory.scratch, sums);
}

extern "C" __global__ void __launch_bounds__(kThreads, 1) portable_pass(const Work p) {
  for (int number = blockIdx.x; number < p.groups; number += p.teams) backward_group(p, number);
}
