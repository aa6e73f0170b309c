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
  /// Allocates its memory on the device. Keeps references to sets and differences. `device`: index of the CUDA device.
  /// Throws core::Unavailable if there is no such device, or, with the bytes needed and available, if it has too little
  /// memory; std::invalid_argument as multiple_align.
  GpuStars(std::span<const Members> sets, std::span<const Differences> differences, const DifferenceCosts& costs = {},
           int device = 0);
  GpuStars(GpuStars&&) noexcept;
  GpuStars& operator=(GpuStars&&) noexcept;
  ~GpuStars();

  /// Copies the arguments and tables that follow from them to the device, and waits. Must be called once, before the
  /// first run(). Throws core::DeviceError if CUDA fails.
  void upload(const core::Stream& stream);
  /// Aligns all sets; waits for the results, and may be repeated. Throws core::Unavailable, with the bytes needed and
  /// available, before an allocation that does not fit, and core::DeviceError if CUDA fails.
  void run(const core::Stream& stream);

  /// The results of the last run() for each set.
  std::vector<StarAlignment> stars() const;
  /// Sets that the last run() computed on the host.
  std::size_t on_host() const;
  /// Bytes of device memory that the constructor has allocated.
  std::size_t device_bytes() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace speedwell::ssca1
