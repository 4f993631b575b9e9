// The backward pass: gradients of the gates' inputs, from the last step of each sequence to its
// first. The gradients of W_h are left to one large matrix product afterwards; those of the bias
// and the peepholes are summed here, since every factor is at hand.

template <typename S>
struct Backward : Problem {
  const S* grad_hidden;           // [T, B, D, H]
  const float* cells;             // [T, B, D, H]
  S* gates;                       // [T, B, D, 4H], activated gates in, gradients of their inputs out
  float* sums;                    // [tiles, 7 D, H]: of the bias [D, 4], then of the peepholes [D, 3]
};

template <int H>
constexpr size_t backward_memory(int tile, int groups) {
  return sizeof(float) * (2 * size_t(tile) * H + tile * 4 * kUnits + groups * kThreads) +
         sizeof(int) * (tile + groups);
}

template <int H, int R, typename S, typename Products>
__device__ __forceinline__ void backward_pass(const Backward<S>& p) {
  constexpr int C = H / kUnits;
  const int rank = blockIdx.x % C, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  Products products(lane, warp);
  const int row = products.row, copy = products.copy, own = warp * 4 + products.unit;
  const int unit = rank * kUnits + own;

  // What the blocks send each other: [2 buffers][sender][group][quad of the receiver's units][R rows].
  float4* dh_parts = reinterpret_cast<float4*>(shared_memory());
  const int groups = p.tile / R, part = p.tile * (kUnits / 4), buffer = C * part;
  float4* d_gates = dh_parts + 2 * buffer;         // [group][unit][R rows], a float4 of four gates
  float* dc_state = reinterpret_cast<float*>(d_gates + p.tile * kUnits);   // [group][thread], private
  const Tile tile =
      make_tile<R>(p, blockIdx.x / C, reinterpret_cast<int*>(dc_state + groups * kThreads));
  for (int k = threadIdx.x; k < 2 * buffer; k += kThreads) dh_parts[k] = make_float4(0, 0, 0, 0);
  for (int group = 0; group < groups; ++group) dc_state[group * kThreads + threadIdx.x] = 0.f;

  products.load(p.recurrent + (size_t(tile.direction) * 4 * H + rank * kUnits) * H);
  const float* peephole = p.peepholes + size_t(tile.direction) * 3 * H + unit;
  const float w_ci = peephole[0], w_cf = peephole[H], w_co = peephole[2 * H];

  float sums[7] = {};
  float next[7] = {};                              // i, f, g, o, c(t), c(t-1), dL/dh(t)
  auto load = [&](int n, int group) {
    const int length = tile.lengths[group * R + row];
    if (n >= 0 && n < length) {
      const size_t token = tile.token(p, tile.position(n, length), group * R + row);
#pragma unroll
      for (int gate = 0; gate < 4; ++gate)
        next[gate] = to_float(p.gates[token * (4 * H) + gate * H + unit]);
      next[4] = p.cells[token * H + unit];
      next[5] = n > 0 ? p.cells[tile.token(p, tile.position(n - 1, length), group * R + row) * H + unit]
                      : 0.f;
      next[6] = to_float(p.grad_hidden[token * H + unit]);
    }
  };
  load(tile.steps - 1, 0);
  cluster_arrive();
  cluster_wait();

  for (int n = tile.steps - 1; n >= 0; --n) {
    const float4* dh_old = dh_parts + (n & 1) * buffer;
    float4* dh_new = dh_parts + (~n & 1) * buffer;
    if (groups == 1 && threadIdx.x < 24 * R) {
      const int r = threadIdx.x / 24, piece = threadIdx.x % 24, ahead = n - kLookAhead;
      if (ahead >= 0 && ahead < tile.lengths[r]) {
        const size_t token = tile.token(p, tile.position(ahead, tile.lengths[r]), r);
        const int part_unit = rank * kUnits + (piece & 3) * 8;
        if (piece < 16) prefetch(p.gates + token * (4 * H) + (piece >> 2) * H + part_unit);
        else if (piece < 20) prefetch(p.grad_hidden + token * H + part_unit);
        else prefetch(p.cells + token * H + part_unit);
      }
    }
    for (int group = 0; group < groups; ++group) {
      const int length = tile.lengths[group * R + row];
      const float i = next[0], f = next[1], g = next[2], o = next[3];
      const float c = next[4], c_old = next[5], dh_out = next[6];
      if (group + 1 < groups) load(n, group + 1);
      else load(n - 1, 0);

      float di = 0.f, df = 0.f, dg = 0.f, d_o = 0.f;
      if (n < tile.longest[group]) {
        if (n < length) {
          float dh = 0.f;
          const float* owed = reinterpret_cast<const float*>(
                                  dh_old + (group * (kUnits / 4) + warp) * R +
                                  (row ^ products.own_swap)) +
                              products.unit;
#pragma unroll
          for (int k = 0; k < C; ++k) dh += owed[k * part * 4];
          dh += dh_out;
          const float y = tanhf(c);
          d_o = dh * y * o * (1.f - o);
          const float dc = dc_state[group * kThreads + threadIdx.x] + dh * o * (1.f - y * y) + d_o * w_co;
          di = dc * g * i * (1.f - i);
          df = dc * c_old * f * (1.f - f);
          dg = dc * i * (1.f - g * g);
          dc_state[group * kThreads + threadIdx.x] = dc * f + di * w_ci + df * w_cf;
          sums[0] += di, sums[1] += df, sums[2] += dg, sums[3] += d_o;
          sums[4] = fmaf(di, c_old, sums[4]);
          sums[5] = fmaf(df, c_old, sums[5]);
          sums[6] = fmaf(d_o, c, sums[6]);
        }
        if (copy == 0)
          d_gates[group * kUnits * R + Products::slot(own, row)] =
              make_float4(Products::rounded(di), Products::rounded(df), Products::rounded(dg),
                          Products::rounded(d_o));
      }
      if (copy == 0 && tile.first + group * R + row < p.B) {
        S* out = p.gates + tile.token(p, tile.position(n, length), group * R + row) * (4 * H) + unit;
        put(out, di), put(out + H, df), put(out + 2 * H, dg), put(out + 3 * H, d_o);
      }
    }
    if (n > 0) {
      block_barrier();                             // every unit's gate gradients are in d_gates
      for (int group = 0; group < groups; ++group)
        if (n < tile.longest[group])
          products.send(d_gates + group * kUnits * R,
                        dh_new + rank * part + group * (kUnits / 4) * R);
    }
    cluster_arrive();
    cluster_wait();
  }

  if (copy == 0)
    for (int group = 0; group < groups; ++group)
      if (tile.first + group * R + row < p.B)
        for (int n = tile.steps; n < p.T; ++n)
          for (int gate = 0; gate < 4; ++gate)
            put(p.gates + tile.token(p, n, group * R + row) * (4 * H) + gate * H + unit, 0.f);

  const int direction = blockIdx.x / C % p.D;
  float* left = p.sums + size_t(blockIdx.x / C / p.D) * 7 * p.D * H + unit;
#pragma unroll
  for (int k = 0; k < 7; ++k) {
    const float total = products.total(sums[k]);
    const int at = k < 4 ? direction * 4 + k : p.D * 4 + direction * 3 + k - 4;
    if (products.leads) left[at * H] = total;
  }
}
