// The Hopper kernels, run by fibres on the host: one cluster after the other.
#include "cluster_on_host.h"

#include "cluster.cuh"
#include "products.cuh"
#include "products_tf32.cuh"
#include "forward.cuh"
#include "backward.cuh"

namespace {

template <typename Arguments>
int launch(void (*kernel)(const Arguments&), const Arguments& p, size_t memory) {
  const int clusters = (p.B + p.tile - 1) / p.tile * p.D;
  for (int k = clusters - 1; k >= 0; --k)
    if (!run_cluster(k, HIDDEN / kUnits, kThreads, memory, 17 * k + p.T, [&] { kernel(p); }))
      return 1;
  return 0;
}

template <int R, typename Products = PlainForward<HIDDEN, R>>
int forward(const Forward<STORAGE>& p) {
  return launch(forward_pass<HIDDEN, R, STORAGE, Products>, p,
                forward_memory<HIDDEN>(p.tile, p.tile / R));
}
template <int R, typename Products = PlainBackward<HIDDEN, R>>
int backward(const Backward<STORAGE>& p) {
  return launch(backward_pass<HIDDEN, R, STORAGE, Products>, p,
                backward_memory<HIDDEN>(p.tile, p.tile / R));
}

}  // namespace

extern "C" {

int peephole_forward(int T, int B, int D, int tile, int tf32, unsigned reversed,
                     const int64_t* lengths, const float* recurrent, const float* peepholes,
                     const STORAGE* projected, STORAGE* gates, float* cells, STORAGE* hidden) {
  Forward<STORAGE> p = {};
  p.T = T, p.B = B, p.D = D, p.tile = tile, p.reversed = reversed;
  p.lengths = lengths, p.recurrent = recurrent, p.peepholes = peepholes;
  p.projected = projected, p.gates = gates, p.cells = cells, p.hidden = hidden;
#if HIDDEN == 256
  if (tf32 && tile % 8 == 0) return forward<8, TensorForward>(p);
#endif
  return tile == 1 ? forward<1>(p) : tile == 2 ? forward<2>(p) : tile == 4 ? forward<4>(p) : forward<8>(p);
}

int peephole_backward(int T, int B, int D, int tile, int tf32, unsigned reversed,
                     const int64_t* lengths, const float* recurrent, const float* peepholes,
                      const STORAGE* grad_hidden, const float* cells, STORAGE* gates, float* sums) {
  Backward<STORAGE> p = {};
  p.T = T, p.B = B, p.D = D, p.tile = tile, p.reversed = reversed;
  p.lengths = lengths, p.recurrent = recurrent, p.peepholes = peepholes;
  p.grad_hidden = grad_hidden, p.cells = cells, p.gates = gates, p.sums = sums;
#if HIDDEN == 256
  if (tf32 && tile % 8 == 0) return backward<8, TensorBackward>(p);
#endif
  return tile == 1   ? backward<1>(p)
         : tile == 2 ? backward<2>(p)
         : tile == 4 ? backward<4>(p)
                     : backward<8>(p);
}

}  // extern "C"
