// The forward pass of few units, done by one block without the detour through L2: h stays in shared
// memory from step to step, and each thread holds one row of the weights in registers.

struct Memory {
  float *h, *products;            // [N][H], [N][4H]
  int* lengths;
  __device__ __forceinline__ Memory() {
    h = reinterpret_cast<float*>(shared_memory());
    products = h + N * H;
    lengths = reinterpret_cast<int*>(products + N * 4 * H);
  }
};
static_assert(4 * (N * H + N * 4 * H + N) <= MEMORY_BYTES, "too little shared memory");

__device__ __forceinline__ void load_inputs(const Work& p, size_t token, int unit,
                                            float (&inputs)[4]) {
#pragma unroll
  for (int e = 0; e < 4; ++e) inputs[e] = widened(p.inputs[token * (4 * H) + e * H + unit]);
}

// One gate's input from every row's h.
__device__ __forceinline__ void multiply(const float (&weights)[H], const Memory& memory) {
#pragma unroll
  for (int row = 0; row < N; ++row) {
    float4 sum = {0.f, 0.f, 0.f, 0.f};
#pragma unroll
    for (int k = 0; k < H; k += 4) {
      const float4 h = *reinterpret_cast<const float4*>(memory.h + row * H + k);
      sum.x = fmaf(weights[k], h.x, sum.x), sum.y = fmaf(weights[k + 1], h.y, sum.y);
      sum.z = fmaf(weights[k + 2], h.z, sum.z), sum.w = fmaf(weights[k + 3], h.w, sum.w);
    }
    memory.products[row * 4 * H + threadIdx.x] = (sum.x + sum.y) + (sum.z + sum.w);
  }
}

__device__ __forceinline__ void forward_group(const Work& p, int number) {
  const Memory memory;
  const Group group(p, number, memory.lengths);
  const int row = threadIdx.x / H, unit = threadIdx.x % H;
  const bool has_cell = row < N && group.first + row < p.B, multiplies = threadIdx.x < 4 * H;
  const int length = has_cell ? group.lengths[row] : 0;
  const float* peephole = p.peepholes + size_t(group.direction) * 3 * H + unit;
  const float w[3] = {peephole[0], peephole[H], peephole[2 * H]};
  float weights[H] = {};
  if (multiplies) {
    const float* own = reinterpret_cast<const float*>(p.weights) +
                       (size_t(group.direction) * 4 * H + threadIdx.x) * H;
#pragma unroll
    for (int k = 0; k < H; ++k) weights[k] = own[k];
  }
  float c = 0.f, inputs[4] = {}, next[4] = {};
  if (length > 0) load_inputs(p, group.token(p, 0, row), unit, next);

  for (int n = 0; n < group.steps; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) inputs[e] = next[e];
    if (n + 1 < length) load_inputs(p, group.token(p, n + 1, row), unit, next);
    if (n > 0) {
      if (multiplies) multiply(weights, memory);
      block_barrier();            // the products are there
    }
    if (has_cell) {
      const size_t token = group.token(p, n, row);
      float h = 0.f;
      if (n < length) {
        if (n > 0)
#pragma unroll
          for (int e = 0; e < 4; ++e)
            inputs[e] += memory.products[row * 4 * H + e * H + unit];
        h = cell_step(inputs, c, w);
        memory.h[row * H + unit] = h;
        if (p.gates != nullptr) {
#pragma unroll
          for (int e = 0; e < 4; ++e) put(p.gates + token * (4 * H) + e * H + unit, inputs[e]);
          p.cells[token * H + unit] = c;
        }
      }
      put(p.hidden + token * H + unit, h);
    }
    block_barrier();              // h is there, and the products were read
  }
  if (has_cell)
    for (int n = group.steps; n < p.T; ++n)
      put(p.hidden + group.token(p, n, row) * H + unit, 0.f);
}

extern "C" __global__ void __launch_bounds__(kThreads, 1) portable_pass(const Work p) {
  for (int number = blockIdx.x; number < p.groups; number += p.teams) forward_group(p, number);
}
