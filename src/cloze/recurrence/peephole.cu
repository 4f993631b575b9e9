// Launchers of the peephole LSTM's two passes, for one hidden size and one storage type, chosen when
// compiled (-DHIDDEN=256 -DSTORAGE=float). Raw pointers only; each returns a cudaError_t.
#include "device.cuh"
#include "cluster.cuh"
#include "products.cuh"
#include "products_tf32.cuh"
#include "forward.cuh"
#include "backward.cuh"

namespace {

constexpr int kBlocks = HIDDEN / kUnits;

template <typename Arguments>
cudaError_t launch(void (*kernel)(Arguments), const Arguments& p, int clusters, size_t memory,
                   cudaStream_t stream, int* resident) {
  cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           int(memory));
  if (error != cudaSuccess) return error;
  cudaLaunchAttribute cluster[1];
  cluster[0].id = cudaLaunchAttributeClusterDimension;
  cluster[0].val.clusterDim.x = kBlocks;
  cluster[0].val.clusterDim.y = 1;
  cluster[0].val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(kBlocks * clusters);
  config.blockDim = dim3(kThreads);
  config.dynamicSmemBytes = memory;
  config.stream = stream;
  config.attrs = cluster;
  config.numAttrs = 1;
  if (resident != nullptr) return cudaOccupancyMaxActiveClusters(resident, kernel, &config);
  return cudaLaunchKernelEx(&config, kernel, p);
}

int clusters_of(const Problem& p) { return (p.B + p.tile - 1) / p.tile * p.D; }

template <int R, typename Products = PlainForward<HIDDEN, R>>
cudaError_t forward(const Forward<STORAGE>& p, cudaStream_t stream) {
  return launch(forward_kernel<HIDDEN, R, STORAGE, Products>, p, clusters_of(p),
                forward_memory<HIDDEN>(p.tile, p.tile / R), stream, nullptr);
}

template <int R, typename Products = PlainBackward<HIDDEN, R>>
cudaError_t backward(const Backward<STORAGE>& p, cudaStream_t stream, int* resident = nullptr) {
  return launch(backward_kernel<HIDDEN, R, STORAGE, Products>, p, clusters_of(p),
                backward_memory<HIDDEN>(p.tile, p.tile / R), stream, resident);
}

template <typename Arguments>
void fill(Arguments& p, int T, int B, int D, int tile, unsigned reversed, const int64_t* lengths,
          const float* recurrent, const float* peepholes) {
  p.T = T, p.B = B, p.D = D, p.tile = tile, p.reversed = reversed;
  p.lengths = lengths, p.recurrent = recurrent, p.peepholes = peepholes;
}

}  // namespace

extern "C" {

const char* peephole_error(int error) { return cudaGetErrorString(cudaError_t(error)); }

// How many clusters run at once on the device with tiles of 8 sequences.
int peephole_resident_clusters(int device, int* resident) {
  const cudaError_t error = cudaSetDevice(device);
  if (error != cudaSuccess) return error;
  Backward<STORAGE> p = {};
  fill(p, 1, 8, 1, 8, 0, nullptr, nullptr, nullptr);
  return backward<8>(p, nullptr, resident);
}

// A tile has 1, 2 or 4 sequences, or a multiple of 8. With tf32 the sums over hidden units go
// through the tensor cores if the tile is a multiple of 8 and there are 256 units.
int peephole_forward(int device, void* stream, int T, int B, int D, int tile, int tf32,
                     unsigned reversed,
                     const int64_t* lengths, const float* recurrent, const float* peepholes,
                     const STORAGE* projected, STORAGE* gates, float* cells, STORAGE* hidden) {
  const cudaError_t error = cudaSetDevice(device);
  if (error != cudaSuccess) return error;
  Forward<STORAGE> p = {};
  fill(p, T, B, D, tile, reversed, lengths, recurrent, peepholes);
  p.projected = projected, p.gates = gates, p.cells = cells, p.hidden = hidden;
  const cudaStream_t s = static_cast<cudaStream_t>(stream);
#if HIDDEN == 256
  if (tf32 && tile % 8 == 0) return forward<8, TensorForward>(p, s);
#endif
  switch (tile) {
    case 1: return forward<1>(p, s);
    case 2: return forward<2>(p, s);
    case 4: return forward<4>(p, s);
    default: return tile % 8 ? cudaErrorInvalidValue : forward<8>(p, s);
  }
}

int peephole_backward(int device, void* stream, int T, int B, int D, int tile, int tf32,
                      unsigned reversed,
                      const int64_t* lengths, const float* recurrent, const float* peepholes,
                      const STORAGE* grad_hidden, const float* cells, STORAGE* gates, float* sums) {
  const cudaError_t error = cudaSetDevice(device);
  if (error != cudaSuccess) return error;
  Backward<STORAGE> p = {};
  fill(p, T, B, D, tile, reversed, lengths, recurrent, peepholes);
  p.grad_hidden = grad_hidden, p.cells = cells, p.gates = gates, p.sums = sums;
  const cudaStream_t s = static_cast<cudaStream_t>(stream);
#if HIDDEN == 256
  if (tf32 && tile % 8 == 0) return backward<8, TensorBackward>(p, s);
#endif
  switch (tile) {
    case 1: return backward<1>(p, s);
    case 2: return backward<2>(p, s);
    case 4: return backward<4>(p, s);
    default: return tile % 8 ? cudaErrorInvalidValue : backward<8>(p, s);
  }
}

}  // extern "C"
