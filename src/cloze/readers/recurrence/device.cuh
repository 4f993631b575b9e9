// The few operations of the chip that the kernels use, by name. tests/ has a second version of this
// file that runs on the host, so the kernels' arithmetic can be checked where there is no GPU.
#pragma once

#include <stdint.h>

__device__ __forceinline__ char* shared_memory() {
  extern __shared__ __align__(128) char memory[];
  return memory;
}

__device__ __forceinline__ void block_barrier() { __syncthreads(); }

// Every thread of every block of the cluster must call the two equally often, in turn.
__device__ __forceinline__ void cluster_arrive() {
  __syncwarp();
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ __forceinline__ float shuffle_xor(float x, int mask) {
  return __shfl_xor_sync(0xffffffffu, x, mask);
}

// The address in block `rank` of the cluster of what lies at `local` in this block.
__device__ __forceinline__ uint32_t remote(const void* local, int rank) {
  uint32_t address;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(address)
      : "r"(uint32_t(__cvta_generic_to_shared(local))), "r"(rank));
  return address;
}
__device__ __forceinline__ void remote_store(float* local, int rank, float x) {
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(remote(local, rank)), "f"(x) : "memory");
}
__device__ __forceinline__ void remote_store(float4* local, int rank, const float (&x)[4]) {
  asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(remote(local, rank)),
               "f"(x[0]), "f"(x[1]), "f"(x[2]), "f"(x[3])
               : "memory");
}

__device__ __forceinline__ void prefetch(const void* p) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}
