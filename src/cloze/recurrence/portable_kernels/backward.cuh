// The backward pass: gradients of the gates' inputs, from the last step of each sequence to its first.
// Those of the bias and the peepholes are summed here; W_h's is one large product afterwards.

struct Held {
  float of[kBatch][7];            // as load_cell leaves it

  __device__ __forceinline__ void load(const Work& p, const Group& group, int n, int unit, int batch) {
#pragma unroll
    for (int b = 0; b < kBatch; ++b) {
      const int row = cell_of(batch, b) / U;
#pragma unroll
      for (int k = 0; k < 7; ++k) of[b][k] = 0.f;
      if (n < group.lengths[row]) load_cell(p, group, n, row, unit, of[b]);
    }
  }
};

__device__ __forceinline__ void backward_group(const Work& p, int number, int rank) {
  const Memory memory;
  const Group group(p, number, memory.lengths);
  const uint4* weights = weights_of(p, memory, group.direction, rank);
  const int own = threadIdx.x % U, unit = rank * U + own;   // the same for all cells of a thread
  const float* peephole = p.peepholes + size_t(group.direction) * 3 * H + unit;
  const float w[3] = {peephole[0], peephole[H], peephole[2 * H]};
  const bool has_cells = threadIdx.x < U * N;
  float sums[7] = {};
  Reader reader;

  for (int n = group.steps - 1; n >= 0; --n) {
    Held held, later;
    if (has_cells) held.load(p, group, n, unit, 0);       // while waiting
    const bool last = n == group.steps - 1;
    if (!last) {
      await_team(p, number, group.steps - 1 - n);
      multiply(p, group, memory, weights, p.gates, n + 1, reader);
    }
    if (has_cells)
#pragma unroll 1
      for (int batch = 0; batch < kBatches; ++batch) {
        if (batch + 1 < kBatches) later.load(p, group, n, unit, batch + 1);
        float d[kBatch][4];
#pragma unroll
        for (int b = 0; b < kBatch; ++b) {
          const int cell = cell_of(batch, b), row = cell / U;
          float dh = 0.f, dc = 0.f;
          if (n + 1 < group.lengths[row]) {
            for (int split = 0; split < Product::kSplits; ++split)
              dh += memory.scratch[(split * N + row) * kRow + own];
            dc = memory.state[cell];
          }
          const float (&of)[7] = held.of[b];              // past a sequence's end all zeros
          cell_back(of, dh + of[6], dc, w, d[b]);
          memory.state[cell] = dc;
          sums[0] += d[b][0], sums[1] += d[b][1], sums[2] += d[b][2], sums[3] += d[b][3];
          sums[4] = fmaf(d[b][0], of[5], sums[4]);
          sums[5] = fmaf(d[b][1], of[5], sums[5]);
          sums[6] = fmaf(d[b][3], of[4], sums[6]);
        }
#pragma unroll
        for (int b = 0; b < kBatch; ++b) {
          const int row = cell_of(batch, b) / U;
          if (group.first + row >= p.B) continue;
          const bool real = n < group.lengths[row];
          STORAGE* to = p.gates + group.token(p, n, row) * (4 * H) + unit;
#pragma unroll
          for (int e = 0; e < 4; ++e) put(to + e * H, real ? d[b][e] : 0.f);
          if (kBatches > 1 && real && n > 0) {
            const size_t before = group.token(p, n - 1, row);
#pragma unroll
            for (int e = 0; e < 4; ++e) prefetch(p.gates + before * (4 * H) + e * H + unit);
            prefetch(p.inputs + before * H + unit);
            if (n > 1) prefetch(p.cells + group.token(p, n - 2, row) * H + unit);
          }
        }
        if (kBatches > 1) held = later;
      }
    if (n > 0) tell_team(p, number);
  }
  if (has_cells)
    for (int j = 0; j < kCells; ++j) {
      const int row = (threadIdx.x + j * kThreads) / U;
      if (group.first + row < p.B)
        for (int n = group.steps; n < p.T; ++n)
          for (int e = 0; e < 4; ++e)
            put(p.gates + group.token(p, n, row) * (4 * H) + e * H + unit, 0.f);
    }
  leave_sums(p, number, rank * U, threadIdx.x, memory.scratch, sums);
}

extern "C" __global__ void __launch_bounds__(kThreads, 1) portable_pass(const Work p) {
  for (int number = blockIdx.x / kBlocks; number < p.groups; number += p.teams)
    backward_group(p, number, blockIdx.x % kBlocks);
}
