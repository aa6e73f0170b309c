#include "speedwell/apps/incompressible_flow/steadiness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace speedwell::incompressible_flow {

template <class T>
double steadiness(const State<T>& before, const State<T>& after) {
  if (!(before.extents == after.extents) || !(after.time > before.time))
    throw std::invalid_argument("steadiness is of two states of one mesh, the second later than the first");
  double change = 0, largest = 0;
  bool finite = true;
  for (std::size_t c = 0; c < 3; ++c) {
    const T* u = after.velocity[c].data();
    const T* old = before.velocity[c].data();
    const auto n = static_cast<std::ptrdiff_t>(after.velocity[c].size());
#pragma omp parallel for simd reduction(max : change, largest) reduction(&& : finite)
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      const double now = u[i];
      finite = finite && std::isfinite(now);
      change = std::max(change, std::abs(now - old[i]));
      largest = std::max(largest, std::abs(now));
    }
  }
  if (!finite) return std::numeric_limits<double>::quiet_NaN();
  if (change == 0) return 0;
  return change / (after.time - before.time) / largest;
}

template double steadiness(const State<float>&, const State<float>&);
template double steadiness(const State<double>&, const State<double>&);

}  // namespace speedwell::incompressible_flow
