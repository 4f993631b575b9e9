// One step of the backward pass. operand: [D, PARTS, B, 4H / PARTS], the gradients of the gates' inputs;
// product: [D, PARTS, B, H], what each part of them gives for h(t).
constexpr int kPart = 4 * H / PARTS;
static_assert(4 * 7 * kThreads <= MEMORY_BYTES, "too little shared memory");
static_assert(7 * U <= kThreads, "each sum has a thread");

extern "C" __global__ void __launch_bounds__(kThreads) portable_pass(const Work p) {
  const int group = blockIdx.x / kBlocks, first = blockIdx.x % kBlocks * U;
  const Row row(p, group);
  const int unit = first + threadIdx.x % U, n = p.step;
  const size_t of_direction = size_t(row.direction) * PARTS * p.B + row.number;
  float dh = 0.f, dc = 0.f;         // asked for before the length is there, on which all else waits
  if (row.exists(p) && n + 1 < p.T) {
#pragma unroll
    for (int part = 0; part < PARTS; ++part)
      dh += widened(p.product[(of_direction + size_t(part) * p.B) * H + unit]);
    dc = p.carried[(size_t(row.direction) * p.B + row.number) * H + unit];
  }
  // The block's sums over its rows: each has one thread, which adds them to those of other steps.
  float* sum = p.sums + row_of_sums(p, group, threadIdx.x / U) * H + unit;
  const bool sums_up = threadIdx.x < 7 * U;
  float total = sums_up ? *sum : 0.f;
  const float* peephole = p.peepholes + size_t(row.direction) * 3 * H + unit;
  const float w[3] = {peephole[0], peephole[H], peephole[2 * H]};

  float d[4] = {}, c = 0.f, c_old = 0.f;
  if (n < row.length) {
    float held[7];
    load_cell(p, row, n, row.number, unit, held);
    c = held[4], c_old = held[5];
    if (n + 1 >= row.length) dh = dc = 0.f;
    cell_back(held, dh + held[6], dc, w, d);
    p.carried[(size_t(row.direction) * p.B + row.number) * H + unit] = dc;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const size_t place = of_direction + size_t(e * H / kPart) * p.B;
      put(p.operand + place * kPart + e * H % kPart + unit, d[e]);
    }
  }
  if (row.exists(p)) {
    STORAGE* to = p.gates + row.token(p, n, row.number) * (4 * H) + unit;
#pragma unroll
    for (int e = 0; e < 4; ++e) put(to + e * H, d[e]);
  }
  const float parts[7] = {d[0], d[1], d[2], d[3], d[0] * c_old, d[1] * c_old, d[3] * c};
  float* scratch = reinterpret_cast<float*>(shared_memory());
#pragma unroll
  for (int k = 0; k < 7; ++k) scratch[k * kThreads + threadIdx.x] = parts[k];
  block_barrier();
  if (!sums_up) return;
#pragma unroll
  for (int j = 0; j < N; ++j)
    total += scratch[threadIdx.x / U * kThreads + j * U + threadIdx.x % U];
  *sum = total;
}
