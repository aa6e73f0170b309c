// DeviceSums: sums over the ranks of values that kernels have computed, without the host: the thread that has the sum
// of a GPU stores it into the memory of the others and adds theirs in the order of the ranks. The same bits on all
// ranks, and at every call with as many ranks. For CUDA sources only.
#pragma once

#include <cstdint>

#include "speedwell/comm/gpu/peer_flags.hpp"
#include "speedwell/comm/gpu/peer_memory.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::comm {

/// What kernels are given of a DeviceSums: a pointer to device memory, since a table of pointers among the parameters
/// of a kernel that are not constant would be copied to each thread's local memory.
struct DeviceSumsView {
  static constexpr int max_ranks = 16, max_values = 4;

  int rank = 0, ranks = 1;
  unsigned* sequence = nullptr;                 // number of sums so far
  int* timed_out = nullptr;                     // set if a rank did not come
  unsigned long long* waited = nullptr;         // nanoseconds in all sums so far
  unsigned long long* of_rank[max_ranks] = {};  // words of each rank: [sequence % 2][from][value][half]

#ifdef __CUDACC__
  /// To be called by one thread of a grid on every rank, the same number of times and with the same n <= max_values.
  /// Replaces the values by their sums over the ranks. What the kernels of this rank stored into the memory of another
  /// before the call, and made visible to this thread by a fence, is visible there after it. After 20 s without one of
  /// the ranks the values are NaN.
  ///
  /// Each 8-byte word carries half of a value and the number of the sum, so that the data is its own signal (the
  /// low-latency protocol of NCCL). Two sets of words are enough: a rank that begins sum s + 2 has the terms of s + 1
  /// of all ranks, which they send after they have read those of s.
  template <int n>
  __device__ void sum(double (&values)[n]) const {
    static_assert(n <= max_values);
    if (ranks == 1) return;
    const unsigned long long begin = nanoseconds();
    const unsigned number = ++*sequence;
    const int set = static_cast<int>(number % 2) * ranks;
    fence();
    for (int r = 0; r < ranks; ++r) {
      if (r == rank) continue;
      volatile unsigned long long* const words = of_rank[r] + std::int64_t{set + rank} * max_values * 2;
      for (int i = 0; i < n; ++i) {
        const auto bits = static_cast<unsigned long long>(__double_as_longlong(values[i]));
        words[2 * i] = (bits << 32) | number;
        words[2 * i + 1] = (bits & 0xffffffff00000000ull) | number;
      }
    }
    double total[n] = {};
    for (int r = 0; r < ranks; ++r) {
      const volatile unsigned long long* const words = of_rank[rank] + std::int64_t{set + r} * max_values * 2;
      for (int i = 0; i < n; ++i) {
        double term = values[i];
        if (r != rank) {
          const unsigned long long low = wait_for(words + 2 * i, number, begin),
                                   high = wait_for(words + 2 * i + 1, number, begin);
          term = __longlong_as_double(static_cast<long long>((high & 0xffffffff00000000ull) | (low >> 32)));
        }
        total[i] = r == 0 ? term : total[i] + term;
      }
    }
    fence();
    *waited += nanoseconds() - begin;
    const bool failed = *timed_out != 0;
    for (int i = 0; i < n; ++i) values[i] = failed ? __longlong_as_double(-1) : total[i];
  }

 private:
  /// Orders what this thread wrote, or has seen, before what it does next, for all GPUs; cheaper than the sequentially
  /// consistent __threadfence_system().
  static __device__ void fence() { asm volatile("fence.acq_rel.sys;" ::: "memory"); }
  __device__ unsigned long long wait_for(const volatile unsigned long long* word, unsigned number,
                                         unsigned long long begin) const {
    for (unsigned tries = 0; *timed_out == 0; ++tries) {
      const unsigned long long value = *word;
      if (static_cast<unsigned>(value) == number) return value;
      if (tries % 1024 == 1023 && nanoseconds() - begin > max_wait_nanoseconds) *timed_out = 1;
    }
    return 0;
  }
#endif
};

/// The memory of all ranks for sums, mapped into each other's devices. It belongs to the device that is current at its
/// construction. All functions throw core::DeviceError if CUDA fails.
class DeviceSums {
 public:
  /// Collective. For kernels on the current device; one sum at a time. `ranks` must outlive the object. Throws
  /// core::Unavailable as PeerMemory, and for more than 16 ranks.
  explicit DeviceSums(const Communicator& ranks);

  /// In device memory, for kernels that call DeviceSumsView::sum(); valid while this object exists.
  const DeviceSumsView* view() const { return device_view_.data(); }
  /// Enqueues a kernel that replaces `count` <= 4 values in device memory by their sums over the ranks.
  void sum(double* values, int count, const core::Stream& stream) const;
  /// The time that kernels of this rank spent in sums, for the messages and for later ranks. Waits for the device.
  double seconds() const;
  /// Throws core::DeviceError if a rank did not come to a sum; waits for the stream.
  void check(const core::Stream& stream) const;

 private:
  PeerMemory words_;                       // those that the other ranks write
  core::DeviceBuffer<unsigned> counters_;  // the number of the sum, and whether a rank was late
  core::DeviceBuffer<unsigned long long> waited_;
  DeviceSumsView view_;
  core::DeviceBuffer<DeviceSumsView> device_view_;
};

}  // namespace speedwell::comm
