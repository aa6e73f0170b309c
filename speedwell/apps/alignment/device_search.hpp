// DeviceSearch: the scores of any search on one GPU, by GpuSearch and GpuPair, for sequences of any length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "speedwell/apps/alignment/gpu_search.hpp"
#include "speedwell/apps/alignment/scoring/scoring.hpp"
#include "speedwell/apps/alignment/sequences/sequence_set.hpp"

namespace speedwell::alignment {

/// Exact scores of queries against a database, which stays on the device between searches if it fits together with a
/// search's memory; otherwise it is processed in pieces, which are copied for each search. Pairs of long sequences are
/// computed one after the other by the whole device.
class DeviceSearch {
 public:
  /// Keeps a reference to `database`, which must not change or be destroyed. `device`: index of the CUDA device.
  explicit DeviceSearch(const SequenceSet& database, int device = 0) : database_(database), device_(device) {}

  /// scores[q * database.size() + s]. Throws as GpuSearch::search(): core::Unavailable if not even one sequence fits.
  std::vector<std::int32_t> search(const SequenceSet& queries, const Scoring& scoring);

  /// For the last search: pieces of the database, and pairs that the whole device computed.
  std::size_t pieces() const { return pieces_; }
  std::size_t pairs() const { return pairs_; }

 private:
  using Kept = std::unique_ptr<GpuSearch>;
  std::vector<std::int32_t> search_in_pieces(const SequenceSet& queries, const SequenceSet& subjects,
                                             const Scoring& scoring, Kept& kept);

  const SequenceSet& database_;
  int device_;
  Kept whole_;
  std::size_t pieces_ = 0, pairs_ = 0;
};

/// Whether a pair is so large that DeviceSearch uses the whole device for it, and an alignment should do so, too.
bool is_for_whole_device(std::size_t query_length, std::size_t subject_length);

}  // namespace speedwell::alignment
