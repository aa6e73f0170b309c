// The GPU variants of FT as a table that knows no CUDA: names, and what each adds to the one before.
#pragma once

#include <string_view>

#include "speedwell/apps/npb/ft/ft.hpp"

namespace speedwell::npb::ft {

struct Step {
  std::string_view name;
  std::string_view description;
  std::string_view lineage = {};
  int arrays = 4;            // of complex numbers in device memory: modes, field and what the transforms work in
  bool factor_array = true;  // and one of the factors of all modes
};

inline constexpr Step steps[] = {
    {"cuda-one-kernel", "one kernel for each direction, a thread for each line: it copies, transforms and copies back",
     "Xu et al. 2015, as the 2018 study describes it"},
    {"cuda-three-kernels", "a kernel that copies in and one that copies out, with a thread for each point",
     "FT of the 2018 study"},
    {"cuda-layouts", "lines side by side in the work space: [z][x][y] along x, [z][y][x] along y, vertical along z",
     "FT of the 2018 study, its layouts"},
    {.name = "cuda",
     .description =
         "three passes over memory a step, in blocks' registers: factors go with the loads of the first, the last is "
         "looked at and not stored: not reportable under the NPB rules",
     .arrays = 2,
     .factor_array = false},
};

/// Of device memory.
inline double device_bytes(const Step& step, const Problem& problem) {
  return (16 * step.arrays + (step.factor_array ? 8 : 0)) * static_cast<double>(points(problem));
}

}  // namespace speedwell::npb::ft
