// A search made ready for the harness: the sequences, the scores, and what the answer must be.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <utility>

#include "speedwell/apps/alignment/sequence_set.hpp"
#include "speedwell/apps/alignment/verify.hpp"
#include "speedwell/harness/application.hpp"

namespace speedwell::alignment {

struct AlignmentCase : harness::Case {
  AlignmentCase(SequenceSet all_queries, SequenceSet all_subjects, Scoring all_scoring)
      : queries(std::move(all_queries)), subjects(std::move(all_subjects)), scoring(std::move(all_scoring)) {}

  SequenceSet queries, subjects;
  Scoring scoring;

  std::size_t pairs() const { return queries.size() * subjects.size(); }
  /// Judges scores[q * subjects.size() + s]. The oracle's answer is computed at the first call.
  core::Verdict verify(std::span<const std::int32_t> scores) const {
    std::call_once(once_, [this] { expected_ = expect(queries, subjects, scoring); });
    return alignment::verify(expected_, scores);
  }

 private:
  mutable std::once_flag once_;
  mutable Expected expected_;
};

}  // namespace speedwell::alignment
