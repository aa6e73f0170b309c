// What products and sweeps move and compute. Performance limits are computed from it: README, section Limits.
#pragma once

#include <string_view>

#include "speedwell/apps/stencil/operator.hpp"

namespace speedwell::stencil {

/// Operations of a product at one cell as written in point.hpp; the factors of a face are computed once.
constexpr double operations_per_cell(Form form) {
  return form == Form::cell_metric        ? 11
         : form == Form::constant         ? 10
         : form == Form::face_metric      ? 26
         : form == Form::face_coefficient ? 20
                                          : 13;
}

/// Words that a product reads of each cell and its coefficients; it writes one.
constexpr double words_read_per_cell(Form form) { return 1 + cell_fields(form); }

/// All sweeps of a variant: passes over memory, and operations of each sweep at one cell.
struct SweepTraffic {
  double passes = 1;
  double operations = operations_per_cell(Form::constant);
};

/// On all cores, on ranks and on a GPU four sweeps are one pass; elsewhere each sweep is. On a GPU a cell takes 7
/// instructions of the pipe that multiplies and adds, each of which could be two operations, and tiles of 64 x 40 cells
/// in double, 128 x 40 in float, keep 56 x 32 and 120 x 32.
constexpr SweepTraffic sweep_traffic(std::string_view variant, int sweeps, double word) {
  constexpr int max_depth = 4;
  const bool on_gpus = variant == "cuda" || variant == "multi";
  if (!on_gpus && variant != "openmp" && variant != "mpi") return {.passes = static_cast<double>(sweeps)};
  const double passes = (sweeps + max_depth - 1) / max_depth;
  if (!on_gpus) return {.passes = passes};
  const double recomputed = sweeps % max_depth != 0 ? 1
                            : word == sizeof(float) ? 128.0 * 40 / (120 * 32)
                                                    : 64.0 * 40 / (56 * 32);
  return {.passes = passes, .operations = 14 * recomputed};
}

}  // namespace speedwell::stencil
