// The forward pass: h(t) of every unit, and what the backward pass will need.

struct Inputs {
  float of[kBatch][4];            // of the gates; what they become

  __device__ __forceinline__ void load(const Work& p, const Group& group, int n, int unit, int batch) {
#pragma unroll
    for (int b = 0; b < kBatch; ++b) {
      const int row = cell_of(batch, b) / U;
      const bool real = n < group.lengths[row];
      const size_t token = real ? group.token(p, n, row) : 0;
#pragma unroll
      for (int e = 0; e < 4; ++e)
        of[b][e] = real ? widened(p.inputs[token * (4 * H) + e * H + unit]) : 0.f;
    }
  }
};

__device__ __forceinline__ void forward_group(const Work& p, int number, int rank) {
  const Memory memory;
  const Group group(p, number, memory.lengths);
  const uint4* weights = weights_of(p, memory, group.direction, rank);
  const int own = threadIdx.x % U, unit = rank * U + own;   // the same for all cells of a thread
  const float* peephole = p.peepholes + size_t(group.direction) * 3 * H + unit;
  const float w[3] = {peephole[0], peephole[H], peephole[2 * H]};
  const bool has_cells = threadIdx.x < U * N;
  Reader reader;

  for (int n = 0; n < group.steps; ++n) {
    Inputs inputs, later;
    if (has_cells) inputs.load(p, group, n, unit, 0);     // while waiting
    if (n > 0) {
      await_team(p, number, n);
      multiply(p, group, memory, weights, p.hidden, n - 1, reader);
    }
    if (has_cells)
#pragma unroll 1
      for (int batch = 0; batch < kBatches; ++batch) {
        if (batch + 1 < kBatches) later.load(p, group, n, unit, batch + 1);
        float h[kBatch], c[kBatch];
#pragma unroll
        for (int b = 0; b < kBatch; ++b) {
          const int cell = cell_of(batch, b);
          c[b] = 0.f;
          if (n > 0) {
            for (int split = 0; split < Product::kSplits; ++split) {
              const float4 part = *reinterpret_cast<const float4*>(
                  memory.scratch + (split * N + cell / U) * kRow + own * 4);
              inputs.of[b][0] += part.x, inputs.of[b][1] += part.y;
              inputs.of[b][2] += part.z, inputs.of[b][3] += part.w;
            }
            c[b] = memory.state[cell];
          }
          h[b] = cell_step(inputs.of[b], c[b], w);
        }
#pragma unroll
        for (int b = 0; b < kBatch; ++b) {
          const int cell = cell_of(batch, b), row = cell / U;
          if (group.first + row >= p.B) continue;
          const size_t token = group.token(p, n, row);
          const bool real = n < group.lengths[row];
          if (real) memory.state[cell] = c[b];
          if (real && p.gates != nullptr) {
#pragma unroll
            for (int e = 0; e < 4; ++e)
              put(p.gates + token * (4 * H) + e * H + unit, inputs.of[b][e]);
            p.cells[token * H + unit] = c[b];
          }
          put(p.hidden + token * H + unit, real ? h[b] : 0.f);
          if (kBatches > 1 && n + 1 < group.lengths[row])
#pragma unroll
            for (int e = 0; e < 4; ++e)
              prefetch(p.inputs + group.token(p, n + 1, row) * (4 * H) + e * H + unit);
        }
        if (kBatches > 1) inputs = later;
      }
    if (n + 1 < group.steps) tell_team(p, number);
  }
  if (has_cells)
    for (int j = 0; j < kCells; ++j) {
      const int row = (threadIdx.x + j * kThreads) / U;
      if (group.first + row < p.B)
        for (int n = group.steps; n < p.T; ++n) put(p.hidden + group.token(p, n, row) * H + unit, 0.f);
    }
}

extern "C" __global__ void __launch_bounds__(kThreads, 1) portable_pass(const Work p) {
  for (int number = blockIdx.x / kBlocks; number < p.groups; number += p.teams)
    forward_group(p, number, blockIdx.x % kBlocks);
}
