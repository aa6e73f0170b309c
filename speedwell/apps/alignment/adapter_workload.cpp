// The verification of one huge pair: another implementation's whole table, or what was planted in it.
#include "speedwell/apps/alignment/adapter_workload.hpp"

#include <algorithm>
#include <string>

#include "speedwell/core/units.hpp"

namespace speedwell::alignment {

Evidence AlignmentWorkload::evidence_of_pair(const EndPoint& end, const PairChecks& checks, Other other) const {
  const Codes query = queries.codes(0), subject = subjects.codes(0);
  const double cells = static_cast<double>(query.size()) * static_cast<double>(subject.size());
  const std::lock_guard lock(pair_mutex_);
  Evidence evidence;
  if (other == Other::cross_check && cells <= max_cross_check_cells) {
    if (!cross_check_end_) cross_check_end_ = cross_check::find_end(query, subject, scoring);
    evidence = {std::size_t{end != *cross_check_end_}, "the end point of a second implementation"};
  } else if (other == Other::openmp && cells <= max_openmp_cells) {
    if (checks.strip_rows == 0) {
      if (!openmp_end_) openmp_end_ = find_end(query, subject, scoring);
      return {std::size_t{end != *openmp_end_}, "openmp's end point"};
    }
    if (!expected_checks_ || !expected_checks_->whole || expected_checks_->checks.strip_rows != checks.strip_rows)
      expected_checks_ = expected_checks(query, subject, scoring, checks);
    std::size_t passed_over = 0;
    evidence.wrong = wrong_checks(*expected_checks_, checks, scoring, &passed_over) + (end != expected_checks_->end);
    evidence.oracle = "openmp's end point, and its last rows and largest scores of " +
                      core::counted(checks.bands(), "band") + " in " + std::to_string(PairChecks::blocks()) +
                      " blocks each";
    if (passed_over > 0)
      evidence.oracle +=
          ", " + std::to_string(passed_over) + " of these past parts that were passed over and no better";
  }
  if (!planted.empty() && evidence.oracle.empty()) {
    std::int32_t best = 0;
    for (const KnownCell& cell : planted) best = std::max(best, cell.score);
    evidence.wrong = end.score < best;
    evidence.oracle = "the best of " + core::counted(planted.size(), "planted alignment");
    if (checks.strip_rows > 0) {
      ExpectedChecks expected;
      expected.checks = PairChecks(static_cast<std::int64_t>(query.size()), static_cast<std::int64_t>(subject.size()),
                                   checks.strip_rows);
      expected.cells = planted;
      expected.whole = false;
      std::size_t passed_over = 0;
      evidence.wrong += wrong_checks(expected, checks, scoring, &passed_over);
      evidence.oracle = core::counted(planted.size(), "planted alignment") + ", each found in its block of a band";
      if (passed_over > 0)
        evidence.oracle +=
            ", but for those in " + core::counted(passed_over, "block") + " past parts that were passed over";
    }
  }
  return evidence;
}

core::Verdict AlignmentWorkload::verify_pair(const EndPoint& end, const std::function<Alignment()>& align,
                                             bool always_align, const PairChecks& checks, Other other) const {
  return alignment::verify_pair(queries.codes(0), subjects.codes(0), scoring, end, align, always_align, effort,
                                evidence_of_pair(end, checks, other));
}

}  // namespace speedwell::alignment
