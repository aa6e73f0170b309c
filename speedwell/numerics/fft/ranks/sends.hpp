// How a sweep of planes sends the rows that belong to other GPUs. Included by CUDA sources only.
#pragma once

#include <algorithm>
#include <cuda/atomic>

#include "speedwell/numerics/fft/gpu/device/plane_schedule.hpp"
#include "speedwell/numerics/fft/gpu/kernels/memory.hpp"
#include "speedwell/numerics/fft/ranks/sending_passes.hpp"

namespace speedwell::fft::gpu {

/// Stores point r of a column in row r: in its place, or where it waits to be sent.
template <class T>
struct ToDividedRows {
  DividedRows<T> rows;

  struct Line {
    Complex<T>*own, *staged;
    std::int64_t own_pitch;
    int row, width, own_begin, own_count, log_width;
    __device__ void operator()(int e, Complex<T> z) const {
      const int r = row + e * width;
      const auto k = static_cast<unsigned>(r - own_begin);
      Complex<T>* const to =
          k < static_cast<unsigned>(own_count) ? own + k * own_pitch : staged + (std::int64_t{r} << log_width);
      detail::put<CachePolicy::all_levels>(to, z);
    }
    __device__ void any(int e, Complex<T> z) const { (*this)(e, z); }
  };
  __device__ Line line(std::int64_t number, int lane, int width, const LineLayout&) const {
    const std::int64_t plane = number >> rows.log_width, at = number - (plane << rows.log_width);
    return {rows.own + number,
            rows.staged + ((plane * rows.rows) << rows.log_width) + at,
            rows.own_pitch,
            lane,
            width,
            rows.own_begin,
            rows.own_end - rows.own_begin,
            rows.log_width};
  }
};

/// What blocks of a sweep do besides: blocks that only send do this from the beginning, the others at the end.
template <class T>
struct Sends {
  static constexpr int sets_of_counters = 2;
  DividedRows<T> rows;
  std::uint32_t* ticket;
  std::uint32_t* stored;  // tiles of the columns of each plane that have been stored
  std::uint32_t tiles;    // of the columns of a plane
  int rows_per_send = 0, sends_per_plane = 0;
  int processors = 0, sender_interval = 0;  // one multiprocessor of so many has blocks that only send; 0: none

  using Counter = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>;

  /// Block b runs on multiprocessor b % processors if the GPU distributes a grid that fills it in turn, which matters
  /// for speed only.
  __device__ bool only_sends() const {
    return sender_interval > 0 && static_cast<int>(blockIdx.x) % processors % sender_interval == sender_interval - 1;
  }

  /// Called by one thread after a barrier that follows the stores of its block.
  __device__ void after(const PlaneTask& task) const {
    if (task.kind == PlaneTask::Kind::columns) Counter(stored[task.plane]).fetch_add(1, cuda::memory_order_release);
  }

  __device__ void finish() const {
    if (sends_per_plane == 0) return;
    __shared__ std::uint32_t drawn;
    while (true) {
      if (threadIdx.x == 0) {
        drawn = Counter(*ticket).fetch_add(1, cuda::memory_order_relaxed);
        const std::int64_t plane = drawn / static_cast<std::uint32_t>(sends_per_plane);
        if (plane < rows.planes)
          while (Counter(stored[plane]).load(cuda::memory_order_acquire) != tiles) __nanosleep(100);
      }
      __syncthreads();
      const std::int64_t plane = drawn / static_cast<std::uint32_t>(sends_per_plane);
      const int first = static_cast<int>(drawn % static_cast<std::uint32_t>(sends_per_plane)) * rows_per_send;
      __syncthreads();  // thread 0 draws again
      if (plane >= rows.planes) return;
      send(plane, first);
    }
  }

  /// Sends rows_per_send rows of a plane from number `first` of those of others on; number 0 follows the own rows, so
  /// that GPUs send to different ones at a time.
  __device__ void send(std::int64_t plane, int first) const {
    constexpr int points = sizeof(uint4) / sizeof(Complex<T>), in_flight = sizeof(T) == 8 ? 8 : 4;
    const int log_vectors = rows.log_width - (points - 1), threads = static_cast<int>(blockDim.x);
    const int others = rows.rows - (rows.own_end - rows.own_begin);
    const int vectors = min(rows_per_send, others - first) << log_vectors;
    const auto row_of = [&](int i) {
      const int r = rows.own_end + first + (i >> log_vectors);
      return r < rows.rows ? r : r - rows.rows;
    };
    const int mask = (1 << log_vectors) - 1;
    const auto* const from = reinterpret_cast<const uint4*>(rows.staged) + ((plane * rows.rows) << log_vectors);
    for (int begin = static_cast<int>(threadIdx.x); begin < vectors; begin += in_flight * threads) {
      uint4 value[in_flight];
#pragma unroll
      for (int k = 0; k < in_flight; ++k) {
        const int i = begin + k * threads;
        if (i < vectors) value[k] = __ldcg(from + (std::int64_t{row_of(i)} << log_vectors) + (i & mask));
      }
#pragma unroll
      for (int k = 0; k < in_flight; ++k) {
        const int i = begin + k * threads;
        if (i < vectors) {
          auto* const row = reinterpret_cast<uint4*>(__ldg(rows.address + row_of(i)));
          row[(plane << log_vectors) + (i & mask)] = value[k];
        }
      }
    }
  }
};

/// Sends for a kernel that stores `tiles` tiles of columns of each plane. The counters must be 0.
template <class T>
Sends<T> sends_of(const DividedRows<T>& rows, std::uint32_t tiles, std::uint32_t* counters) {
  constexpr std::int64_t bytes_per_send = std::int64_t{128} << 10;
  // The fastest of 2 to 16 on two H200: fewer senders do not fill the link, more are missed in the transforms.
  constexpr int wanted_interval = 4;
  const std::int64_t row_bytes = static_cast<std::int64_t>(sizeof(Complex<T>)) << rows.log_width;
  const int others = rows.rows_of_others();
  Sends<T> sends{.rows = rows, .ticket = counters, .stored = counters + 1, .tiles = tiles};
  sends.rows_per_send = static_cast<int>(std::max<std::int64_t>(1, bytes_per_send / row_bytes));
  sends.sends_per_plane = (others + sends.rows_per_send - 1) / sends.rows_per_send;
  sends.processors = core::device_attribute(cudaDevAttrMultiProcessorCount);
  sends.sender_interval = others > 0 && sends.processors >= wanted_interval ? wanted_interval : 0;
  return sends;
}

}  // namespace speedwell::fft::gpu
