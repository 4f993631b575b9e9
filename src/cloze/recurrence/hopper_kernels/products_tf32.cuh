// The same sums by the tensor cores: TF32 operands (a float with 10 bits of fraction), float32 sums.
// For 256 hidden units and groups of eight rows, one tile of the tensor cores' N.
//
// mma m16n8k8, lane = 4 * g + t: A holds rows g and g + 8 at k = t and t + 4, B holds k = t and t + 4
// of column g, the result rows g and g + 8 of columns 2t and 2t + 1. The order of k is ours to
// choose as long as A and B agree: lane t takes four neighbouring k's, which are one load of 16 bytes,
// for two products in a row.

// Slots of 16 bytes lie 8 to a line of banks. A quarter of a warp reads two rows (g) of four quads
// (t): moving the rows by twice the quad's number spreads them over the whole line.
__device__ __forceinline__ int spread_slot(int quad, int row) {
  return quad * 8 + (row ^ ((quad & 3) << 1));
}

struct TensorForward {
  static constexpr int H = 256;
  static constexpr int kCopies = 1;
  // Rows of A: unit u = g % 4; g < 4 holds its gates i and c, g >= 4 its f and o. After a swap with
  // lane ^ 16 each lane has all four gates of one column, that is of one sequence.
  const int t, g, half, unit, row, copy;
  uint32_t w[16][2][4];                            // [16 k's][first or second product][A]

  __device__ __forceinline__ TensorForward(int lane)
      : t(lane & 3), g(lane >> 2), half(lane >> 4), unit(g & 3), row(2 * t + half), copy(0) {}
  __device__ __forceinline__ void load(const float* W) {
    const float* low = W + size_t(half * H + unit) * H;        // gate i or f
    const float* high = W + size_t((2 + half) * H + unit) * H; // gate c or o
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const float4 a = *reinterpret_cast<const float4*>(low + k * 16 + t * 4);
      const float4 b = *reinterpret_cast<const float4*>(high + k * 16 + t * 4);
      w[k][0][0] = to_tf32(a.x), w[k][0][1] = to_tf32(b.x);
      w[k][0][2] = to_tf32(a.y), w[k][0][3] = to_tf32(b.y);
      w[k][1][0] = to_tf32(a.z), w[k][1][1] = to_tf32(b.z);
      w[k][1][2] = to_tf32(a.w), w[k][1][3] = to_tf32(b.w);
    }
  }
  static __device__ __forceinline__ int slot(int quad, int row) { return spread_slot(quad, row); }
  static __device__ __forceinline__ float rounded(float x) { return as_float(to_tf32(x)); }
  __device__ __forceinline__ void sum(const float4* h_group, float (&gates)[4]) const {
    float acc[4][4] = {};                          // four chains, so that products overlap
    // The quad that a lane reads is 4k + t, whose place within four is t for every k.
    const float4* mine = h_group + spread_slot(t, g);
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const float4 v = mine[k * 32];
      mma_tf32(acc[2 * (k & 1)], w[k][0], as_bits(v.x), as_bits(v.y));
      mma_tf32(acc[2 * (k & 1) + 1], w[k][1], as_bits(v.z), as_bits(v.w));
    }
    float low[2], high[2];                         // columns 2t and 2t + 1
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      low[e] = (acc[0][e] + acc[1][e]) + (acc[2][e] + acc[3][e]);
      high[e] = (acc[0][2 + e] + acc[1][2 + e]) + (acc[2][2 + e] + acc[3][2 + e]);
    }
    // The lower half keeps column 2t and lacks f and o; the upper keeps 2t + 1 and lacks i and c.
    const float low_other = shuffle_xor(half ? low[0] : low[1], 16);
    const float high_other = shuffle_xor(half ? high[0] : high[1], 16);
    gates[0] = half ? low_other : low[0];
    gates[1] = half ? low[1] : low_other;
    gates[2] = half ? high_other : high[0];
    gates[3] = half ? high[1] : high_other;
  }
};

struct TensorBackward {
  static constexpr int H = 256;
  // A warp computes the 32 columns that block number `warp` of the cluster owns. Quad g of them is
  // rows g and g + 8 of two tiles, so a lane ends with whole quads for rows 2t and 2t + 1.
  const int t, g, unit, row, copy, own_swap, receiver;
  const bool leads;
  uint32_t w[2][8][2][4];                          // [tile][4 units][first or second product][A]

  __device__ __forceinline__ TensorBackward(int lane, int warp)
      : t(lane & 3), g(lane >> 2), unit(g & 3), row(2 * t + (lane >> 4)), copy(0),
        own_swap(warp & 1), receiver(warp), leads((lane & 19) == 0) {}
  __device__ __forceinline__ void load(const float* W) {
#pragma unroll
    for (int k = 0; k < 8; ++k)
#pragma unroll
      for (int gate = 0; gate < 4; ++gate) {
        const float4 v = *reinterpret_cast<const float4*>(
            W + size_t(gate * H + 4 * k + t) * H + receiver * kUnits + g * 4);
        w[0][k][gate >> 1][(gate & 1) * 2] = to_tf32(v.x);
        w[0][k][gate >> 1][(gate & 1) * 2 + 1] = to_tf32(v.y);
        w[1][k][gate >> 1][(gate & 1) * 2] = to_tf32(v.z);
        w[1][k][gate >> 1][(gate & 1) * 2 + 1] = to_tf32(v.w);
      }
  }
  static __device__ __forceinline__ int slot(int unit, int row) { return spread_slot(unit, row); }
  static __device__ __forceinline__ float rounded(float x) { return as_float(to_tf32(x)); }
  static __device__ __forceinline__ float total(float x) {
    x += shuffle_xor(x, 16);
    x += shuffle_xor(x, 2);
    return x + shuffle_xor(x, 1);
  }
  __device__ __forceinline__ void send(const float4* d_group, float4* owed) const {
    float acc[2][2][4] = {};                       // [tile][chain]
    const float4* mine = d_group + spread_slot(t, g);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const float4 v = mine[k * 32];
#pragma unroll
      for (int tile = 0; tile < 2; ++tile) {
        mma_tf32(acc[tile][0], w[tile][k][0], as_bits(v.x), as_bits(v.y));
        mma_tf32(acc[tile][1], w[tile][k][1], as_bits(v.z), as_bits(v.w));
      }
    }
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const float quad[4] = {acc[0][0][e] + acc[0][1][e], acc[0][0][2 + e] + acc[0][1][2 + e],
                             acc[1][0][e] + acc[1][1][e], acc[1][0][2 + e] + acc[1][1][2 + e]};
      remote_store(owed + g * 8 + ((2 * t + e) ^ (g & 1)), receiver, quad);
    }
  }
};
