// The GPU variants as a table that knows no CUDA: names, what each adds to the one before, where updates go.
#pragma once

#include <string_view>

#include "speedwell/apps/gups/gpu_plan.hpp"

namespace speedwell::gups {

struct Step {
  std::string_view name;
  std::string_view description;
  Way way;
};

inline constexpr Step steps[] = {
    {"cuda-atomic", "a stretch of the stream for each thread, every update an atomic XOR in memory at once",
     Way::direct},
    {"cuda-windows",
     "the stream made once for each 32 MiB of the table, which stay in the second-level cache meanwhile", Way::windows},
    {"cuda-regions", "the stream made once for each 128 KiB of the table, whose changes gather in shared memory",
     Way::regions},
    {"cuda-binned", "the stream made once, its updates sorted by region and stored; regions change in shared memory",
     Way::binned},
};
/// And `cuda`: that of the steps which is the fastest for the size of the table.
inline constexpr std::string_view best = "cuda";
Way best_way(const Problem& problem);

}  // namespace speedwell::gups
