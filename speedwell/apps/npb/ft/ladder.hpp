// The GPU variants of FT as a table that knows no CUDA: names, and what each adds to the one before.
#pragma once

#include <string_view>

#include "speedwell/apps/npb/ft/ft.hpp"

namespace speedwell::npb::ft {

struct Step {
  std::string_view name;
  std::string_view adds;
  std::string_view lineage;
};

inline constexpr Step steps[] = {
    {"cuda-one-kernel", "one kernel for each direction, a thread for each line: it copies, transforms and copies back",
     "Xu et al. 2015, as the 2018 study describes it"},
    {"cuda-three-kernels", "a kernel that copies in and one that copies out, with a thread for each point",
     "FT of the 2018 study"},
    {"cuda-layouts", "lines side by side in the work space: [z][x][y] along x, [z][y][x] along y, vertical along z",
     "FT of the 2018 study, its layouts"},
};

/// Of device memory, that every step takes: modes, field and two work spaces of the transforms, and the factors.
inline double device_bytes(const Problem& problem) { return 72 * static_cast<double>(points(problem)); }

}  // namespace speedwell::npb::ft
