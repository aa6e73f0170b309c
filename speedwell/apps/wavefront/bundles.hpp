// A grid as bundles in the order of a sweep, and the kernels that sweep them: what the sweep on all cores and that on
// ranks share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "speedwell/apps/wavefront/pencil_kernel.hpp"
#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/core/isa.hpp"

namespace speedwell::wavefront {

template <class T>
struct Kernel {
  BundleKernel<T>* sweep;
  int lanes;
};
/// Throws std::invalid_argument if the processor does not have the instruction set.
template <class T>
Kernel<T> kernel_of(core::Isa isa);

template <class T>
BundleRecurrence<T> bundle_recurrence(const Recurrence<T>& recurrence);

/// Bundle (a, b) has the planes from a * bundle_planes and the rows from b * lanes on, counted as the sweep goes. It
/// needs what (a - 1, b) and (a, b - 1) left in the grid.
template <class T>
class Bundles {
 public:
  /// Looks at `grid`, which stays where it is.
  Bundles(Grid<T>& grid, const Direction& direction, int lanes);

  std::int64_t in_x() const { return in_x_; }
  std::int64_t in_y() const { return in_y_; }
  std::size_t index(std::int64_t a, std::int64_t b) const { return static_cast<std::size_t>(a * in_y_ + b); }
  std::size_t count() const { return bundles_.size(); }
  Bundle<T>& at(std::int64_t a, std::int64_t b) { return bundles_[index(a, b)]; }
  /// In an order in which each only needs ones before it.
  std::vector<Bundle<T>>& all() { return bundles_; }

 private:
  std::int64_t in_x_, in_y_;
  std::vector<Bundle<T>> bundles_;
};

}  // namespace speedwell::wavefront
