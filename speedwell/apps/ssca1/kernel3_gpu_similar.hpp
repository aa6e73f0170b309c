// GpuSimilar: kernel 3 of SSCA#1 on one GPU.
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

/// The results of locate_similar. Two queries of up to 64 symbols share the words of a thread, which processes a
/// section of main in 11 bits; a block per query then selects among the regions found (gpu/kernel3_regions.hpp,
/// gpu/kernel3_region_choice.hpp). If main is long, only those columns are computed in which a region with a sufficient
/// score may end: the score is estimated from a sample, and the columns follow from a bound on errors
/// (gpu/kernel3_errors.hpp). The selected regions prove the estimate, or the query is repeated without it. Longer
/// queries, scores that exceed 11 bits, gaps without extension cost, more than 512 requested regions or too many
/// regions found (on_host()) are computed by locate_similar on the CPU.
///
/// Device memory: n bytes, and 64 MiB for the regions found; from 2^18 symbols of main on, also n / 8 bytes for each of
/// up to 64 classes of symbols with the same matches, and n / 32 bytes per query.
class GpuSimilar {
 public:
  /// Allocates its memory on the device. Keeps references to main, the symbols of the queries and scoring. `device`:
  /// index of the CUDA device. Throws core::Unavailable if there is no such device, or, with the bytes needed and
  /// available, if it has too little memory; std::invalid_argument as locate_similar.
  GpuSimilar(Codes main, std::span<const Codes> queries, const Scoring& scoring, const SimilarRules& rules = {},
             int device = 0);
  GpuSimilar(GpuSimilar&&) noexcept;
  GpuSimilar& operator=(GpuSimilar&&) noexcept;
  ~GpuSimilar();

  /// Copies the arguments and tables that follow from them to the device, and waits. Must be called once, before the
  /// first run(). Throws core::DeviceError if CUDA fails.
  void upload(const core::Stream& stream);
  /// Locates the regions of all queries; waits for the results, and may be repeated. Throws core::Unavailable, with the
  /// bytes needed and available, before an allocation that does not fit, and core::DeviceError if CUDA fails.
  void run(const core::Stream& stream);

  /// The results of the last run() for each query; empty before.
  const std::vector<std::vector<SimilarRegion>>& regions() const;
  /// Queries that the last run() computed on the host.
  std::size_t on_host() const;
  /// Bytes of device memory that the constructor has allocated.
  std::size_t device_bytes() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace speedwell::ssca1
