// Sums over the cells of all slabs, for what a thread on each GPU does with them. For CUDA sources only.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "speedwell/apps/incompressible_flow/gpu/cells.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/gpu/device_sums.hpp"
#include "speedwell/comm/sums.hpp"

namespace speedwell::incompressible_flow::gpu {

/// What Cells::add_up() calls with the sums of a slab: adds those of the other ranks, and calls finish(sums).
template <int n, class Finish>
struct FinishOverRanks {
  static constexpr int at_a_time = n <= comm::DeviceSumsView::max_values ? n : n / 2;
  static_assert(n % at_a_time == 0 && at_a_time <= comm::DeviceSumsView::max_values);

  const comm::DeviceSumsView* ranks;
  Finish finish;
  __device__ void operator()(numerics::Terms<n> sums) const {
    for (int first = 0; first < n; first += at_a_time) {
      double some[at_a_time];
      for (int i = 0; i < at_a_time; ++i) some[i] = sums[first + i];
      ranks->sum(some);
      for (int i = 0; i < at_a_time; ++i) sums[first + i] = some[i];
    }
    finish(sums);
  }
};

/// The same where the host adds the sums of the ranks: keeps those of a slab.
template <int n>
struct KeepSums {
  double* to;
  __device__ void operator()(const numerics::Terms<n>& sums) const {
    for (int i = 0; i < n; ++i) to[i] = sums[i];
  }
};
template <int n, class Finish>
__global__ void finish_kernel(const double* from, Finish finish) {
  numerics::Terms<n> sums;
  for (int i = 0; i < n; ++i) sums[i] = from[i];
  finish(sums);
}

/// Sums are added in the order of the ranks: the same bits on every rank, and in every run on as many ranks.
class RankSums {
 public:
  /// Collective. `on_device`: the kernels add the sums, and no function waits; else the host does, through MPI. `ranks`
  /// must outlive the object. Throws core::Unavailable as comm::DeviceSums.
  RankSums(const comm::Communicator& ranks, bool on_device) : ranks_(ranks) {
    if (on_device) device_.emplace(ranks);
  }

  /// Collective. Enqueues body(i, j, k, terms) for each cell of the slab, and finish(sums) in one thread of each GPU
  /// with the sums over all slabs, a numerics::Terms<n>.
  template <int n, class Body, class Finish>
  void add_up(Cells& cells, const Body& body, const Finish& finish, const core::Stream& stream) const {
    if (device_) return cells.add_up<n>(nullptr, body, FinishOverRanks<n, Finish>{device_->view(), finish}, stream);
    double* const kept = cells.sums();
    cells.add_up<n>(nullptr, body, KeepSums<n>{kept}, stream);
    std::array<double, n> sums{};
    core::copy_async(sums.data(), static_cast<const double*>(kept), sums.size(), stream);
    stream.synchronize();
    comm::sum_in_order(ranks_, std::span<double>(sums));
    core::copy_async(kept, static_cast<const double*>(sums.data()), sums.size(), stream);
    finish_kernel<n><<<1, 1, 0, stream.get()>>>(kept, finish);
    core::check(cudaGetLastError());
    stream.synchronize();  // `sums` is read
  }

  /// The time that kernels waited for other ranks. Waits for the device.
  double seconds() const { return device_ ? device_->seconds() : 0; }
  /// Waits. Throws core::DeviceError if a rank did not come to a sum.
  void check(const core::Stream& stream) const {
    if (device_) device_->check(stream);
  }

 private:
  const comm::Communicator& ranks_;
  std::optional<comm::DeviceSums> device_;
};

}  // namespace speedwell::incompressible_flow::gpu
