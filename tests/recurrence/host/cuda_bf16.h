// bfloat16 as CUDA names it: the upper half of a float, rounded to nearest even.
#pragma once
#include <cstdint>
#include <cstring>

struct __nv_bfloat16 { uint16_t bits; };
inline float __bfloat162float(__nv_bfloat16 x) {
  const uint32_t wide = uint32_t(x.bits) << 16;
  float y;
  std::memcpy(&y, &wide, sizeof y);
  return y;
}
inline __nv_bfloat16 __float2bfloat16(float x) {
  uint32_t wide;
  std::memcpy(&wide, &x, sizeof wide);
  return {uint16_t((wide + 0x7fffu + ((wide >> 16) & 1u)) >> 16)};
}
