// The backward pass of few units, done by one block as in few_forward.cuh. A thread holds the weights
// from one unit to the inputs of one sort of gates: a quarter of what the unit's gradient sums up.

struct Memory {
  float *gradients, *products;    // [N][4H] of the gates' inputs, [4][N][H]
  float* scratch;                 // for the sums at the end, in the place of both
  int* lengths;
  __device__ __forceinline__ Memory() {
    gradients = scratch = reinterpret_cast<float*>(shared_memory());
    products = gradients + N * 4 * H;
    lengths = reinterpret_cast<int*>(scratch + larger(8 * N * H, 7 * kThreads));
  }
};
static_assert(4 * (larger(8 * N * H, 7 * kThreads) + N) <= MEMORY_BYTES, "too little shared memory");

__device__ __forceinline__ void multiply(const float (&weights)[H], const Memory& memory) {
  const int sort = threadIdx.x / H, unit = threadIdx.x % H;
#pragma unroll
  for (int row = 0; row < N; ++row) {
    float4 sum = {0.f, 0.f, 0.f, 0.f};
#pragma unroll
    for (int k = 0; k < H; k += 4) {
      const float4 d = *reinterpret_cast<const float4*>(memory.gradients + (row * 4 + sort) * H + k);
      sum.x = fmaf(weights[k], d.x, sum.x), sum.y = fmaf(weights[k + 1], d.y, sum.y);
      sum.z = fmaf(weights[k + 2], d.z, sum.z), sum.w = fmaf(weights[k + 3], d.w, sum.w);
    }
    memory.products[(sort * N + row) * H + unit] = (sum.x + sum.y) + (sum.z + sum.w);
  }
}

__device__ __forceinline__ void backward_group(const Work& p, int number) {
  const Memory memory;
  const Group group(p, number, memory.lengths);
  const int row = threadIdx.x / H, unit = threadIdx.x % H;
  const bool has_cell = row < N && group.first + row < p.B, multiplies = threadIdx.x < 4 * H;
  const int length = has_cell ? group.lengths[row] : 0;
  const float* peephole = p.peepholes + size_t(group.direction) * 3 * H + unit;
  const float w[3] = {peephole[0], peephole[H], peephole[2 * H]};
  float weights[H] = {}, sums[7] = {}, held[7] = {}, next[7] = {}, dc = 0.f;
  if (multiplies) {
    const float* own = reinterpret_cast<const float*>(p.weights) +
                       (size_t(group.direction) * 4 + row) * H * H + unit;
#pragma unroll
    for (int k = 0; k < H; ++k) weights[k] = own[k * H];
  }
  if (group.steps - 1 < length) load_cell(p, group, group.steps - 1, row, unit, next);

  for (int n = group.steps - 1; n >= 0; --n) {
#pragma unroll
    for (int k = 0; k < 7; ++k) held[k] = next[k];
    if (n > 0 && n - 1 < length) load_cell(p, group, n - 1, row, unit, next);
    if (n + 1 < group.steps) {
      if (multiplies) multiply(weights, memory);
      block_barrier();            // the products are there
    }
    if (has_cell) {
      float d[4] = {0.f, 0.f, 0.f, 0.f};
      if (n < length) {
        float dh = held[6];
        if (n + 1 < length)
#pragma unroll
          for (int sort = 0; sort < 4; ++sort) dh += memory.products[(sort * N + row) * H + unit];
        cell_back(held, dh, dc, w, d);
        sums[0] += d[0], sums[1] += d[1], sums[2] += d[2], sums[3] += d[3];
        sums[4] = fmaf(d[0], held[5], sums[4]);
        sums[5] = fmaf(d[1], held[5], sums[5]);
        sums[6] = fmaf(d[3], held[4], sums[6]);
#pragma unroll
        for (int e = 0; e < 4; ++e) memory.gradients[(row * 4 + e) * H + unit] = d[e];
      }
      STORAGE* to = p.gates + group.token(p, n, row) * (4 * H) + unit;
#pragma unroll
      for (int e = 0; e < 4; ++e) put(to + e * H, d[e]);
    }
    block_barrier();              // the gradients are there, and the products were read
  }
  if (has_cell)
    for (int n = group.steps; n < p.T; ++n)
      for (int e = 0; e < 4; ++e)
        put(p.gates + group.token(p, n, row) * (4 * H) + e * H + unit, 0.f);
  leave_sums(p, number, unit, memory.scratch, sums);
}

extern "C" __global__ void __launch_bounds__(kThreads, 1) portable_pass(const Work p) {
  for (int number = blockIdx.x; number < p.groups; number += p.teams) backward_group(p, number);
}
