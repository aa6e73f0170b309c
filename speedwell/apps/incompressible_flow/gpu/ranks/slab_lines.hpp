// The tridiagonal systems along z of planes that are divided among slabs, one for each rank, without moving the planes'
// modes: a slab solves its rows as if the unknowns beside it were 0, tells the others what its first and its last
// unknown are then, finds from those of all slabs the unknowns beside it (slab_coupling.hpp), and corrects its own. For
// CUDA sources only.
#pragma once

#include <cstdint>

#include "speedwell/apps/incompressible_flow/gpu/direct/lines.hpp"
#include "speedwell/comm/gpu/peer_flags.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::incompressible_flow::gpu {

/// The number of the part of a step that a kernel belongs to, counted from 1 on since the construction of the solver.
/// The count of steps is in device memory, so that a recorded step can be replayed.
struct PartNumber {
  const unsigned long long* steps = nullptr;  // with the present one
  int part = 0;
#ifdef __CUDACC__
  __device__ unsigned long long get() const {
    return 3 * *static_cast<const volatile unsigned long long*>(steps) + static_cast<unsigned long long>(part) - 2;
  }
#endif
};

/// The unknowns at the ends of the slabs in the memory of all ranks, where kernels store and wait for them.
struct SlabMessages {
  static constexpr int max_ranks = 16;

  // Words of each rank: [number % 2][from][line][value][half]. Each of 8 bytes carries 4 of a value and the number of
  // the part of a step, so that the data is its own signal (the low-latency protocol of NCCL). Two sets are enough: a
  // rank that begins a part has the words of all ranks of the part before, which they send after that before it.
  unsigned long long* words[max_ranks] = {};
  PartNumber number;
  unsigned long long* tickets = nullptr;  // of blocks, for an order that is the same on all ranks
  int* timed_out = nullptr;               // set if a rank did not come
  unsigned long long* waited = nullptr;   // nanoseconds, added up over the blocks that wait
};

template <class T>
struct SlabLines {
  Lines<T>
      lines;  // nz is the number of planes of this slab. The spectrum has a plane more with a slab above: its first
  int rank = 0, ranks = 1;
  bool has_first = false, has_above = false;  // the box's first plane is here; a slab above
  T* coupling = nullptr;                      // [below, above][2 ranks][matrix][line]
  T* ends = nullptr;                          // without messages: what this slab tells, [line][first, last][system]
  const T* all_ends = nullptr;                // the same of all ranks
  bool has_messages = false;
  SlabMessages messages;

  bool has_cosines() const { return lines.cosine_x || lines.cosine_y; }
  /// Lines that one thread solves, or a warp, the systems of one, and their different matrices.
  SPEEDWELL_HD
  std::int64_t all_lines() const {
    return std::int64_t{lines.cosine_y ? lines.ny / 2 + 1 : lines.ny} * (lines.nx / 2 + 1);
  }
  int systems() const { return has_cosines() ? 4 : 2; }
  int matrices() const { return has_cosines() ? 4 : lines.pairs_of_modes ? 2 : 1; }
  /// The unknowns that a slab tells each other.
  std::int64_t ends_count() const { return all_lines() * 2 * systems(); }
};

/// Whether warps solve these systems, which need no workspace then, and in how many blocks.
template <class T>
bool is_for_warps(const SlabLines<T>& slab);
template <class T>
std::int64_t warp_blocks(const SlabLines<T>& slab);
/// The number of elements of lines.work.
template <class T>
std::int64_t slab_line_work(const SlabLines<T>& slab);

/// The number of blocks that wait for messages in a solution.
template <class T>
std::int64_t waiting_blocks(const SlabLines<T>& slab);

/// The rows of the whole box.
template <class T>
struct SlabRows {
  int count = 0;
  const T *low = nullptr, *high = nullptr;
  bool periodic = false;
};
/// Enqueues the computation of `coupling`, which every rank does by itself from the mesh. `work`: coupling_work()
/// numbers.
template <class T>
void enqueue_coupling(const SlabLines<T>& slab, const SlabRows<T>& rows, double* work, const core::Stream& stream);
template <class T>
std::int64_t coupling_work(const SlabLines<T>& slab);

/// Enqueues the solution where the ends of all slabs travel in between: the first writes `ends` or sends messages, the
/// second reads `all_ends` or waits for messages. The solution includes the plane above.
template <class T>
void enqueue_ends(const SlabLines<T>& slab, const core::Stream& stream);
template <class T>
void enqueue_solution(const SlabLines<T>& slab, const core::Stream& stream);

/// Enqueues both by warps (slab_warp_lines.cu): with messages in one kernel, by the second call.
template <class T>
void enqueue_ends_in_warps(const SlabLines<T>& slab, const core::Stream& stream);
template <class T>
void enqueue_solution_in_warps(const SlabLines<T>& slab, const core::Stream& stream);

#ifdef __CUDACC__

/// Words of 8 bytes of a value.
template <class T>
constexpr int words_of = sizeof(T) / 4;

template <class T>
__device__ __forceinline__ unsigned long long word_of(T value, int half, unsigned number) {
  if constexpr (sizeof(T) == 8) {
    const auto bits = static_cast<unsigned long long>(__double_as_longlong(value));
    return (half == 0 ? bits << 32 : bits & 0xffffffff00000000ull) | number;
  } else {
    return static_cast<unsigned long long>(__float_as_uint(value)) << 32 | number;
  }
}
template <class T>
__device__ __forceinline__ T value_of(unsigned long long low, unsigned long long high) {
  if constexpr (sizeof(T) == 8)
    return __longlong_as_double(static_cast<long long>((high & 0xffffffff00000000ull) | low >> 32));
  else
    return __uint_as_float(static_cast<unsigned>(low >> 32));
}
/// Stores to, and waits for, the memory of any GPU; a store is one access.
__device__ __forceinline__ void send_word(unsigned long long* to, unsigned long long word) {
  *static_cast<volatile unsigned long long*>(to) = word;
}
/// Gives up, and sets *timed_out, after 20 s.
__device__ __forceinline__ unsigned long long wait_for_word(const unsigned long long* at, unsigned number,
                                                            int* timed_out) {
  const volatile unsigned long long* const word = at;
  unsigned long long value = *word;
  if (static_cast<unsigned>(value) == number) return value;
  const unsigned long long begin = comm::nanoseconds();
  for (unsigned tries = 0; *static_cast<volatile int*>(timed_out) == 0; ++tries) {
    value = *word;
    if (static_cast<unsigned>(value) == number) return value;
    if (tries % 1024 == 1023 && comm::nanoseconds() - begin > comm::max_wait_nanoseconds) atomicExch(timed_out, 1);
  }
  return value;
}
/// The words of a line in the memory of rank `in` that come from rank `from`.
template <class T>
__device__ __forceinline__ unsigned long long* words_at(const SlabLines<T>& s, int in, int from, std::int64_t line,
                                                        std::int64_t lines, int values, unsigned number) {
  const std::int64_t set = static_cast<std::int64_t>(number % 2) * s.ranks + from;
  return s.messages.words[in] + (set * lines + line) * values * words_of<T>;
}

#endif

}  // namespace speedwell::incompressible_flow::gpu
