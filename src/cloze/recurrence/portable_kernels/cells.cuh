// What one cell does in a step of either pass, whichever kernel it belongs to.

// A thread's cells are done in batches: what they need is asked for at once, and before the batch before.
constexpr int kBatch = smaller(kCells, 4), kBatches = kCells / kBatch;
__device__ __forceinline__ int cell_of(int batch, int b) {
  return threadIdx.x + (batch * kBatch + b) * kThreads;
}

// One cell's step: its gates' inputs become the gates; returns h.
__device__ __forceinline__ float cell_step(float (&gate)[4], float& c, const float (&w)[3]) {
  gate[0] = sigmoid(gate[0] + w[0] * c);
  gate[1] = sigmoid(gate[1] + w[1] * c);
  gate[2] = tanhf(gate[2]);
  c = gate[1] * c + gate[0] * gate[2];
  gate[3] = sigmoid(gate[3] + w[2] * c);
  return gate[3] * tanhf(c);
}

// What a cell's step needs: i, f, g, o, c(t), c(t-1), dL/dh(t) from above.
template <typename Rows>
__device__ __forceinline__ void load_cell(const Work& p, const Rows& group, int n, int row, int unit,
                                          float (&held)[7]) {
  const size_t token = group.token(p, n, row);
#pragma unroll
  for (int e = 0; e < 4; ++e) held[e] = widened(p.gates[token * (4 * H) + e * H + unit]);
  held[4] = p.cells[token * H + unit];
  held[5] = n > 0 ? p.cells[group.token(p, n - 1, row) * H + unit] : 0.f;
  held[6] = widened(p.inputs[token * H + unit]);
}

// The gradients of the gates' inputs; dc passes on to the step before.
__device__ __forceinline__ void cell_back(const float (&held)[7], float dh, float& dc,
                                          const float (&w)[3], float (&d)[4]) {
  const float i = held[0], f = held[1], g = held[2], o = held[3], c = held[4], c_old = held[5];
  const float y = tanhf(c);
  d[3] = dh * y * o * (1.f - o);
  const float all = dc + dh * o * (1.f - y * y) + d[3] * w[2];
  d[0] = all * g * i * (1.f - i);
  d[1] = all * c_old * f * (1.f - f);
  d[2] = all * i * (1.f - g * g);
  dc = all * f + d[0] * w[0] + d[1] * w[1];
}

// The sums of a group's threads, for each unit: the gradients of the bias and the peepholes. `first`
// is the block's first unit, `place` a number of the thread's own that is its unit, modulo U.
__device__ __forceinline__ void leave_sums(const Work& p, int number, int first, int place,
                                           float* scratch, const float (&sums)[7]) {
  block_barrier();
#pragma unroll
  for (int k = 0; k < 7; ++k) scratch[k * kThreads + place] = sums[k];
  block_barrier();
  if (threadIdx.x < U)
    for (int k = 0; k < 7; ++k) {
      float total = 0.f;
      for (int j = threadIdx.x; j < kThreads; j += U) total += scratch[k * kThreads + j];
      p.sums[row_of_sums(p, number, k) * H + first + threadIdx.x] = total;
    }
}
