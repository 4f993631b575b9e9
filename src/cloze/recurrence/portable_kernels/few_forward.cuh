// The forward pass of few units. The four threads of a unit have all its gates, each for a quarter of h:
// of every 16 numbers four, so that a warp reads 64 neighbouring bytes.
constexpr int kQuads = H / 16;

struct Memory {
  float* h;                       // [2][N][H]: of the step before and of this one
  int* lengths;
  __device__ __forceinline__ Memory() {
    h = reinterpret_cast<float*>(shared_memory());
    lengths = reinterpret_cast<int*>(h + 2 * N * H);
  }
};
static_assert(4 * (2 * N * H + N) <= MEMORY_BYTES, "too little shared memory");

__device__ __forceinline__ void load_inputs(const Work& p, size_t token, int unit,
                                            float (&inputs)[4]) {
#pragma unroll
  for (int e = 0; e < 4; ++e) inputs[e] = widened(p.inputs[token * (4 * H) + e * H + unit]);
}

// What h contributes to the gates of the thread's cell.
__device__ __forceinline__ void multiply(const float (&weights)[4][4 * kQuads], const float* h,
                                         float (&gate)[4]) {
  float sums[4][N] = {};
#pragma unroll
  for (int row = 0; row < N; ++row)
#pragma unroll
    for (int quad = 0; quad < kQuads; ++quad) {
      const float4 four =
          *reinterpret_cast<const float4*>(h + row * H + quad * 16 + threadIdx.x % 4 * 4);
      const float x[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int e = 0; e < 4; ++e)
          sums[e][row] = fmaf(weights[e][quad * 4 + i], x[i], sums[e][row]);
    }
#pragma unroll
  for (int e = 0; e < 4; ++e) gate[e] = kept_row(sums[e], 1, 2);
}

__device__ __forceinline__ void forward_group(const Work& p, int number) {
  const Memory memory;
  const Group group(p, number, memory.lengths);
  const Cell cell(p, group, threadIdx.x / 4 % H, threadIdx.x % 4);
  const int unit = cell.unit, row = cell.row, length = cell.length;
  const float* peephole = p.peepholes + size_t(group.direction) * 3 * H + unit;
  const float w[3] = {peephole[0], peephole[H], peephole[2 * H]};
  const float* W_h = reinterpret_cast<const float*>(p.weights) + size_t(group.direction) * 4 * H * H;
  float weights[4][4 * kQuads];
#pragma unroll
  for (int e = 0; e < 4; ++e)
#pragma unroll
    for (int k = 0; k < 4 * kQuads; ++k)
      weights[e][k] = W_h[(e * H + unit) * H + k / 4 * 16 + threadIdx.x % 4 * 4 + k % 4];
  float c = 0.f, inputs[4] = {};
  if (length > 0) load_inputs(p, group.token(p, 0, row), unit, inputs);

  for (int n = 0; n < group.steps; ++n) {
    // h of the step before is there, and the one before that was read; so were this step's inputs by
    // all who have the cell, one of whom may store its gates in their place.
    block_barrier();
    float gate[4] = {};
    if (n > 0 && cell.multiplies) multiply(weights, memory.h + (n - 1) % 2 * N * H, gate);
    if (!cell.exists) continue;
    const size_t token = group.token(p, n, row);
    if (n >= length) {
      if (cell.replica == 0) put(p.hidden + token * H + unit, 0.f);
      continue;
    }
#pragma unroll
    for (int e = 0; e < 4; ++e) gate[e] += inputs[e];
    if (n + 1 < length) load_inputs(p, group.token(p, n + 1, row), unit, inputs);
    if (n + kAhead < length) {
      const STORAGE* later = p.inputs + group.token(p, n + kAhead, row) * (4 * H) + unit;
#pragma unroll
      for (int e = 0; e < 4; ++e)
        if (cell.own(e)) prefetch(later + e * H);
    }
    const float h = cell_step(gate, c, w);
    if (cell.replica == 0) {
      memory.h[(n % 2 * N + row) * H + unit] = h;
      put(p.hidden + token * H + unit, h);
    }
    if (p.gates != nullptr) {
#pragma unroll
      for (int e = 0; e < 4; ++e)
        if (cell.own(e)) put(p.gates + token * (4 * H) + e * H + unit, gate[e]);
      if (cell.own(3)) p.cells[token * H + unit] = c;
    }
  }
  if (cell.exists && cell.replica == 0)
    for (int n = group.steps; n < p.T; ++n)
      put(p.hidden + group.token(p, n, row) * H + unit, 0.f);
}

extern "C" __global__ void __launch_bounds__(kThreads, 1) portable_pass(const Work p) {
  for (int number = blockIdx.x; number < p.groups; number += p.teams) forward_group(p, number);
}
