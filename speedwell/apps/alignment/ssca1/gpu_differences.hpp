// GpuDifferences: kernel 4 of SSCA#1 on one GPU.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/ssca1/ssca1.hpp"

namespace speedwell::core {
class Stream;
}

namespace speedwell::alignment::ssca1 {

/// The same differences as pairwise_differences gives: two pairs to a thread, 16 bits each (gpu_cost_rows.hpp). Sets
/// with symbols above 3, with members of more than 96 symbols or with differences beyond 16 bits (on_host()) are left
/// to pairwise_differences on all cores.
///
/// Device memory: 2 bytes for each pair and 2 bits for each symbol.
class GpuDifferences {
 public:
  /// Refers to the sets as long as it lives. `device`: CUDA's index. Throws core::Unavailable if there is no such
  /// device; std::invalid_argument as pairwise_differences.
  explicit GpuDifferences(std::span<const Members> sets, const DifferenceCosts& costs = {}, int device = 0);
  GpuDifferences(GpuDifferences&&) noexcept;
  GpuDifferences& operator=(GpuDifferences&&) noexcept;
  ~GpuDifferences();

  /// In this order; run() may be repeated, and waits for its results. Throw core::Unavailable, with the bytes needed
  /// and available, before memory is taken that is not there; core::DeviceError if CUDA fails.
  void allocate();
  void upload(const core::Stream& stream);
  void run(const core::Stream& stream);

  /// Of the last run(), for each set.
  std::vector<Differences> differences() const;
  /// Sets that are left to the host.
  std::size_t on_host() const;
  std::size_t device_bytes() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace speedwell::alignment::ssca1
