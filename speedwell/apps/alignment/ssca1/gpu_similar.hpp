// GpuSimilar: kernel 3 of SSCA#1 on one GPU.
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

/// The same places as find_similar gives. Two queries of up to 64 symbols share the words that a thread takes a section
/// of main through, in 11 bits; a block for each query then chooses among the places that it found (gpu_places.hpp,
/// gpu_place_choice.hpp). Of a long main only those columns are computed in which a place of a score that is needed may
/// end: the score is guessed from a sample, the columns by a bound on errors (gpu_errors.hpp), and what was chosen
/// proves the guess, or the query is done again without it. Longer queries, scores beyond 11 bits, gaps that cost
/// nothing to extend, more than 512 places wanted or too many found (on_host()) are left to find_similar on all cores.
///
/// Device memory: n bytes, and 64 MiB for the places found; from 2^18 symbols of main on n / 8 bytes and more for each
/// of up to 64 classes of symbols that match the same, and n / 32 for each query.
class GpuSimilar {
 public:
  /// Refers to main, the queries' symbols and scoring as long as it lives. `device`: CUDA's index. Throws
  /// core::Unavailable if there is no such device; std::invalid_argument as find_similar.
  GpuSimilar(Codes main, std::span<const Codes> queries, const Scoring& scoring, const SimilarRules& rules = {},
             int device = 0);
  GpuSimilar(GpuSimilar&&) noexcept;
  GpuSimilar& operator=(GpuSimilar&&) noexcept;
  ~GpuSimilar();

  /// In this order; run() may be repeated, and waits for its results. Throw core::Unavailable, with the bytes needed
  /// and available, before memory is taken that is not there; core::DeviceError if CUDA fails.
  void allocate();
  void upload(const core::Stream& stream);
  void run(const core::Stream& stream);

  /// Of the last run(), for each query: empty before.
  const std::vector<std::vector<Place>>& places() const;
  /// Queries that the last run() left to the host.
  std::size_t on_host() const;
  std::size_t device_bytes() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace speedwell::alignment::ssca1
