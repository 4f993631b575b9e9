// One portable kernel, run by fibres on the host: all blocks of the launch form one "cluster".
#include "cluster_on_host.h"

struct uint4 { unsigned x, y, z, w; };
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

inline void signal(unsigned* arrived) {
  block_barrier();
  if (threadIdx.x == 0) ++*arrived, ++cluster->progress;
}
inline void await(const unsigned* arrived, unsigned count) {
  if (threadIdx.x == 0)
    while (*arrived < count) yield();
  block_barrier();
}
inline void settle(long long&) {}
inline void settle(int&) {}
inline uint4 load_shared_by_all(const void* p) { return *static_cast<const uint4*>(p); }

#if MATH == TF32
inline void mma(float (&d)[4], const uint4& a, unsigned b0, unsigned b1) {
  const uint32_t four[4] = {a.x, a.y, a.z, a.w};
  mma_tf32(d, four, b0, b1);
}
#elif MATH == BF16
// A[16][16] and B[16][8]: a word holds two neighbouring k's; otherwise as for TF32, with 2t, 2t + 1
// and 2t + 8, 2t + 9 instead of t and t + 4.
inline void mma(float (&d)[4], const uint4& a, unsigned b0, unsigned b1) {
  Meeting& meeting = cluster->warps[current->warp];
  float* slots = &cluster->operands[(current->warp * 2 + (meeting.generation & 1)) * 32 * 6];
  const unsigned words[6] = {a.x, a.y, a.z, a.w, b0, b1};
  for (int k = 0; k < 6; ++k) slots[current->lane * 6 + k] = as_float(words[k]);
  meet(meeting);
  const int g = current->lane >> 2, t = current->lane & 3;
  auto number = [&](int lane, int word, int k) {
    const unsigned bits = as_bits(slots[lane * 6 + word]);
    return as_float(k & 1 ? bits & 0xffff0000u : bits << 16);
  };
  for (int e = 0; e < 4; ++e) {
    const int row = g + (e >= 2 ? 8 : 0), column = 2 * t + (e & 1);
    for (int k = 0; k < 16; ++k)
      d[e] += number((row & 7) * 4 + (k & 7) / 2, (row >= 8) + 2 * (k >= 8), k) *
              number(column * 4 + (k & 7) / 2, 4 + (k >= 8), k);
  }
}
#endif

#include "shape.cuh"
#include "cells.cuh"
#if STEPWISE
#include "step_row.cuh"
#if FORWARD
#include "step_forward.cuh"
#else
#include "step_backward.cuh"
#endif
#elif MATH == FEW
#include "few_units.cuh"
#if FORWARD
#include "few_forward.cuh"
#else
#include "few_backward.cuh"
#endif
#else
#include "read.cuh"
#include "products.cuh"
#if FORWARD
#include "forward.cuh"
#else
#include "backward.cuh"
#endif
#endif

extern "C" int run_portable(const Work* work, int blocks, unsigned seed) {
  return run_cluster(0, blocks, kThreads, MEMORY_BYTES, seed, [&] { portable_pass(*work); }) ? 0 : 1;
}
