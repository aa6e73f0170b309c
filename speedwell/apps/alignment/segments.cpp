#include "speedwell/apps/alignment/segments.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "speedwell/apps/alignment/band_problem.hpp"

namespace speedwell::alignment {
namespace {

/// A way back through a segment, and where it came out, in the table's rows and columns.
struct Way {
  trace::Place from, to;
  std::vector<Columns> path;
};

class Segments {
 public:
  Segments(Codes query, Codes subject, const Scoring& scoring, const std::vector<Segment>& segments,
           const std::vector<trace::Row>& tops, std::size_t table_bytes)
      : query_(query),
        subject_(subject),
        scoring_(scoring),
        segments_(segments),
        tops_(tops),
        table_bytes_(table_bytes) {}

  Way follow(std::size_t s, const trace::Place& from) const {
    const Segment& segment = segments_[s];
    const auto part = [](Codes codes, std::int64_t first, std::int64_t last) {
      return codes.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
    };
    const trace::Pair pair(part(query_, segment.first_row, segment.last_row),
                           part(subject_, segment.first_column, segment.last_column), scoring_);
    Way way{.from = from, .to = from, .path = {}};
    way.to.i -= segment.first_row;
    way.to.j -= segment.first_column;
    if (way.to.j < 1 || from.j > segment.last_column)
      throw std::logic_error("an alignment leaves the window of its segment");
    trace::follow(pair, way.to, tops_[s], table_bytes_, way.path);
    way.to.i += segment.first_row;
    way.to.j += segment.first_column;
    return way;
  }

 private:
  Codes query_, subject_;
  const Scoring& scoring_;
  const std::vector<Segment>& segments_;
  const std::vector<trace::Row>& tops_;
  std::size_t table_bytes_;
};

/// Where every best alignment comes into segment s from below, if that is one place.
std::optional<trace::Place> only_entry(const Crossings& crossings, std::size_t s) {
  const std::uint32_t kinds = crossings.kinds[s];
  if (crossings.low[s] != crossings.high[s] || (kinds != crosses_at_h && kinds != crosses_at_f)) return std::nullopt;
  return trace::Place{static_cast<std::int64_t>(s + 1) * crossings.rows, crossings.high[s],
                      kinds == crosses_at_h ? trace::In::h : trace::In::f};
}

}  // namespace

std::vector<Segment> plan_segments(const Crossings& crossings, const EndPoint& end) {
  if (end.score == 0) return {};
  const auto count = static_cast<std::size_t>((end.query_end + crossings.rows - 1) / crossings.rows);
  std::vector<Segment> segments(count);
  for (std::size_t s = 0; s < count; ++s) {
    Segment& segment = segments[s];
    const bool last = s + 1 == count;
    segment.first_row = static_cast<std::int64_t>(s) * crossings.rows;
    segment.last_row = last ? end.query_end : segment.first_row + crossings.rows;
    segment.last_column = last ? end.subject_end : crossings.high[s];
    std::int64_t first = INT32_MAX;
    if (s > 0 && crossings.kinds[s - 1] != 0) first = crossings.low[s - 1] - 1;
    if (crossings.begin[s] >= 0) first = std::min<std::int64_t>(first, crossings.begin[s]);
    segment.first_column = first;
  }
  return segments;
}

std::int64_t base_of_column(std::int64_t column) { return (column + band_lag) / chunk_columns; }

trace::Row top_row(const Segment& segment, std::span<const std::uint32_t> words, std::span<const std::int32_t> bases,
                   std::int32_t gap_first) {
  const auto columns = static_cast<std::size_t>(segment.last_column - segment.first_column);
  trace::Row row(columns);
  for (std::size_t i = 0; i < columns; ++i) {
    const std::int64_t column = segment.first_column + static_cast<std::int64_t>(i);
    const std::int32_t base =
        bases[static_cast<std::size_t>(base_of_column(column) - base_of_column(segment.first_column))];
    if (base == dead_base) continue;
    row.h[i + 1] = base + Pair16::score(words[i], 0);
    row.f[i + 1] = std::max(base + Pair16::score(words[i], 1) - gap_first, 0);
  }
  return row;
}

Alignment align_segments(Codes query, Codes subject, const Scoring& scoring, const EndPoint& end,
                         const Crossings& crossings, const std::vector<Segment>& segments,
                         const std::vector<trace::Row>& tops, const AlignOptions& options) {
  if (segments.empty()) return {};
  std::size_t threads = 1;
#ifdef _OPENMP
  threads = static_cast<std::size_t>(omp_get_max_threads());
#endif
  const Segments all(query, subject, scoring, segments, tops, std::max<std::size_t>(options.table_bytes / threads, 1));
  std::vector<std::optional<Way>> ways(segments.size());
  const trace::Place start{end.query_end, end.subject_end};
#pragma omp parallel for schedule(dynamic)
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const std::optional<trace::Place> entry = s + 1 == segments.size() ? start : only_entry(crossings, s);
    if (entry && !segments[s].empty()) ways[s] = all.follow(s, *entry);
  }

  trace::Place place = start;
  std::vector<Columns> path;
  for (std::size_t s = segments.size(); s-- > 0 && place.in != trace::In::done;) {
    Way way = ways[s] && ways[s]->from == place ? std::move(*ways[s]) : all.follow(s, place);
    for (const auto& [operation, columns] : way.path) trace::add(path, operation, columns);
    place = way.to;
  }
  return trace::finish(query, subject, scoring, end, place, std::move(path));
}

}  // namespace speedwell::alignment
