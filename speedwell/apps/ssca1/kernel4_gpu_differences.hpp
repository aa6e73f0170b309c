// GpuDifferences: kernel 4 of SSCA#1 on one GPU.
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

/// The results of global_align, with two pairs per thread in 16 bits (gpu/kernel4_cost_rows.hpp). Sets with symbols
/// above 3, with members of more than 96 symbols or with differences that exceed 16 bits (on_host()) are computed by
/// global_align on the CPU.
///
/// Device memory: 2 bytes per pair and 2 bits per symbol.
class GpuDifferences {
 public:
  /// Allocates its memory on the device. Keeps references to the sets. `device`: index of the CUDA device. Throws
  /// core::Unavailable if there is no such device, or, with the bytes needed and available, if it has too little
  /// memory; std::invalid_argument as global_align.
  explicit GpuDifferences(std::span<const Members> sets, const DifferenceCosts& costs = {}, int device = 0);
  GpuDifferences(GpuDifferences&&) noexcept;
  GpuDifferences& operator=(GpuDifferences&&) noexcept;
  ~GpuDifferences();

  /// Copies the arguments and tables that follow from them to the device, and waits. Must be called once, before the
  /// first run(). Throws core::DeviceError if CUDA fails.
  void upload(const core::Stream& stream);
  /// Computes the differences of all pairs of all sets; waits for the results, and may be repeated. Throws
  /// core::Unavailable, with the bytes needed and available, before an allocation that does not fit, and
  /// core::DeviceError if CUDA fails.
  void run(const core::Stream& stream);

  /// The results of the last run() for each set.
  std::vector<Differences> differences() const;
  /// Sets that are computed on the host.
  std::size_t on_host() const;
  /// Bytes of device memory that the constructor has allocated.
  std::size_t device_bytes() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace speedwell::ssca1
