// Selects the pressure solver of a problem, with the reason.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "speedwell/apps/incompressible_flow/problem.hpp"

namespace speedwell::incompressible_flow {

enum class Pressure {
  automatic,
  direct,               // transforms, or eigenvectors, along two axes; tridiagonal systems along the third
  conjugate_gradients,  // any mesh, any solids
};

struct Choice {
  Pressure pressure = Pressure::direct;  // never automatic
  bool by_modes = false;                 // direct, with eigenvectors instead of transforms
  bool preconditioned =
      false;  // conjugate gradients, preconditioned by the direct solver of the box without its solids
  std::array<int, 3> order = {0, 1, 2};  // axes of the problem as first (contiguous), second and third
  std::string reason;                    // one sentence, for the user
};

/// Eigenvectors along an axis take as many operations per cell as the axis has cells, and their computation the cube of
/// that. For more cells than this conjugate gradients are used unless the direct solver is requested.
inline constexpr int max_mode_cells = 1024;

/// The choice is the same on all devices. Throws std::invalid_argument, with the reason, if the direct solver is
/// requested for a problem with solids.
Choice choose(const Problem& problem, Pressure wanted);
/// The order of axes in which the direct solver can solve the box without its solids by transforms; nothing if there is
/// none.
std::optional<std::array<int, 3>> direct_order(const Problem& problem);

/// The mapping of cell (i, j, k) of a solver, whose axis d is axis order[d] of the problem, to its index in a state.
struct AxisOrder {
  std::array<int, 3> order;
  Extents extents;  // the solver's
  Extents given() const {
    int all[3];
    for (std::size_t d = 0; d < 3; ++d) all[order[d]] = extents.extent(static_cast<int>(d));
    return {all[0], all[1], all[2]};
  }
  /// A value of a state as one of the solver: its array, and its cell.
  CellValue of_solver(const CellValue& given) const {
    CellValue own = given;
    for (std::size_t d = 0; d < 3; ++d) {
      own.cell[d] = given.cell[static_cast<std::size_t>(order[d])];
      if (given.array == order[d]) own.array = static_cast<int>(d);
    }
    return own;
  }
  std::size_t at(int i, int j, int k) const {
    int index[3];
    index[order[0]] = i;
    index[order[1]] = j;
    index[order[2]] = k;
    return given().at(index[0], index[1], index[2]);
  }
};

}  // namespace speedwell::incompressible_flow
