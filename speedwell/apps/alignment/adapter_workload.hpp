// The workload of alignment for the harness: the sequences and their scoring, and what the answer is compared with.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/sequences/sequence_set.hpp"
#include "speedwell/apps/alignment/verify/cross_check.hpp"
#include "speedwell/apps/alignment/verify/pair_checks.hpp"
#include "speedwell/apps/alignment/verify/verify.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::alignment {

/// The result of one run: the scores of all pairs, or the end point of one pair. The scores of a variant on the host
/// are in `memory`; those of a search on a GPU stay in memory of the search.
struct Scores {
  core::HostBuffer<std::int32_t> memory;
  std::span<std::int32_t> scores;               // scores[query * subjects + subject]
  std::array<std::int32_t, 3> end{-1, -1, -1};  // score, query end, subject end
};

struct AlignmentWorkload : harness::Workload {
  using Answer = Scores;

  AlignmentWorkload(SequenceSet all_queries, SequenceSet all_subjects, Scoring all_scoring)
      : queries(std::move(all_queries)), subjects(std::move(all_subjects)), scoring(std::move(all_scoring)) {}

  SequenceSet queries, subjects;
  Scoring scoring;

  std::size_t pairs() const { return queries.size() * subjects.size(); }
  /// Whose scores of all pairs a run is compared with, where the reference sees only a sample: those of the openmp
  /// variant, or, for that variant itself, those of cross_check.hpp, which shares no code with it.
  enum class Other { openmp, cross_check };
  /// Verifies scores[q * subjects.size() + s]. What they are compared with is computed at the first call and shared by
  /// all runs, by threads of the caller's.
  core::Verdict verify(std::span<const std::int32_t> scores, Other other = Other::openmp) const {
    std::call_once(reference_once_, [this] {
      of_openmp_ = expect(queries, subjects, scoring, effort);
      of_cross_check_ = of_openmp_;
    });
    const bool whole = of_openmp_.pairs.size() == of_openmp_.all_pairs;
    if (other == Other::openmp) {
      if (!whole)
        std::call_once(openmp_once_, [this] {
          of_openmp_.others = search_scores(queries, subjects, scoring);
          of_openmp_.other = "openmp";
        });
      return alignment::verify(of_openmp_, scores);
    }
    if (!whole)
      std::call_once(cross_check_once_, [this] {
        of_cross_check_.others = cross_check::search_scores(queries, subjects, scoring);
        of_cross_check_.other = "a second implementation";
      });
    return alignment::verify(of_cross_check_, scores);
  }
  OracleEffort effort{};  // of the reference

  /// Without scores: solvers on the host take their memory in allocate().
  Answer make_answer() const { return {}; }
  /// Takes memory for the scores of all pairs, not yet written.
  void allocate_scores(Answer& answer) const {
    answer.memory = core::HostBuffer<std::int32_t>(pairs());
    answer.scores = answer.memory.span();
  }
  void poison(Answer& answer) const {
    if (!answer.scores.empty()) std::memset(answer.scores.data(), 0xff, answer.scores.size_bytes());
    answer.end = {-1, -1, -1};
  }
  std::vector<harness::Output> outputs(Answer& answer) const {
    if (answer.scores.empty()) return {{"end", harness::ElementType::i32, answer.end.data(), answer.end.size()}};
    return {{"scores", harness::ElementType::i32, answer.scores.data(), answer.scores.size()}};
  }
  core::Verdict verify(const Answer& answer) const { return verify(answer.scores); }

  /// One pair that the reference would take minutes for: variants give its end point, which is verified.
  bool is_huge_pair() const {
    return pairs() == 1 && static_cast<double>(queries.residues()) * static_cast<double>(subjects.residues()) > 1e10;
  }
  /// `align`: the alignment by the variant's own means. `checks`: those of a sweep in bands, if it kept any. Beside
  /// alignment::verify_pair() the answer is compared with the whole table as openmp computes it, checks and end point;
  /// as the second implementation computes it, where openmp is verified, the end point; and of a pair that is too large
  /// for them, against the alignments that were planted in it. What is computed for this is shared by all runs.
  core::Verdict verify_pair(const EndPoint& end, const std::function<Alignment()>& align, bool always_align = false,
                            const PairChecks& checks = {}, Other other = Other::openmp) const;

  /// Cells of one pair that openmp and the second implementation, which does about a hundredth of the cells in the same
  /// time, compute on 16 cores in a few minutes.
  double max_openmp_cells = 2e13, max_cross_check_cells = 2e11;
  std::vector<KnownCell> planted;  // ends of the alignments that were planted in a pair

 private:
  mutable std::once_flag reference_once_, openmp_once_, cross_check_once_;
  mutable Expected of_openmp_, of_cross_check_;
  mutable std::mutex pair_mutex_;  // of what follows
  mutable std::optional<EndPoint> openmp_end_, cross_check_end_;
  mutable std::optional<ExpectedChecks> expected_checks_;
  Evidence evidence_of_pair(const EndPoint& end, const PairChecks& checks, Other other) const;
};

}  // namespace speedwell::alignment
