// A database search on ranks: the messages that give each rank its queries and subjects and collect the scores.
//
//   RankSearch search(ranks, RankSearch::Division::batches);
//   search.scatter(is_root ? &queries : nullptr, is_root ? &database : nullptr);
//   std::vector<std::int32_t> mine(search.pairs());
//   search.for_each_block(mine, [&](const SequenceSet& some_queries, const SequenceSet& some_subjects, auto scores) {
//     search_scores(some_queries, some_subjects, scoring, scores, {.threads = 1});
//   });
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

/// The sequences of a search are on the first rank. Each rank gets those of its blocks of pairs. No message is needed
/// while scores are computed, so that the division is made once and before: pairs need not be handed out as others are
/// finished, since the time of a pair is known from its cells.
class RankSearch {
 public:
  /// single_blocks: one block for each rank, by divide_pairs(). batches: several blocks, by divide_batches(), for ranks
  /// that call search_scores().
  enum class Division { single_blocks, batches };

  /// `ranks` must outlive the object.
  explicit RankSearch(const comm::Communicator& ranks, Division division = Division::single_blocks)
      : ranks_(ranks), division_(division) {}

  /// Collective. Divides the pairs and sends each rank its sequences, without their names. The first rank passes the
  /// sets, which must exist until gather() has returned, the others nullptr. Where the subjects are the set of the call
  /// before, unchanged, and are divided as then, they are not sent again: then subjects() is the same object, and else
  /// one at another address.
  void scatter(const SequenceSet* queries, const SequenceSet* subjects);
  /// The sequences of all blocks of this rank; there may be none of either. With single_blocks they are its block.
  const SequenceSet& queries() const { return *queries_; }
  const SequenceSet& subjects() const { return *subjects_; }
  /// Whether the last scatter() has sent subjects.
  bool has_new_subjects() const { return has_new_subjects_; }

  /// The number of pairs in the blocks of this rank.
  std::size_t pairs() const { return pairs_in(own_); }
  /// Calls `use(queries, subjects, scores)` for each block of this rank that has pairs, with its sequences and its part
  /// of `scores`, scores[q * subjects.size() + s]. Throws std::invalid_argument unless there are pairs() scores.
  template <class Use>
  void for_each_block(std::span<std::int32_t> scores, const Use& use) const;

  /// Collective. Collects the scores of all ranks, `mine` of each in the order of for_each_block(), on the first rank,
  /// in the order of the sets; `all` is not used on the others. Throws std::invalid_argument unless there are pairs()
  /// scores.
  void gather(std::span<const std::int32_t> mine, std::span<std::int32_t> all);

  /// The time of this rank in gather() so far, which includes waiting for ranks that end later.
  double exchange_seconds() const { return exchange_seconds_; }

 private:
  /// The sequences of the blocks of a rank, ascending indices in the sets of the first rank, and the blocks, with
  /// indices in these.
  struct Part {
    PairBlock all;
    std::vector<PairBlock> blocks;
  };
  static Part part_of(std::vector<PairBlock> blocks);
  static std::size_t pairs_in(const std::vector<PairBlock>& blocks);
  std::vector<Part> divide(const SequenceSet& queries, const SequenceSet& subjects) const;
  void require_scores(std::size_t count) const;
  void put_scores(const Part& part, std::span<const std::int32_t> scores, std::span<std::int32_t> all) const;

  const comm::Communicator& ranks_;
  Division division_;
  std::vector<Part> parts_;  // of all ranks, on the first
  std::vector<PairBlock> own_;
  const SequenceSet* database_ = nullptr;
  std::optional<SequenceSet> queries_;
  std::unique_ptr<const SequenceSet> subjects_;
  std::size_t all_subjects_ = 0;
  bool has_new_subjects_ = false;
  double exchange_seconds_ = 0;
};

template <class Use>
void RankSearch::for_each_block(std::span<std::int32_t> scores, const Use& use) const {
  require_scores(scores.size());
  for (const PairBlock& block : own_) {
    const std::span<std::int32_t> of_block = scores.first(block.queries.size() * block.subjects.size());
    scores = scores.subspan(of_block.size());
    if (of_block.empty()) continue;
    if (own_.size() == 1)
      use(*queries_, *subjects_, of_block);
    else
      use(subset(*queries_, block.queries), subset(*subjects_, block.subjects), of_block);
  }
}

/// The lengths and codes of a set, to another rank.
void send_sequences(const comm::Communicator& ranks, const SequenceSet& set, int to);
SequenceSet receive_sequences(const comm::Communicator& ranks, int from);

}  // namespace speedwell::alignment
