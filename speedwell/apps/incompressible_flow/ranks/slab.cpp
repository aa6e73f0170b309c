#include "speedwell/apps/incompressible_flow/ranks/slab.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "speedwell/core/units.hpp"

namespace speedwell::incompressible_flow {

Slab::Slab(const comm::Communicator& ranks, int planes, bool periodic) : planes_(planes), range_{0, planes} {
  const int n = ranks.size(), rank = ranks.rank();
  if (n > planes)
    throw std::invalid_argument("a flow on " + std::to_string(n) + " ranks: its box has " +
                                core::counted(planes, "plane") + " to divide, and each rank needs one");
  if (n == 1) return;
  ranks_.emplace(ranks.split(0, rank));
  range_ = comm::part_of(planes, n, rank);
  if (rank > 0 || periodic) below_ = (rank + n - 1) % n;
  if (rank < n - 1 || periodic) above_ = (rank + 1) % n;
}

void Slab::progress() {
  const comm::Timer timer(seconds_);
  pending_.progress();
}

void Slab::finish() {
  if (pending_.empty()) return;
  const comm::Timer timer(seconds_);
  pending_.wait_all();
}

std::vector<double> Slab::gather(std::span<const double> mine, std::size_t per_plane) {
  if (!is_divided()) return {mine.begin(), mine.end()};
  const comm::Timer timer(seconds_);
  // All ranks give as many values: slabs with a plane fewer give those of one more, which are not used.
  const std::size_t most = static_cast<std::size_t>(planes_of(0).size()) * per_plane;
  std::vector<double> padded(mine.begin(), mine.end()), all(most * static_cast<std::size_t>(ranks_->size())), values;
  padded.resize(most);
  ranks_->gather(std::span<const double>(padded), std::span<double>(all));
  for (int r = 0; r < ranks_->size(); ++r) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(most) * r;
    values.insert(values.end(), begin, begin + planes_of(r).size() * static_cast<std::ptrdiff_t>(per_plane));
  }
  return values;
}

double Slab::maximum(double value) {
  if (!is_divided()) return value;
  const comm::Timer timer(seconds_);
  const double largest =
      ranks_->reduce(std::isnan(value) ? std::numeric_limits<double>::infinity() : value, comm::Reduction::maximum);
  const bool any = ranks_->reduce(std::int64_t{std::isnan(value)}, comm::Reduction::maximum) > 0;
  return any ? std::numeric_limits<double>::quiet_NaN() : largest;
}

}  // namespace speedwell::incompressible_flow
