// GpuStars: kernel 5 of SSCA#1 on one GPU.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "speedwell/apps/ssca1/ssca1.hpp"

namespace speedwell::core {
class Stream;
}

namespace speedwell::ssca1 {

/// The results of multiple_align, with a block per set and a thread per member (gpu/kernel5_centers.hpp). Sets with
/// symbols above 3, and sets whose tables do not fit 1 GiB together (on_host()), are computed by align_star on the CPU,
/// one per core.
///
/// Device memory: one byte per cell of the members' tables, whose extents are those of the set's longest member; 9
/// bytes per position of a member, and up to 256 MiB for the rows.
class GpuStars {
 public:
  /// Keeps references to sets and differences. `device`: index of the CUDA device. Throws core::Unavailable if there is
  /// no such device, and std::invalid_argument as multiple_align.
  GpuStars(std::span<const Members> sets, std::span<const Differences> differences, const DifferenceCosts& costs = {},
           int device = 0);
  GpuStars(GpuStars&&) noexcept;
  GpuStars& operator=(GpuStars&&) noexcept;
  ~GpuStars();

  /// To be called in this order; run() may be repeated, and waits for its results. They throw core::Unavailable, with
  /// the bytes needed and available, before an allocation that does not fit, and core::DeviceError if CUDA fails.
  void allocate();
  void upload(const core::Stream& stream);
  void run(const core::Stream& stream);

  /// The results of the last run() for each set.
  std::vector<StarAlignment> stars() const;
  /// Sets that the last run() computed on the host.
  std::size_t on_host() const;
  std::size_t device_bytes() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace speedwell::ssca1
