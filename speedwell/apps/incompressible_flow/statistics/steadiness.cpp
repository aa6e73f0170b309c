#include "speedwell/apps/incompressible_flow/statistics/steadiness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace speedwell::incompressible_flow {

template <class T>
void VelocityChange::add(const T* before, const T* now, int n) {
  double change_here = 0, largest_here = 0;
  bool finite = true;
#pragma omp simd reduction(max : change_here, largest_here) reduction(&& : finite)
  for (int i = 0; i < n; ++i) {
    const double u = now[i];
    finite = finite && std::isfinite(u);
    change_here = std::max(change_here, std::abs(u - before[i]));
    largest_here = std::max(largest_here, std::abs(u));
  }
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  add(finite ? VelocityChange{change_here, largest_here} : VelocityChange{nan, nan});
}

void VelocityChange::add(const VelocityChange& other) {
  if (std::isnan(change)) return;
  const bool finite = !std::isnan(other.change);
  change = finite ? std::max(change, other.change) : other.change;
  largest = finite ? std::max(largest, other.largest) : other.largest;
}

double VelocityChange::steadiness(double duration) const {
  if (!(duration > 0)) throw std::invalid_argument("steadiness is of two states, the second later than the first");
  return change == 0 ? 0 : change / duration / largest;
}

template <class T>
double steadiness(const State<T>& before, const State<T>& after) {
  if (!(before.extents == after.extents)) throw std::invalid_argument("steadiness is of two states of one mesh");
  const std::int64_t rows = std::int64_t{after.extents.ny} * after.extents.nz;
  std::vector<VelocityChange> of_rows(static_cast<std::size_t>(rows));
#pragma omp parallel for
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < 3; ++c) {
      const std::ptrdiff_t first = r * after.extents.nx;
      of_rows[static_cast<std::size_t>(r)].add(before.velocity[c].data() + first, after.velocity[c].data() + first,
                                               after.extents.nx);
    }
  VelocityChange all;
  for (const VelocityChange& row : of_rows) all.add(row);
  return all.steadiness(after.time - before.time);
}

template void VelocityChange::add(const float*, const float*, int);
template void VelocityChange::add(const double*, const double*, int);
template double steadiness(const State<float>&, const State<float>&);
template double steadiness(const State<double>&, const State<double>&);

}  // namespace speedwell::incompressible_flow
