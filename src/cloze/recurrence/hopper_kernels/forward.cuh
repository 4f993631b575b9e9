// The forward pass: h(t) of every unit, and what the backward pass will need.

template <typename S>
struct Forward : Problem {
  const S* projected;             // [T, B, D, 4H], the inputs' share of the gates, bias included
  S* gates;                       // [T, B, D, 4H], activated; may be `projected` itself, or null
  float* cells;                   // [T, B, D, H], c(t); null together with gates
  S* hidden;                      // [T, B, D, H], h(t)
};

template <int H>
constexpr size_t forward_memory(int tile, int groups) {
  return sizeof(float) * (2 * size_t(tile) * H + groups * kThreads) + sizeof(int) * (tile + groups);
}

template <int H, int R, typename S, typename Products>
__device__ __forceinline__ void forward_pass(const Forward<S>& p) {
  constexpr int C = H / kUnits;                    // blocks in the cluster
  const int rank = blockIdx.x % C, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  Products products(lane);                         // each lane ends with all gates of one row
  const int row = products.row, copy = products.copy;
  const int quad = rank * (kUnits / 4) + warp, unit = quad * 4 + products.unit;

  // h: [2 buffers][group][quad of units][R rows] float4, which a warp reads without bank conflicts
  // and writes as one contiguous piece (a quad's rows in an order of Products' own).
  float4* h = reinterpret_cast<float4*>(shared_memory());
  const int groups = p.tile / R, buffer = p.tile * (H / 4);
  float* c_state = reinterpret_cast<float*>(h + 2 * buffer);   // [group][thread], private
  const Tile tile =
      make_tile<R>(p, blockIdx.x / C, reinterpret_cast<int*>(c_state + groups * kThreads));

  products.load(p.recurrent + (size_t(tile.direction) * 4 * H + quad * 4) * H);
  const float* peephole = p.peepholes + size_t(tile.direction) * 3 * H + unit;
  const float w_ci = peephole[0], w_cf = peephole[H], w_co = peephole[2 * H];

  float next[4] = {0.f, 0.f, 0.f, 0.f};            // projected inputs, loaded one group ahead
  auto load = [&](int n, int group) {
    const int length = tile.lengths[group * R + row];
    if (n < length) {
      const S* x =
          p.projected + tile.token(p, tile.position(n, length), group * R + row) * (4 * H) + unit;
#pragma unroll
      for (int gate = 0; gate < 4; ++gate) next[gate] = to_float(x[gate * H]);
    }
  };
  load(0, 0);
  cluster_arrive();                                // every block has started: its memory may be written
  cluster_wait();

  for (int n = 0; n < tile.steps; ++n) {
    const float4* h_old = h + (n & 1) * buffer;
    float4* h_new = h + (~n & 1) * buffer;
    if (groups == 1 && threadIdx.x < 16 * R) {     // short steps would wait for device memory
      const int r = threadIdx.x >> 4, piece = threadIdx.x & 15, ahead = n + kLookAhead;
      if (ahead < tile.lengths[r])
        prefetch(p.projected + tile.token(p, tile.position(ahead, tile.lengths[r]), r) * (4 * H) +
                 (piece >> 2) * H + rank * kUnits + (piece & 3) * 8);
    }
    for (int group = 0; group < groups; ++group) {
      const int length = tile.lengths[group * R + row];
      const float x_i = next[0], x_f = next[1], x_c = next[2], x_o = next[3];
      if (group + 1 < groups) load(n, group + 1);
      else load(n + 1, 0);

      float i = 0.f, f = 0.f, g = 0.f, o = 0.f, c = 0.f, h_t = 0.f;
      if (n < tile.longest[group]) {
        float sums[4] = {};
        if (n > 0) products.sum(h_old + group * (H / 4) * R, sums);
        if (n < length) {
          const float c_old = n > 0 ? c_state[group * kThreads + threadIdx.x] : 0.f;
          i = sigmoid(x_i + sums[0] + w_ci * c_old);
          f = sigmoid(x_f + sums[1] + w_cf * c_old);
          g = tanhf(x_c + sums[2]);
          c = f * c_old + i * g;
          o = sigmoid(x_o + sums[3] + w_co * c);
          h_t = o * tanhf(c);
        }
        c_state[group * kThreads + threadIdx.x] = c;
        // Lanes that hold the same row share the work of sending it to the blocks.
        float* mine = reinterpret_cast<float*>(h_new + group * (H / 4) * R + Products::slot(quad, row)) +
                      products.unit;
        const float told = Products::rounded(h_t);
#pragma unroll
        for (int k = 0; k < (C + Products::kCopies - 1) / Products::kCopies; ++k)
          if (copy + k * Products::kCopies < C) remote_store(mine, copy + k * Products::kCopies, told);
      }
      if (group + 1 == groups) cluster_arrive();   // before the slow stores, which nobody waits for
      if (copy == 0 && tile.first + group * R + row < p.B) {
        const size_t token = tile.token(p, tile.position(n, length), group * R + row);
        put(p.hidden + token * H + unit, h_t);
        if (p.gates != nullptr && n < length) {
          S* out = p.gates + token * (4 * H) + unit;
          put(out, i), put(out + H, f), put(out + 2 * H, g), put(out + 3 * H, o);
          p.cells[token * H + unit] = c;
        }
      }
    }
    cluster_wait();
  }

  if (copy == 0)                                   // padding beyond the tile's longest sequence
    for (int group = 0; group < groups; ++group)
      if (tile.first + group * R + row < p.B)
        for (int n = tile.steps; n < p.T; ++n)
          put(p.hidden + tile.token(p, n, group * R + row) * H + unit, 0.f);
}
