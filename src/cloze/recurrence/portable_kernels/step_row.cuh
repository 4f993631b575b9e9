// A step in a launch of its own: the products are made by cuBLAS between the launches, and a thread has
// one cell. The blocks are numbered as those of teams are, but none waits for another.
static_assert(U * N == kThreads, "each thread has a cell");

// Group of shape.cuh for the one sequence that a thread has.
struct Row {
  int direction, number, length;
  bool reversed;

  __device__ __forceinline__ Row(const Work& p, int group)
      : direction(group % p.D), number(group / p.D * N + threadIdx.x / U), length(0),
        reversed((p.reversed >> direction) & 1u) {
    if (number >= p.B) return;
    const long long asked = p.lengths[number];
    length = int(asked < 0 ? 0 : asked > p.T ? p.T : asked);
  }
  __device__ __forceinline__ bool exists(const Work& p) const { return number < p.B; }
  __device__ __forceinline__ size_t token(const Work& p, int step, int row) const {
    const int position = reversed && step < length ? length - 1 - step : step;
    return (size_t(position) * p.B + row) * p.D + direction;
  }
};
