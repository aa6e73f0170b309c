// Cells beside solids and the closed faces between, as tables.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/apps/incompressible_flow/problem.hpp"

namespace speedwell::incompressible_flow {

struct Interface {
  std::vector<std::int64_t> cell, place;  // of fluid beside solids, by index: in the order of cells, and of transforms
  std::vector<double> inverse_volume;
  std::vector<int> first;        // of a cell's faces, and one number more
  std::vector<std::int64_t> to;  // the solid's cell behind a face, in the order of transforms
  std::vector<double> weight;    // area over the distance of the two cells
};
/// Of a problem whose axes are in the order of the choice: transforms are along x and y.
Interface interface_of(const Problem& problem);

}  // namespace speedwell::incompressible_flow
