// One pair: the best cell in one pass over the rows, and the way back from it through directions that are computed
// again from kept rows of H and F, so that memory stays bounded and the path does not depend on the bound.
#include <algorithm>

#include "speedwell/apps/alignment/trace.hpp"

namespace speedwell::alignment {
namespace {

void count_columns(Codes query, Codes subject, const SubstitutionMatrix& matrix, Alignment& alignment) {
  auto i = static_cast<std::size_t>(alignment.query_begin) - 1,
       j = static_cast<std::size_t>(alignment.subject_begin) - 1;
  for (const auto& [operation, count] : alignment.path) {
    alignment.columns += count;
    const auto letters = static_cast<std::size_t>(count);
    if (operation == 'I' || operation == 'D') {
      ++alignment.gap_opens;
      (operation == 'I' ? i : j) += letters;
      continue;
    }
    (operation == '=' ? alignment.identities : alignment.mismatches) += count;
    for (std::size_t k = 0; k < letters; ++k) alignment.positives += matrix.score(query[i + k], subject[j + k]) > 0;
    i += letters;
    j += letters;
  }
}

}  // namespace
namespace trace {

Alignment finish(Codes query, Codes subject, const Scoring& scoring, const EndPoint& end, const Place& begin,
                 std::vector<Columns> path) {
  std::reverse(path.begin(), path.end());
  Alignment alignment;
  alignment.score = end.score;
  alignment.query_begin = static_cast<std::int32_t>(begin.i + 1);
  alignment.query_end = end.query_end;
  alignment.subject_begin = static_cast<std::int32_t>(begin.j + 1);
  alignment.subject_end = end.subject_end;
  alignment.path = std::move(path);
  count_columns(query, subject, scoring.matrix, alignment);
  return alignment;
}

}  // namespace trace

EndPoint find_end(Codes query, Codes subject, const Scoring& scoring) {
  require_exact(scoring, scoring.matrix.alphabet(), scoring.matrix.alphabet(), query.size(), subject.size());
  return trace::Pair(query, subject, scoring).find_end();
}

Alignment align(Codes query, Codes subject, const Scoring& scoring, const AlignOptions& options) {
  require_exact(scoring, scoring.matrix.alphabet(), scoring.matrix.alphabet(), query.size(), subject.size());
  const trace::Pair pair(query, subject, scoring);
  const EndPoint end = pair.find_end();
  if (end.score == 0) return {};
  trace::Place place{end.query_end, end.subject_end};
  std::vector<Columns> path;
  trace::follow(pair, place, trace::Row(static_cast<std::size_t>(end.subject_end)), options.table_bytes, path);
  return trace::finish(query, subject, scoring, end, place, std::move(path));
}

}  // namespace speedwell::alignment
