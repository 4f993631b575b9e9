// Just enough of CUDA's vocabulary for the kernels to compile with a host compiler.
#pragma once
#include <algorithm>
#include <math.h>
#include <cstddef>
#include <cstdint>

#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(...)

struct float4 { float x, y, z, w; };
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline float __fdividef(float x, float y) { return x / y; }
inline float __expf(float x) { return expf(x); }

using std::max;

