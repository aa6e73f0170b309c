// A database search on ranks of one host: sequences and scores are in memory that the ranks share, and each takes the
// next task when it has finished one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "speedwell/apps/alignment/sequences/sequence_set.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/shared_memory.hpp"

namespace speedwell::alignment {

/// Computes scores[q * subjects.size() + s] of some of the pairs.
using ComputeScores =
    std::function<void(const SequenceSet& queries, const SequenceSet& subjects, std::span<std::int32_t> scores)>;

class SharedSearch {
 public:
  /// `ranks` must outlive the object.
  explicit SharedSearch(const comm::Communicator& ranks) : ranks_(ranks) {}

  /// Collective. Copies the sequences, without their names, and their division into tasks into shared memory. The first
  /// rank passes the sets, the others nullptr; subjects that are the set of the call before, unchanged, are not copied
  /// again. Returns false on all ranks if these cannot share memory.
  bool scatter(const SequenceSet* queries, const SequenceSet* subjects);
  /// Collective, after scatter() has returned true. Each rank calls `compute` for one task after another until none is
  /// left. `all`, the scores of all pairs in the order of the sets, is overwritten on the first rank and not used on
  /// the others. What `compute` throws, and std::invalid_argument where `all` has not as many scores as there are
  /// pairs, ends the search on that rank alone, so that it has to end the job.
  void run(const ComputeScores& compute, std::span<std::int32_t> all);
  /// On the first rank: overwrites the scores of the last run() with -1.
  void poison();

  /// The time of this rank in run() in which it has no task.
  double exchange_seconds() const { return exchange_seconds_; }

 private:
  /// From these numbers all ranks know where the arrays are.
  struct Sizes {
    std::size_t queries = 0, subjects = 0, query_residues = 0, subject_residues = 0, groups = 0, tasks = 0;
    Alphabet alphabet = Alphabet::protein;
    bool new_subjects = true;
  };
  struct Work;
  Work work() const;

  const comm::Communicator& ranks_;
  const SequenceSet* known_ = nullptr;  // of the first rank: the set in database_
  std::optional<comm::SharedMemory> database_, work_;
  Sizes sizes_;
  double exchange_seconds_ = 0;
};

}  // namespace speedwell::alignment
