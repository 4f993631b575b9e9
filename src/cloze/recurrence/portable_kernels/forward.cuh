// The forward pass: h(t) of every unit, and what the backward pass will need.

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
    constexpr bool kEarly = kCells <= 2;          // few enough inputs to hold while waiting
    float inputs[kEarly ? kCells : 1][4] = {};
    if (kEarly && has_cells)
#pragma unroll
      for (int j = 0; j < kCells; ++j) {
        const int row = (threadIdx.x + j * kThreads) / U;
        if (n < group.lengths[row])
#pragma unroll
          for (int e = 0; e < 4; ++e)
            inputs[kEarly ? j : 0][e] =
                widened(p.inputs[group.token(p, n, row) * (4 * H) + e * H + unit]);
      }
    if (n > 0) {
      await_team(p, number, n);
      multiply(p, group, memory, weights, p.hidden, n - 1, reader);
    }
    if (has_cells)
#pragma unroll 1
      for (int j = 0; j < kCells; ++j) {
        const int row = (threadIdx.x + j * kThreads) / U;
        if (group.first + row >= p.B) continue;
        const size_t token = group.token(p, n, row);
        float h = 0.f;
        if (n < group.lengths[row]) {
          float gate[4];
          if (kEarly) {
            for (int e = 0; e < 4; ++e) gate[e] = inputs[0][e];
            if (kCells == 2 && j == 1)
              for (int e = 0; e < 4; ++e) gate[e] = inputs[kEarly ? kCells - 1 : 0][e];
          } else {
            for (int e = 0; e < 4; ++e)
              gate[e] = widened(p.inputs[token * (4 * H) + e * H + unit]);
            if (n + 1 < group.lengths[row])
              for (int e = 0; e < 4; ++e)
                prefetch(p.inputs + group.token(p, n + 1, row) * (4 * H) + e * H + unit);
          }
          if (n > 0)
            for (int split = 0; split < Product::kSplits; ++split) {
              const float4 part = *reinterpret_cast<const float4*>(
                  memory.scratch + (split * N + row) * kRow + own * 4);
              gate[0] += part.x, gate[1] += part.y, gate[2] += part.z, gate[3] += part.w;
            }
          float c = n > 0 ? memory.state[threadIdx.x + j * kThreads] : 0.f;
          h = cell_step(gate, c, w);
          memory.state[threadIdx.x + j * kThreads] = c;
          if (p.gates != nullptr) {
            for (int e = 0; e < 4; ++e) put(p.gates + token * (4 * H) + e * H + unit, gate[e]);
            p.cells[token * H + unit] = c;
          }
        }
        put(p.hidden + token * H + unit, h);
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
