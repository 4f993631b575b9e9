// The few operations of a GPU that the portable kernels use, by name. tests/ has a second version of
// this file that runs on the host. There is no #include: NVRTC comes without headers.

struct bfloat16 { unsigned short bits; };

__device__ __forceinline__ char* shared_memory() {
  extern __shared__ __align__(128) char memory[];
  return memory;
}

__device__ __forceinline__ void block_barrier() { __syncthreads(); }

__device__ __forceinline__ float shuffle_xor(float x, int mask) {
  return __shfl_xor_sync(~0u, x, mask);
}

// One block tells the others of its team that what it wrote before is there to be read.
__device__ __forceinline__ void signal(unsigned* arrived) {
  block_barrier();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
  }
}
// Every thread of the block waits until `count` signals have come.
__device__ __forceinline__ void await(const unsigned* arrived, unsigned count) {
  if (threadIdx.x == 0) {
    unsigned seen;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(arrived) : "memory");
    } while (seen < count);
  }
  block_barrier();
}

// What other blocks wrote during this launch: past this multiprocessor's own cache.
__device__ __forceinline__ uint4 load_shared_by_all(const void* p) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(p)
               : "memory");
  return v;
}
__device__ __forceinline__ void prefetch(const void* p) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}

// From here on the number is in a register: the compiler does not compute it anew where it is used.
__device__ __forceinline__ void settle(long long& x) { asm volatile("" : "+l"(x)); }
__device__ __forceinline__ void settle(int& x) { asm volatile("" : "+r"(x)); }

__device__ __forceinline__ unsigned as_bits(float x) { return __float_as_uint(x); }
__device__ __forceinline__ float as_float(unsigned x) { return __uint_as_float(x); }

#if MATH == TF32
__device__ __forceinline__ unsigned to_tf32(float x) {   // to the nearest, half away from zero
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return bits;
}
#endif

#if MATH != PLAIN
__device__ __forceinline__ void mma(float (&d)[4], const uint4& a, unsigned b0, unsigned b1) {
#if MATH == TF32   // A 16 x 8, B 8 x 8
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
#else              // A 16 x 16, B 16 x 8
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
#endif
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}
#endif
