#include "speedwell/comm/cartesian2d.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace speedwell::comm {

Range part_of(std::int64_t count, int parts, int index) {
  const std::int64_t min_size = count / parts, larger = count % parts;
  const std::int64_t begin = index * min_size + std::min<std::int64_t>(index, larger);
  return {begin, begin + min_size + (index < larger ? 1 : 0)};
}

Cartesian2d::Cartesian2d(int ranks, std::int64_t nx, std::int64_t ny, int px) : nx_(nx), ny_(ny) {
  const std::string what =
      std::to_string(ranks) + " ranks over " + std::to_string(nx) + " x " + std::to_string(ny) + " points";
  if (ranks < 1 || nx < 1 || ny < 1) throw std::invalid_argument(what + ": each is at least 1");
  if (px != 0 && (px < 0 || ranks % px != 0))
    throw std::invalid_argument(what + " in " + std::to_string(px) + " rows: the rows divide the ranks");
  double fewest = std::numeric_limits<double>::infinity();
  for (int rows = 1; rows <= ranks; ++rows) {
    const int columns = ranks / rows;
    if (ranks % rows != 0 || rows > nx || columns > ny || (px != 0 && rows != px)) continue;
    const auto width = static_cast<double>(part_of(nx, rows, 0).size());
    const auto height = static_cast<double>(part_of(ny, columns, 0).size());
    if (const double points = width * height + width + height; points < fewest) {
      fewest = points;
      px_ = rows;
      py_ = columns;
    }
  }
  if (px_ == 0) throw std::invalid_argument(what + ": some rank would have none");
}

std::optional<int> Cartesian2d::rank_at(int x, int y) const {
  if (x < 0 || x >= px_ || y < 0 || y >= py_) return std::nullopt;
  return x * py_ + y;
}

}  // namespace speedwell::comm
