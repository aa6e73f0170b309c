// The table of the GPU variants of FT, without CUDA: names, and what each adds to the one before.
#pragma once

#include "speedwell/apps/npb/ft/ft.hpp"
#include "speedwell/core/ladder_step.hpp"

namespace speedwell::npb::ft {

struct Step : core::LadderStep {
  int arrays = 4;            // complex arrays in device memory: modes, field and work space of the transforms
  bool factor_array = true;  // whether there is an array of the factors of all modes
};

inline constexpr Step steps[] = {
    {{"cuda-one-kernel", "one kernel per axis, one thread per line: it copies, transforms and copies back",
      "Xu et al. 2015, as the 2018 study describes it"}},
    {{"cuda-three-kernels", "separate kernels for the copies to and from the work space, one thread per point",
      "FT of the 2018 study"}},
    {{"cuda-layouts", "lines interleaved in the work space: [z][x][y] along x, [z][y][x] along y, vertical along z",
      "FT of the 2018 study, its layouts"}},
    {{"cuda",
      "three passes over memory per step: the first applies the factors in its loads, and the last stores only the "
      "terms of the checksum: not reportable under the NPB rules"},
     2,
     false},
};

/// Bytes of device memory.
inline double device_bytes(const Step& step, const Problem& problem) {
  return (16 * step.arrays + (step.factor_array ? 8 : 0)) * static_cast<double>(points(problem));
}

/// Bytes of device memory of all ranks of the variant `multi`, where GPUs reach each other's memory: the modes, the two
/// slabs of the time steps, and of the first transform a slab before its exchange and one after it.
inline double device_bytes_of_ranks(const Problem& problem) { return 5 * 16 * static_cast<double>(points(problem)); }

}  // namespace speedwell::npb::ft
