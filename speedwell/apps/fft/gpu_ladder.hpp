// The GPU variants in the order in which each adds an idea.
#pragma once

#include <string_view>

namespace speedwell::fft {

struct Step {
  std::string_view name, description, lineage;
};
inline constexpr Step steps[] = {
    {"cuda-transposed", "each axis in turn contiguous: rows are transformed and stored as columns",
     "section 5.5, with transposes"},
    {"cuda-passes", "each axis where it lies: neighbouring columns side by side in a block",
     "section 5.5, without transposes"},
    {"cuda",
     "two axes in one way through memory, a plane's columns following its rows in the second-level cache; 256 cubed in "
     "two "
     "ways in all, by clusters of blocks",
     ""},
};

}  // namespace speedwell::fft
