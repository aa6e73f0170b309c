// Checks of the arguments of assign().
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>

#include "speedwell/apps/vector_calculus/expression.hpp"

namespace speedwell::vector_calculus {

/// Throws std::invalid_argument unless every field of `e` is on `grid` and that is large enough for its derivatives.
template <class E>
void require_on_grid(const E& e, const Grid& grid) {
  require_grid(grid, E::reach);
  e.visit([&](const auto& leaf) {
    if (!(*leaf.grid == grid))
      throw std::invalid_argument("vector_calculus: the fields of an expression and its result are on different grids");
  });
}

/// The grid of an expression's last field.
template <class E>
const Grid& grid_of(const E& e) {
  const Grid* grid = nullptr;
  e.visit([&](const auto& leaf) { grid = leaf.grid; });
  return *grid;
}

/// Throws std::invalid_argument unless every field of `e` is on `grid`, the grid is large enough for the expression's
/// derivatives, and no field that is read at neighbouring points, or in another layout, is `out` or overlaps it.
template <class E, class T>
void require_assignable(const E& e, const Grid& grid, const T* out, int out_components, Layout out_layout) {
  require_on_grid(e, grid);
  e.visit([&]<class Leaf>(const Leaf& leaf) {
    const std::less<const T*> before;
    const T *const from = leaf.data, *const end = from + Leaf::components * grid.size(),
                   *const out_end = out + out_components * grid.size();
    if (!before(from, out_end) || !before(out, end)) return;
    // In-place evaluation is allowed for the same field in the same layout, if each point or word depends on itself
    // only.
    const bool same_layout = Leaf::components == 1 || (out_layout == Layout::soa ? Leaf::template flat<Layout::soa>
                                                                                 : Leaf::template flat<Layout::aos>);
    if (from != out || Leaf::components != out_components || E::reach > 0 || !same_layout)
      throw std::invalid_argument(
          "vector_calculus: the result overlaps a field of the expression; only expressions without derivatives may be "
          "assigned to one of its own fields");
  });
}

}  // namespace speedwell::vector_calculus
