// Tables of the fluid cells next to solids, and of the closed faces between them.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/apps/incompressible_flow/problem.hpp"

namespace speedwell::incompressible_flow {

struct Interface {
  std::vector<std::int64_t> cell,
      transform_index;  // indices of fluid cells next to solids: in the order of cells, and of transforms
  std::vector<double> inverse_volume;
  std::vector<int> first;        // offsets of the cells' faces, and their end
  std::vector<std::int64_t> to;  // the solid cell behind a face, in the order of transforms
  std::vector<double> weight;    // area over the distance of the two cells
};
/// For a problem whose axes are in the order of the choice: transforms are along x and y.
Interface interface_of(const Problem& problem);

}  // namespace speedwell::incompressible_flow
