// One step of the forward pass. product: [D, B, 4H], W_h h(t-1); operand: [D, B, H], h(t).

extern "C" __global__ void __launch_bounds__(kThreads) portable_pass(const Work p) {
  const Row row(p, blockIdx.x / kBlocks);
  if (!row.exists(p)) return;
  const int unit = blockIdx.x % kBlocks * U + threadIdx.x % U, n = p.step;
  const size_t state = size_t(row.direction) * p.B + row.number;
  float product[4] = {}, c = 0.f;   // asked for before the length is there, on which all else waits
  if (n > 0) {
#pragma unroll
    for (int e = 0; e < 4; ++e) product[e] = widened(p.product[state * (4 * H) + e * H + unit]);
    c = p.carried[state * H + unit];
  }
  const float* peephole = p.peepholes + size_t(row.direction) * 3 * H + unit;
  const float w[3] = {peephole[0], peephole[H], peephole[2 * H]};
  const size_t token = row.token(p, n, row.number);
  float h = 0.f;
  if (n < row.length) {
    float gate[4];
#pragma unroll
    for (int e = 0; e < 4; ++e)
      gate[e] = widened(p.inputs[token * (4 * H) + e * H + unit]) + product[e];
    h = cell_step(gate, c, w);
    put(p.operand + state * H + unit, h);
    p.carried[state * H + unit] = c;
    if (p.gates != nullptr) {
#pragma unroll
      for (int e = 0; e < 4; ++e) put(p.gates + token * (4 * H) + e * H + unit, gate[e]);
      p.cells[token * H + unit] = c;
    }
  }
  put(p.hidden + token * H + unit, h);
}
