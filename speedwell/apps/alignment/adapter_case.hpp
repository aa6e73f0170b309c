// A search made ready for the harness: the sequences, the scores, and what the answer must be.
#pragma once

#include <cstdint>
#include <functional>
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

  /// One pair that the reference would take minutes for: variants give its end point, and it is judged by that.
  bool is_huge_pair() const {
    return pairs() == 1 && static_cast<double>(queries.letters()) * static_cast<double>(subjects.letters()) > 1e10;
  }
  /// `align`: the alignment by the variant's own means.
  core::Verdict verify_pair(const EndPoint& end, const std::function<Alignment()>& align,
                            bool always_align = false) const {
    return alignment::verify_pair(queries.codes(0), subjects.codes(0), scoring, end, align, always_align);
  }

 private:
  mutable std::once_flag once_;
  mutable Expected expected_;
};

}  // namespace speedwell::alignment
