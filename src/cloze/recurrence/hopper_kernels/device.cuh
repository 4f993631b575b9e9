// The few operations of the chip that the kernels use, by name. tests/ has a second version of this
// file that runs on the host, so the kernels' arithmetic can be checked where there is no GPU. There is
// no #include: NVRTC comes without headers.

using uint32_t = unsigned int;
using int64_t = long long;

struct bfloat16 { unsigned short bits; };

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

// The address in block `rank` of the cluster that corresponds to `local` in this block.
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

__device__ __forceinline__ uint32_t to_tf32(float x) {
  uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return bits;
}
__device__ __forceinline__ uint32_t as_bits(float x) { return __float_as_uint(x); }
__device__ __forceinline__ float as_float(uint32_t x) { return __uint_as_float(x); }

// d += A B on the tensor cores, A 16 x 8 and B 8 x 8; all lanes of a warp together.
__device__ __forceinline__ void mma_tf32(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                         uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
