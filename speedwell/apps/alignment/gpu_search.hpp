// GpuSearch: exact Smith-Waterman scores of many queries against a database on one GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "speedwell/apps/alignment/scoring/scoring.hpp"
#include "speedwell/apps/alignment/sequences/sequence_set.hpp"

namespace speedwell::alignment {

/// The best local alignment score of every query with every subject: affine gaps, where a gap of length k costs
/// gap_open + k * gap_extend; the score is 0 if no pair has a positive score or a sequence is empty. Scores are exact:
/// computed in 11 or 16 bits, and recomputed in 32 bits if these do not suffice. The results do not depend on the
/// device.
///
/// The database stays in device memory between searches. The memory is two bytes per subject residue, 4 bytes per
/// score, and up to an eighth of the device's memory for intermediate rows of queries longer than 256 residues.
class GpuSearch {
 public:
  /// How two subjects share a word: the best method for the scoring, or a step towards it. Scores do not depend on it.
  enum class Lanes {
    best,  // eleven bits if the gap costs allow them, with common costs as compile-time constants; otherwise sixteen
    eleven_bits,  // eleven bits if the gap costs allow them, with costs in registers; otherwise sixteen
    sixteen_bits,
  };
  /// Keeps a reference to `subjects`, which must not change or be destroyed. `device`: index of the CUDA device.
  /// Allocates no device memory. Throws core::Unavailable if there is no such device, and std::invalid_argument for a
  /// subject of more than 2^31 - 1025 residues.
  explicit GpuSearch(const SequenceSet& subjects, int device = 0, Lanes lanes = Lanes::best);
  GpuSearch(GpuSearch&&) noexcept;
  GpuSearch& operator=(GpuSearch&&) noexcept;
  ~GpuSearch();

  /// scores[q * subjects.size() + s], both in the order of their sets. The database is copied in the first call. Throws
  /// std::invalid_argument for different alphabets, negative gap costs or two that are 0, or sequences so long that a
  /// score could exceed 2^31 - 1; core::Unavailable, with the bytes needed and available, before an allocation that
  /// does not fit; and core::DeviceError if CUDA fails.
  std::vector<std::int32_t> search(const SequenceSet& queries, const Scoring& scoring);

  /// For the last search: device bytes, and blocks of its main kernel.
  std::size_t device_bytes() const;
  int blocks() const;

 private:
  friend class GpuSearchSteps;  // gpu_steps.hpp: the steps of a search, for benchmarks
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace speedwell::alignment
