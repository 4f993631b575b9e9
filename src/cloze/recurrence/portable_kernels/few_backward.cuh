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

// dL/dh of the thread's cell from the gradients of the step after.
__device__ __forceinline__ float multiply(const float (&weights)[4][4 * kQuads],
                                          const float* gradients) {
  float rows[N];
#pragma unroll
  for (int row = 0; row < N; ++row) {
    float sums[4] = {};
#pragma unroll
    for (int quad = 0; quad < kQuads; ++quad) {
      const float4 four =
          *reinterpret_cast<const float4*>(gradients + row * 4 * H + gradient_of(quad * 4));
      const float x[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int u = 0; u < 4; ++u) sums[u] = fmaf(weights[u][quad * 4 + i], x[i], sums[u]);
    }
    rows[row] = kept_of(kept_of(sums[0], sums[1], 1), kept_of(sums[2], sums[3], 1), 2);
  }
  return kept_row(rows, 4, 8);
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
  float sums[7] = {}, held[7] = {}, next[7] = {}, dc = 0.f;
  if (group.steps - 1 < length) load_cell(p, group, group.steps - 1, row, unit, next);

  for (int n = group.steps - 1; n >= 0; --n) {
    // The gradients of the step after are there, and the ones after that were read; so were this
    // step's gates by all who have the cell, one of whom will store gradients in their place.
    block_barrier();
    float dh = 0.f;
    if (n + 1 < group.steps && cell.multiplies)
      dh = multiply(weights, memory.gradients + (n + 1) % 2 * N * 4 * H);
    if (!cell.exists) continue;
#pragma unroll
    for (int k = 0; k < 7; ++k) held[k] = next[k];
    if (n > 0 && n - 1 < length) load_cell(p, group, n - 1, row, unit, next);
    if (n >= kAhead && n - kAhead < length) {
      const size_t earlier = group.token(p, n - kAhead, row);
#pragma unroll
      for (int e = 0; e < 4; ++e)
        if (cell.own(e)) prefetch(p.gates + earlier * (4 * H) + e * H + unit);
      if (cell.own(0)) prefetch(p.inputs + earlier * H + unit);
      if (cell.own(1) && n > kAhead)
        prefetch(p.cells + group.token(p, n - kAhead - 1, row) * H + unit);
    }
    float d[4] = {0.f, 0.f, 0.f, 0.f};
    if (n < length) {
      if (n + 1 == length) dh = 0.f;
      cell_back(held, dh + held[6], dc, w, d);
      sums[0] += d[0], sums[1] += d[1], sums[2] += d[2], sums[3] += d[3];
      sums[4] = fmaf(d[0], held[5], sums[4]);
      sums[5] = fmaf(d[1], held[5], sums[5]);
      sums[6] = fmaf(d[3], held[4], sums[6]);
#pragma unroll
      for (int e = 0; e < 4; ++e)
        if (cell.own(e)) memory.gradients[((n % 2 * N + row) * 4 + e) * H + unit] = d[e];
    }
    STORAGE* to = p.gates + group.token(p, n, row) * (4 * H) + unit;
#pragma unroll
    for (int e = 0; e < 4; ++e)
      if (cell.own(e)) put(to + e * H, d[e]);
  }
  if (cell.exists)
    for (int n = group.steps; n < p.T; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        if (cell.own(e)) put(p.gates + group.token(p, n, row) * (4 * H) + e * H + unit, 0.f);
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
