// A thread-block cluster on one host thread: each GPU thread is a fibre that yields at barriers and
// shuffles. Shared memory starts as NaN, fibres run in a shuffled order, and a barrier that not all
// threads reach is reported instead of hanging. It stands in for the kernels' device.cuh.
#pragma once
#include <ucontext.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "cuda_runtime.h"

struct Index { int x; };
struct bfloat16 { unsigned short bits; };

struct Meeting {                       // a barrier that can be reused at once
  int expected = 0, arrived = 0;
  long generation = 0;
  void arrive();
};

struct Fibre {
  ucontext_t context;
  std::vector<char> stack;
  Index thread, block;
  int rank, lane, warp;
  long cluster_ticket = 0;
  bool finished = false;
};

struct Cluster {
  int blocks = 0;
  std::vector<Fibre> fibres;
  std::vector<std::vector<float4>> memory;
  std::vector<Meeting> warps, block_meetings;
  std::vector<float> shuffled;         // [warp of the cluster][2][32]
  std::vector<float> operands;         // [warp of the cluster][2][32][6], A and B of a product
  Meeting all;
  ucontext_t scheduler;
  std::function<void()> body;
  long progress = 0;
};

inline Cluster* cluster = nullptr;
inline Fibre* current = nullptr;
#define threadIdx (current->thread)
#define blockIdx (current->block)

inline void Meeting::arrive() {
  ++cluster->progress;
  if (++arrived == expected) arrived = 0, ++generation;
}
inline void yield() { swapcontext(&current->context, &cluster->scheduler); }
inline void meet(Meeting& meeting) {
  const long ticket = meeting.generation;
  meeting.arrive();
  while (meeting.generation == ticket) yield();
}

inline char* shared_memory() {
  return reinterpret_cast<char*>(cluster->memory[current->rank].data());
}
inline void block_barrier() { meet(cluster->block_meetings[current->rank]); }
inline void cluster_arrive() {
  current->cluster_ticket = cluster->all.generation;
  cluster->all.arrive();
}
inline void cluster_wait() {
  while (cluster->all.generation == current->cluster_ticket) yield();
}
inline float shuffle_xor(float x, int mask) {
  Meeting& meeting = cluster->warps[current->warp];
  float* slots = &cluster->shuffled[(current->warp * 2 + (meeting.generation & 1)) * 32];
  slots[current->lane] = x;
  meet(meeting);
  return slots[current->lane ^ mask];
}
inline uint32_t as_bits(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return bits;
}
inline float as_float(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}
inline uint32_t to_tf32(float x) { return x == x ? (as_bits(x) + 0x1000u) & 0xffffe000u : as_bits(x); }
// d += A B over a warp: A[16][8] has rows g, g + 8 at k = t, t + 4 on lane 4g + t; B[8][8] k = t,
// t + 4 of column g; d rows g, g + 8 of columns 2t, 2t + 1.
inline void mma_tf32(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  Meeting& meeting = cluster->warps[current->warp];
  float* slots = &cluster->operands[(current->warp * 2 + (meeting.generation & 1)) * 32 * 6];
  for (int k = 0; k < 4; ++k) slots[current->lane * 6 + k] = as_float(a[k] & 0xffffe000u);
  slots[current->lane * 6 + 4] = as_float(b0 & 0xffffe000u);
  slots[current->lane * 6 + 5] = as_float(b1 & 0xffffe000u);
  meet(meeting);
  const int g = current->lane >> 2, t = current->lane & 3;
  for (int e = 0; e < 4; ++e) {
    const int row = g + (e >= 2 ? 8 : 0), column = 2 * t + (e & 1);
    for (int k = 0; k < 8; ++k) {
      const float x = slots[((row & 7) * 4 + (k & 3)) * 6 + (row >= 8) + 2 * (k >= 4)];
      d[e] += x * slots[(column * 4 + (k & 3)) * 6 + 4 + (k >= 4)];
    }
  }
}
template <typename T>
T* remote(T* local, int rank) {
  const size_t offset = reinterpret_cast<char*>(local) - shared_memory();
  return reinterpret_cast<T*>(reinterpret_cast<char*>(cluster->memory[rank].data()) + offset);
}
inline void remote_store(float* local, int rank, float x) { *remote(local, rank) = x; }
inline void remote_store(float4* local, int rank, const float (&x)[4]) {
  *remote(local, rank) = make_float4(x[0], x[1], x[2], x[3]);
}
inline void prefetch(const void*) {}

inline void fibre_entry() {
  cluster->body();
  current->finished = true;
  ++cluster->progress;
  yield();
}

// Runs body() on blocks * threads fibres. Returns false if they can never all finish.
inline bool run_cluster(int number, int blocks, int threads, size_t bytes, unsigned seed,
                        const std::function<void()>& body) {
  Cluster c;
  cluster = &c;
  c.blocks = blocks;
  c.body = body;
  c.memory.resize(blocks);
  for (auto& block : c.memory) {
    block.resize((bytes + 15) / 16);
    std::memset(static_cast<void*>(block.data()), 0xff, block.size() * sizeof(float4));
  }
  c.block_meetings.resize(blocks);
  for (auto& meeting : c.block_meetings) meeting.expected = threads;
  c.warps.resize(blocks * threads / 32);
  for (auto& meeting : c.warps) meeting.expected = 32;
  c.shuffled.resize(c.warps.size() * 64);
  c.operands.resize(c.warps.size() * 64 * 6);
  c.all.expected = blocks * threads;
  c.fibres.resize(blocks * threads);
  std::vector<Fibre*> order;
  for (int k = 0; k < blocks * threads; ++k) {
    Fibre& fibre = c.fibres[k];
    fibre.rank = k / threads, fibre.thread.x = k % threads;
    fibre.block.x = number * blocks + fibre.rank;
    fibre.lane = k % 32, fibre.warp = k / 32;
    fibre.stack.resize(32768);
    getcontext(&fibre.context);
    fibre.context.uc_stack.ss_sp = fibre.stack.data();
    fibre.context.uc_stack.ss_size = fibre.stack.size();
    fibre.context.uc_link = nullptr;
    makecontext(&fibre.context, fibre_entry, 0);
    order.push_back(&fibre);
  }
  std::mt19937 shuffle(seed);
  std::shuffle(order.begin(), order.end(), shuffle);
  for (size_t running = order.size(); running > 0;) {
    const long before = c.progress;
    running = 0;
    for (Fibre* fibre : order) {
      if (fibre->finished) continue;
      current = fibre;
      swapcontext(&c.scheduler, &fibre->context);
      running += !fibre->finished;
    }
    if (running > 0 && c.progress == before) return false;
  }
  return true;
}
