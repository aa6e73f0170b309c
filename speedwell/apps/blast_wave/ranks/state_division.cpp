#include "speedwell/apps/blast_wave/ranks/state_division.hpp"

#include <stdexcept>
#include <string>

namespace speedwell::blast_wave {
namespace {

/// The points of each rank as tiles of a box of one axis.
std::vector<comm::Tile> tiles_of(const std::vector<comm::Range>& points) {
  std::vector<comm::Tile> all;
  for (const comm::Range& own : points) all.push_back({{own, comm::Range{0, 1}, comm::Range{0, 1}}});
  return all;
}
/// All points on the first rank.
std::vector<comm::Tile> whole_on_first(const std::vector<comm::Range>& points) {
  std::vector<comm::Range> all(points.size());
  all.front() = {0, points.back().end};
  return tiles_of(all);
}

}  // namespace

StateDivision::StateDivision(const comm::Communicator& ranks, const Problem& problem,
                             const std::vector<comm::Range>& points)
    : ranks_(ranks),
      problem_(problem),
      to_ranks_(ranks, whole_on_first(points), tiles_of(points)),
      to_first_(ranks, tiles_of(points), whole_on_first(points)) {}

void StateDivision::scatter(const State* whole, const Variable& own) {
  const bool is_root = ranks_.rank() == 0;
  std::string refusal;
  if (is_root) {
    try {
      require_admissible(problem_, *whole);
    } catch (const std::invalid_argument& error) {
      refusal = error.what();
    }
  }
  refusal = ranks_.broadcast(refusal);
  if (!refusal.empty()) throw std::invalid_argument(refusal);
  for (int c = 0; c < 5; ++c) {
    std::span<const double> from;
    if (is_root) from = std::span(whole->q).subspan(static_cast<std::size_t>(c) * points(), points());
    to_ranks_.move(from, own(c));
  }
}

void StateDivision::gather(const Variable& own, State* whole) {
  const bool is_root = ranks_.rank() == 0;
  if (is_root) {
    whole->extents = problem_.extents;
    whole->q.resize(5 * points());
  }
  for (int c = 0; c < 5; ++c) {
    std::span<double> to;
    if (is_root) to = std::span(whole->q).subspan(static_cast<std::size_t>(c) * points(), points());
    to_first_.move(own(c), to);
  }
}

}  // namespace speedwell::blast_wave
