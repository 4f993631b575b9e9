// Few units, done by one block without the detour through L2: what a step hands on to the next stays in
// shared memory, and the weights stay in registers. Four neighbouring threads have a unit. They share
// the sums of its products by shuffles, and then the N rows: with fewer than four rows, several threads
// do the same cell, so that each of them has all that the next step needs.
static_assert(N == 1 || N == 2 || N == 4, "four threads share the rows");
constexpr int kReplicas = 4 / N;
constexpr int kAhead = 6;         // steps between asking for something from memory and using it

// Of two sums, a lane keeps that of its own bit, and gets its partner's part of it.
__device__ __forceinline__ float kept_of(int lane, float zero, float one, int mask) {
  const bool bit = lane & mask;
  return (bit ? one : zero) + shuffle_xor(bit ? zero : one, mask);
}

// The sums of all rows over the lanes that differ in two bits; a lane keeps that of its own row.
__device__ __forceinline__ float kept_row(int lane, const float (&sums)[N], int low, int high) {
  if (N == 1) {
    const float half = sums[0] + shuffle_xor(sums[0], low);
    return half + shuffle_xor(half, high);
  }
  const float half = kept_of(lane, sums[0], sums[1 % N], low);
  if (N == 2) return half + shuffle_xor(half, high);
  return kept_of(lane, half, kept_of(lane, sums[2 % N], sums[3 % N], low), high);
}

// What a thread has: one unit, one row, and its number among those that have both.
struct Cell {
  int unit, row, replica, length;
  bool multiplies, exists;        // threads beyond the fourth of each unit have nothing

  __device__ __forceinline__ Cell(const Work& p, const Group& group, int unit, int quarter)
      : unit(unit), row(quarter % N), replica(quarter / N),
        multiplies(4 * H == kThreads || threadIdx.x < 4 * H),
        exists(multiplies && group.first + row < p.B) {
    length = exists ? group.lengths[row] : 0;
    settle(replica);
  }
  // Of four things, one for each gate, this thread fetches or stores N: number k is that of this gate.
  __device__ __forceinline__ int own(int k) const { return k * kReplicas + replica; }
  __device__ __forceinline__ float picked(const float (&of)[4], int k) const {
    float found = of[k * kReplicas];
#pragma unroll
    for (int r = 1; r < kReplicas; ++r)
      if (replica == r) found = of[k * kReplicas + r];
    return found;
  }
  // How many numbers lie between two steps of its sequence, where a token has H.
  __device__ __forceinline__ long long stride(const Work& p, const Group& group) const {
    const long long numbers = (long long)(p.B) * p.D * H;
    return group.reversed ? -numbers : numbers;
  }
};
