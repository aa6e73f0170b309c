// A database search on ranks: the messages that give each rank its queries and subjects and collect the scores.
//
//   RankSearch search(ranks);
//   search.scatter(is_root ? &queries : nullptr, is_root ? &database : nullptr);
//   const auto mine = search_scores(search.queries(), search.subjects(), scoring, 1);
//   search.gather(mine, is_root ? std::span(scores) : std::span<std::int32_t>());
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/pair_division.hpp"
#include "speedwell/apps/alignment/sequences/sequence_set.hpp"
#include "speedwell/comm/communicator.hpp"

namespace speedwell::alignment {

/// The sequences of a search are on the first rank. Each rank gets those of one block of divide_pairs(). No message is
/// needed while scores are computed, so that the division is made once and before: pairs need not be handed out as
/// others are finished, since the time of a pair is known from its cells.
class RankSearch {
 public:
  /// `ranks` must outlive the object.
  explicit RankSearch(const comm::Communicator& ranks) : ranks_(ranks) {}

  /// Collective. Divides the pairs and sends each rank its sequences, without their names. The first rank passes the
  /// sets, which must exist until gather() has returned, the others nullptr. Where the subjects are the set of the call
  /// before, unchanged, and are divided as then, they are not sent again: then subjects() is the same object, and else
  /// one at another address.
  void scatter(const SequenceSet* queries, const SequenceSet* subjects);
  /// The sequences of this rank; there may be none of either.
  const SequenceSet& queries() const { return *queries_; }
  const SequenceSet& subjects() const { return *subjects_; }
  bool is_empty() const { return queries_->size() == 0 || subjects_->size() == 0; }
  /// Whether the last scatter() has sent subjects.
  bool has_new_subjects() const { return has_new_subjects_; }

  /// Collective. Collects the scores of all ranks, mine[q * subjects().size() + s] of each, on the first rank, in the
  /// order of the sets; `all` is not used on the others.
  void gather(std::span<const std::int32_t> mine, std::span<std::int32_t> all);

  /// The time of this rank in gather() so far, which includes waiting for ranks that end later.
  double exchange_seconds() const { return exchange_seconds_; }

 private:
  const comm::Communicator& ranks_;
  std::vector<PairBlock> blocks_;  // of all ranks, on the first
  const SequenceSet* database_ = nullptr;
  std::optional<SequenceSet> queries_;
  std::unique_ptr<const SequenceSet> subjects_;
  std::size_t all_subjects_ = 0;
  bool has_new_subjects_ = false;
  double exchange_seconds_ = 0;
};

/// The lengths and codes of a set, to another rank.
void send_sequences(const comm::Communicator& ranks, const SequenceSet& set, int to);
SequenceSet receive_sequences(const comm::Communicator& ranks, int from);

}  // namespace speedwell::alignment
