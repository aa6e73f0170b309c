// GpuTraces: kernel 2 of SSCA#1 on one GPU.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "speedwell/apps/ssca1/ssca1.hpp"

namespace speedwell::core {
class Stream;
}

namespace speedwell::ssca1 {

/// The results of scan_backward, with a block per endpoint (gpu/kernel2_backwards.hpp) and the selection on the host.
/// Alignments whose search exceeds 65,536 cells or 4096 diagonals, or that have more than 256 runs (paths_on_host()),
/// are traced by scan_backward.
///
/// Device memory: n + m bytes, 28 bytes for each symbol of the shorter sequence and 132 KiB for each endpoint that is
/// computed concurrently, and 1 KiB for each endpoint.
class GpuTraces {
 public:
  /// Allocates its memory on the device. Keeps references to main, match, scoring and endpoints. `device`: index of the
  /// CUDA device. Throws core::Unavailable if there is no such device, or, with the bytes needed and available, if it
  /// has too little memory; std::invalid_argument as scan_backward.
  GpuTraces(Codes main, Codes match, const Scoring& scoring, std::span<const Endpoint> endpoints,
            const TraceRules& rules = {}, int device = 0);
  GpuTraces(GpuTraces&&) noexcept;
  GpuTraces& operator=(GpuTraces&&) noexcept;
  ~GpuTraces();

  /// Copies the arguments and tables that follow from them to the device, and waits. Must be called once, before the
  /// first run(). Throws core::DeviceError if CUDA fails.
  void upload(const core::Stream& stream);
  /// Traces all endpoints back, and selects on the host; waits for the results, and may be repeated. Throws
  /// core::Unavailable, with the bytes needed and available, before an allocation that does not fit, and
  /// core::DeviceError if CUDA fails.
  void run(const core::Stream& stream);

  /// The results of the last run(); empty before.
  const Traced& traced() const;
  /// Paths that the last run() traced on the host.
  std::size_t paths_on_host() const;
  /// Bytes of device memory that the constructor has allocated.
  std::size_t device_bytes() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace speedwell::ssca1
