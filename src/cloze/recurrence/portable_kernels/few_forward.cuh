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

__device__ __forceinline__ void load_inputs(const STORAGE* from, float (&inputs)[4]) {
#pragma unroll
  for (int e = 0; e < 4; ++e) inputs[e] = widened(from[e * H]);
}

// What h contributes to the gates of the thread's cell; h from its own quarter on.
__device__ __forceinline__ void multiply(int lane, const float (&weights)[4][4 * kQuads],
                                         const float* h, float (&gate)[4]) {
  float sums[4][N] = {};
#pragma unroll
  for (int row = 0; row < N; ++row)
#pragma unroll
    for (int quad = 0; quad < kQuads; ++quad) {
      const float4 four =
          *reinterpret_cast<const float4*>(h + row * H + quad * 16);
      const float x[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int e = 0; e < 4; ++e)
          sums[e][row] = fmaf(weights[e][quad * 4 + i], x[i], sums[e][row]);
    }
#pragma unroll
  for (int e = 0; e < 4; ++e) gate[e] = kept_row(lane, sums[e], 1, 2);
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
  // Where the cell's next inputs, and its gates, c and h lie; with each step they all move on.
  int lane = threadIdx.x % 32, quarter = threadIdx.x % 4 * 4, place = row * H + unit;
  long long stride = cell.stride(p, group), ahead = (kAhead - 1) * 4 * stride + cell.replica * H;
  settle(lane), settle(quarter), settle(place), settle(stride), settle(ahead);
  const size_t token = length > 0 ? group.token(p, 0, row) : 0;
  const STORAGE* from = p.inputs + token * (4 * H) + unit;
  STORAGE* gates = p.gates + token * (4 * H) + cell.replica * H + unit;
  STORAGE* hidden = p.hidden + token * H + unit;
  float* cells = p.cells + token * H + unit;
  float *before = memory.h, *after = before + N * H;
  float c = 0.f, inputs[4] = {};
  if (length > 0) load_inputs(from, inputs);
  from += 4 * stride;

  for (int n = 0; n < group.steps; ++n) {
    // h of the step before is there, and the one before that was read; so were this step's inputs by
    // all who have the cell, one of whom may store its gates in their place.
    block_barrier();
    float gate[4] = {};
    if (n > 0 && cell.multiplies) multiply(lane, weights, before + quarter, gate);
    if (n < length) {
#pragma unroll
      for (int e = 0; e < 4; ++e) gate[e] += inputs[e];
      if (n + 1 < length) load_inputs(from, inputs);
      if (n + kAhead < length)
#pragma unroll
        for (int k = 0; k < N; ++k) prefetch(from + ahead + k * kReplicas * H);
      const float h = cell_step(gate, c, w);
      if (cell.replica == 0) {
        after[place] = h;
        put(hidden, h);
      }
      if (p.gates != nullptr) {
#pragma unroll
        for (int k = 0; k < N; ++k) put(gates + k * kReplicas * H, cell.picked(gate, k));
        if (cell.replica == kReplicas - 1) *cells = c;
      }
      from += 4 * stride, gates += 4 * stride, hidden += stride, cells += stride;
    } else if (cell.exists && cell.replica == 0) {
      put(p.hidden + group.token(p, n, row) * H + unit, 0.f);
    }
    float* const old = before;
    before = after, after = old;
  }
  if (cell.exists && cell.replica == 0)
    for (int n = group.steps; n < p.T; ++n)
      put(p.hidden + group.token(p, n, row) * H + unit, 0.f);
}

extern "C" __global__ void __launch_bounds__(kThreads, 1) portable_pass(const Work p) {
  for (int number = blockIdx.x; number < p.groups; number += p.teams) forward_group(p, number);
}
