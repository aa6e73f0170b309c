// GpuSearch: exact Smith-Waterman scores of many queries against a database on one GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/scoring.hpp"
#include "speedwell/apps/alignment/sequence_set.hpp"

namespace speedwell::core {
class Stream;
}

namespace speedwell::alignment {

/// The best local alignment score of every query with every subject: affine gaps, a gap of length k costing
/// gap_open + k * gap_extend; score 0 where nothing is positive or a sequence is empty. Scores are exact: computed in
/// 11 or 16 bits, and again in 32 bits where these do not hold them. Equal inputs give equal scores, whatever the
/// device.
///
/// The database stays in device memory between searches. Two bytes a subject letter, 4 bytes a score, and up to an
/// eighth of the device's memory for intermediate rows of queries longer than 256 letters are taken there.
class GpuSearch {
 public:
  /// How two subjects share a word: the best for the scoring, or a step towards it. Scores do not depend on it.
  enum class Lanes {
    best,         // eleven bits where the gap costs allow them, with usual costs known to the compiler; else sixteen
    eleven_bits,  // eleven bits where the gap costs allow them, with costs in registers; else sixteen
    sixteen_bits,
  };
  /// Keeps a reference to `subjects`, which must not change or go away. `device`: CUDA's index. Takes no device memory.
  /// Throws core::Unavailable if there is no such device; std::invalid_argument for a subject beyond 2^31 - 1025
  /// letters.
  explicit GpuSearch(const SequenceSet& subjects, int device = 0, Lanes lanes = Lanes::best);
  GpuSearch(GpuSearch&&) noexcept;
  GpuSearch& operator=(GpuSearch&&) noexcept;
  ~GpuSearch();

  /// scores[q * subjects.size() + s], both in the order of their sets. The database is copied at the first call.
  /// Throws std::invalid_argument for different alphabets, gap costs below 0 or both 0, or sequences so long that a
  /// score could exceed 2^31 - 1; core::Unavailable, with the bytes needed and available, before it takes memory that
  /// is not there; core::DeviceError if CUDA fails.
  std::vector<std::int32_t> search(const SequenceSet& queries, const Scoring& scoring);

  /// The same in pieces, in this order, for a caller who times or repeats them. `queries` is referred to until upload()
  /// returns. enqueue() may be repeated; all but allocate() use `stream` and those that copy wait for it.
  void allocate(const SequenceSet& queries, const Scoring& scoring);
  void upload(const core::Stream& stream);
  /// Sets all bytes of the device's and the host's scores to 0xFF.
  void poison(const core::Stream& stream);
  void enqueue(const core::Stream& stream);
  void download(const core::Stream& stream);
  /// Of the last download().
  std::span<std::int32_t> scores();

  /// Of the search allocated last: device bytes, and blocks of its main kernel.
  std::size_t device_bytes() const;
  int blocks() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace speedwell::alignment
