// GpuStars: kernel 5 of SSCA#1 on one GPU.
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

/// The same alignments as align_stars gives: a block of threads for each set, a thread for each member
/// (gpu_centers.hpp). Sets with symbols above 3, and those whose tables do not fit into 1 GiB together (on_host()), are
/// left to align_star on one core each.
///
/// Device memory: a byte for each cell of a member's table, whose sides are those of the set's longest member; 9 bytes
/// for each place of it, and up to 256 MiB for the rows.
class GpuStars {
 public:
  /// Refers to sets and differences as long as it lives. `device`: CUDA's index. Throws core::Unavailable if there is
  /// no such device; std::invalid_argument as align_stars.
  GpuStars(std::span<const Members> sets, std::span<const Differences> differences, const DifferenceCosts& costs = {},
           int device = 0);
  GpuStars(GpuStars&&) noexcept;
  GpuStars& operator=(GpuStars&&) noexcept;
  ~GpuStars();

  /// In this order; run() may be repeated, and waits for its results. Throw core::Unavailable, with the bytes needed
  /// and available, before memory is taken that is not there; core::DeviceError if CUDA fails.
  void allocate();
  void upload(const core::Stream& stream);
  void run(const core::Stream& stream);

  /// Of the last run(), for each set.
  std::vector<StarAlignment> stars() const;
  /// Sets that the last run() left to the host.
  std::size_t on_host() const;
  std::size_t device_bytes() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace speedwell::alignment::ssca1
