// A search on ranks of MPI: the first rank reads, selects and writes, and all compute scores and alignments.
//
//   SearchOnRanks search(ranks, {.scores = gpu_scores({0}), .aligner = gpu_aligner({0})});
//   if (ranks.rank() != 0) return search.serve();
//   search_files({…, .scores = search.scores(), .pairs_aligner = search.aligner()}, writer);
//   search.end();
#pragma once

#include <atomic>

#include "speedwell/apps/alignment/database_search/scores.hpp"
#include "speedwell/apps/alignment/distributed.hpp"
#include "speedwell/comm/communicator.hpp"

namespace speedwell::database_search {

/// The computations of one rank.
struct RankResources {
  ScoreProvider scores;
  PairAligner aligner;
  int threads = 1;                          // for alignments
  const std::atomic<bool>* stop = nullptr;  // on any rank: the search is stopped on all
  /// On all ranks the same: tasks is for cpu_scores(1), single_blocks for others.
  alignment::RankSearch::Division division = alignment::RankSearch::Division::single_blocks;
};

class SearchOnRanks {
 public:
  /// `ranks` must outlive the object, and the object what scores() and aligner() return.
  SearchOnRanks(const comm::Communicator& ranks, RankResources own);

  /// For the first rank. Each call gives every rank its part, computes that of the first, and collects those of the
  /// others; the results do not depend on the number of ranks. They throw alignment::Stopped when all ranks have ended
  /// their part, and what the rank's own computations throw: then this rank has to end the job.
  ScoreProvider scores();
  PairsAligner aligner();
  /// For the first rank: serve() of the others returns, or, if the first rank `failed`, throws. Does nothing after a
  /// computation of this rank has thrown, since the others wait for its results: then only the end of the job ends
  /// them.
  void end(bool failed = false);

  /// For the other ranks: computes what the first one wants, until it calls end(). Throws std::runtime_error if the
  /// first rank failed, and what this rank's computations throw: then it has to end the job.
  void serve();

 private:
  std::vector<std::int32_t> search(const alignment::SequenceSet* queries, const alignment::SequenceSet* database,
                                   const alignment::Scoring& scoring, const alignment::Control& control);
  std::vector<alignment::Alignment> align(std::span<const CodePair> pairs, const alignment::Scoring& scoring);
  /// Collective. Throws alignment::Stopped on the first rank if any was `stopped`.
  void throw_if_any(bool stopped);
  void begin_step(const alignment::Scoring& scoring, bool aligns);
  bool is_root() const { return ranks_.rank() == 0; }

  const comm::Communicator& ranks_;
  RankResources own_;
  PairsAligner align_own_;
  alignment::RankSearch division_;
  bool is_within_step_ = false;  // the others expect this rank to take part in it
};

}  // namespace speedwell::database_search
