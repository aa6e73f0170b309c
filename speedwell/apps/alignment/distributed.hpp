// A database search on ranks: what gives each rank queries and subjects, and collects the scores.
//
//   RankSearch search(ranks, RankSearch::Division::tasks);
//   search.scatter(is_root ? &queries : nullptr, is_root ? &database : nullptr);
//   search.run([&](const SequenceSet& some_queries, const SequenceSet& some_subjects, auto some_scores) {
//     search_scores(some_queries, some_subjects, scoring, some_scores, {.threads = 1});
//   }, is_root ? std::span(scores) : std::span<std::int32_t>());
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/distributed_shared.hpp"
#include "speedwell/apps/alignment/pair_division.hpp"
#include "speedwell/apps/alignment/sequences/sequence_set.hpp"
#include "speedwell/comm/communicator.hpp"

namespace speedwell::alignment {

/// The sequences of a search are on the first rank, and each rank computes the scores of some of the pairs.
class RankSearch {
 public:
  /// single_blocks: one block of pairs for each rank, by divide_pairs(), as GPUs take them. No message is needed while
  /// scores are computed: pairs need not be handed out as others are finished, since the time of a pair is known from
  /// its cells. tasks: for ranks that call search_scores() on a core. Those of one host, which may be faster and slower
  /// ones, share the sequences, and each takes the next task when it has finished one (SharedSearch); others get blocks
  /// by divide_batches().
  enum class Division { single_blocks, tasks };

  /// `ranks` must outlive the object.
  explicit RankSearch(const comm::Communicator& ranks, Division division = Division::single_blocks)
      : ranks_(ranks), division_(division), shared_(ranks), is_shared_(division == Division::tasks) {}

  /// Collective. Divides the pairs and gives each rank its sequences, without their names. The first rank passes the
  /// sets, which must exist until run() or gather() has returned, the others nullptr. Where the subjects are the set of
  /// the call before, unchanged, and are divided as then, they are not sent again: then subjects() is the same object,
  /// and else one at another address.
  void scatter(const SequenceSet* queries, const SequenceSet* subjects);
  /// Collective. Calls `compute` on every rank for the pairs that it gets, of which there may be none, and collects the
  /// scores on the first rank: `all` has them in the order of the sets, and is not used on the others. What `compute`
  /// throws, and std::invalid_argument where `all` has not as many scores as there are pairs, ends the search on that
  /// rank alone, so that it has to end the job.
  void run(const ComputeScores& compute, std::span<std::int32_t> all);

  /// Whether the ranks share the sequences of the last scatter().
  bool is_shared() const { return is_shared_; }

  /// With single_blocks, the sequences of this rank's block; there may be none of either.
  const SequenceSet& queries() const { return *queries_; }
  const SequenceSet& subjects() const { return *subjects_; }
  bool is_empty() const { return queries_->size() == 0 || subjects_->size() == 0; }
  /// Whether the last scatter() has sent subjects.
  bool has_new_subjects() const { return has_new_subjects_; }
  /// Collective. With single_blocks: the collection of run() for scores that were computed without it,
  /// mine[q * subjects().size() + s] of each rank.
  void gather(std::span<const std::int32_t> mine, std::span<std::int32_t> all);

  /// Not collective: overwrites scores of the last run() that the object keeps.
  void poison();
  /// The time of this rank in run() and gather() in which it computes nothing, such as waiting for ranks that end
  /// later.
  double exchange_seconds() const { return exchange_seconds_ + shared_.exchange_seconds(); }

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
  void put_scores(const Part& part, std::span<const std::int32_t> scores, std::span<std::int32_t> all) const;

  const comm::Communicator& ranks_;
  Division division_;
  SharedSearch shared_;
  bool is_shared_;           // not once the ranks could not share memory
  std::vector<Part> parts_;  // of all ranks, on the first
  std::vector<PairBlock> own_;
  std::vector<std::int32_t> own_scores_;
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
