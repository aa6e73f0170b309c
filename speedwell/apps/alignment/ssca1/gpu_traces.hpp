// GpuTraces: kernel 2 of SSCA#1 on one GPU.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "speedwell/apps/alignment/ssca1/ssca1.hpp"

namespace speedwell::core {
class Stream;
}

namespace speedwell::alignment::ssca1 {

/// The same alignments as trace_alignments gives: a block of threads for each endpoint (gpu_backwards.hpp), the choice
/// among them on the host. The paths of alignments whose search passes 65,536 cells or 4096 diagonals, or that have
/// more than 256 runs (paths_on_host()), are left to trace_alignments.
///
/// Device memory: n + m bytes, 28 bytes for each symbol of the shorter sequence and 132 KiB for each endpoint that is
/// computed at a time, 1 KiB for each endpoint.
class GpuTraces {
 public:
  /// Refers to main, match, scoring and endpoints as long as it lives. `device`: CUDA's index. Throws core::Unavailable
  /// if there is no such device; std::invalid_argument as trace_alignments.
  GpuTraces(Codes main, Codes match, const Scoring& scoring, std::span<const Endpoint> endpoints,
            const TraceRules& rules = {}, int device = 0);
  GpuTraces(GpuTraces&&) noexcept;
  GpuTraces& operator=(GpuTraces&&) noexcept;
  ~GpuTraces();

  /// In this order; run() may be repeated, and waits for its results. Throw core::Unavailable, with the bytes needed
  /// and available, before memory is taken that is not there; core::DeviceError if CUDA fails.
  void allocate();
  void upload(const core::Stream& stream);
  void run(const core::Stream& stream);

  /// Of the last run(): empty before.
  const Traced& traced() const;
  /// Paths that the last run() left to the host.
  std::size_t paths_on_host() const;
  std::size_t device_bytes() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace speedwell::alignment::ssca1
