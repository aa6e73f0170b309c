// GpuTable: kernel 1 of SSCA#1 on one GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "speedwell/apps/alignment/ssca1/ssca1.hpp"

namespace speedwell::core {
class Stream;
}

namespace speedwell::alignment::ssca1 {

/// The same list as find_endpoints gives: the table is exact, and the choice is made on the host. Sections of main are
/// computed by a warp for two, in 11 bits, in 16 bits if a score does not fit, or by a warp for one in 32 bits;
/// gpu_sections.hpp says how. Only where candidates may be are cells looked at, so that it is slower with
/// rules.count_candidates. Alignments that run through many sections make it slow, as do candidates in nearly every
/// cell.
///
/// Device memory: n + m bytes, 24 bytes for each candidate of which there is room for a million, up to 1 GiB for states
/// of the table, and 4 bytes or more for every row of every section.
class GpuTable {
 public:
  /// Refers to main and match until upload() has returned, and for run() to main, match and scoring. `device`: CUDA's
  /// index. Throws core::Unavailable if there is no such device, or it has too little shared memory for the alphabet;
  /// std::invalid_argument as find_endpoints, and for scores of a pair beyond 14 bits.
  GpuTable(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules = {}, int device = 0);
  GpuTable(GpuTable&&) noexcept;
  GpuTable& operator=(GpuTable&&) noexcept;
  ~GpuTable();

  /// In this order; run() may be repeated, and waits for its results. Throw core::Unavailable, with the bytes needed
  /// and available, before memory is taken that is not there; core::DeviceError if CUDA fails.
  void allocate();
  void upload(const core::Stream& stream);
  void run(const core::Stream& stream);

  /// Of the last run(): empty before.
  const Endpoints& endpoints() const;
  std::size_t device_bytes() const;
  /// Sections that it computes side by side in 11 or 16 bits.
  std::int64_t sections() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace speedwell::alignment::ssca1
