// Words of every cell that an iteration of each variant reads and writes. Performance limits are computed from them:
// README, section Limits.
#pragma once

#include <string_view>

#include "speedwell/apps/stencil/cg.hpp"
#include "speedwell/apps/stencil/traffic.hpp"

namespace speedwell::cg {

using stencil::Preconditioner;

/// Operations of the product and the five vector operations at one cell.
constexpr double operations_per_iteration = stencil::operations_per_cell(stencil::Form::constant) + 10;

struct Words {
  double read = 0, written = 0;
};

/// Two passes: p' from r and p; x and r from p', x, r. With a preconditioner also 1 / D; the polynomial writes and
/// reads z.
constexpr Words words_of_two_passes(Preconditioner preconditioner) {
  return {preconditioner == Preconditioner::none ? 5.0 : 7.0, preconditioner == Preconditioner::polynomial ? 4.0 : 3.0};
}

/// Whether the iterations of `cells` cells of `word` bytes stay on the chip: in 132 multiprocessors of 16384 cells in
/// double each, which is more than the second-level caches of any CPU hold. Bricks that do not divide a box take fewer
/// cells: this is the maximum.
constexpr bool fits_on_chip(double cells, double word, Preconditioner preconditioner) {
  return preconditioner == Preconditioner::none && cells * word <= 132.0 * 16384 * 8;
}

/// An iteration of a variant of the model problem.
constexpr Words words_per_iteration(std::string_view variant, Preconditioner preconditioner, bool on_chip) {
  if (variant == "cuda" && on_chip) return {1, 1};  // x alone is not on the chip
  if (variant == "cuda-naive" || variant == "cuda-tile") return {10, 4};
  if (variant == "openmp-textbook" || variant == "cuda-fused" || variant == "cuda-pinned" || variant == "cuda-mapped")
    return {7, 4};
  return words_of_two_passes(preconditioner);
}

}  // namespace speedwell::cg
