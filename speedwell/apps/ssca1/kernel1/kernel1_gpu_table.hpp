// GpuTable: kernel 1 of SSCA#1 on one GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "speedwell/apps/ssca1/kernel1/kernel1_section.hpp"
#include "speedwell/apps/ssca1/ssca1.hpp"

namespace speedwell::core {
class Stream;
}

namespace speedwell::ssca1 {

/// The results of pairwise_align: the table is exact, and the selection is made on the host. A warp computes two
/// sections of main in 11 bits, or in 16 bits if a score does not fit, or one section in 32 bits; see
/// gpu/kernel1_sections.hpp. Cells are tested only where candidates may be, so that it is slower with
/// rules.count_candidates. Alignments that extend over many sections, and candidates in nearly every cell, make it
/// slow.
///
/// Device memory: n + m bytes, 24 bytes for each of up to a million candidates, up to 1 GiB for states of the table,
/// and at least 4 bytes per row of every section.
class GpuTable {
 public:
  /// Allocates its memory on the device. Keeps references to main and match until upload() has returned, and for run()
  /// to main, match and scoring. `device`: index of the CUDA device. Throws core::Unavailable if there is no such
  /// device, if it has too little shared memory for the alphabet, and, with the bytes needed and available, if it has
  /// too little memory; std::invalid_argument as pairwise_align, and for scores of a pair that exceed 14 bits.
  GpuTable(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules = {}, int device = 0);
  /// A section of a longer table (kernel1_section.hpp): run() keeps the candidates of the `owned` columns and selects
  /// no endpoints.
  GpuTable(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules, const OwnedColumns& owned,
           int device);
  GpuTable(GpuTable&&) noexcept;
  GpuTable& operator=(GpuTable&&) noexcept;
  ~GpuTable();

  /// Copies the arguments and tables that follow from them to the device, and waits. Must be called once, before the
  /// first run(). Throws core::DeviceError if CUDA fails.
  void upload(const core::Stream& stream);
  /// Computes the table, and selects the endpoints on the host; waits for the results, and may be repeated. Throws
  /// core::Unavailable, with the bytes needed and available, before an allocation that does not fit, and
  /// core::DeviceError if CUDA fails.
  void run(const core::Stream& stream);

  /// The results of the last run(); empty before.
  const Endpoints& endpoints() const;
  /// The candidates of the last run(), before separation, with positions in main.
  SectionCandidates candidates() const;
  /// Bytes of device memory that the constructor has allocated.
  std::size_t device_bytes() const;
  /// The number of sections that it computes concurrently in 11 or 16 bits.
  std::int64_t sections() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace speedwell::ssca1
