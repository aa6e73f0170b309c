// The GPU variants, each of which adds an idea to the one before.
#pragma once

#include "speedwell/core/ladder_step.hpp"

namespace speedwell::fft {

using Step = core::LadderStep;

inline constexpr Step steps[] = {
    {"cuda-transposed", "each axis is made contiguous in turn: rows are transformed and stored as columns",
     "section 5.5, with transposes"},
    {"cuda-passes", "each axis in its layout: a block transforms neighbouring columns",
     "section 5.5, without transposes"},
    {"cuda",
     "two axes in one pass over memory, the columns of a plane following its rows in the second-level cache; 256 cubed "
     "in two passes in all, by thread block clusters"},
};

}  // namespace speedwell::fft
