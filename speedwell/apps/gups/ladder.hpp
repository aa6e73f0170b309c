// Table of the GPU variants, independent of CUDA: names, what each adds to the one before, and their methods.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "speedwell/apps/gups/gpu_plan.hpp"
#include "speedwell/core/ladder_step.hpp"

namespace speedwell::gups {

struct Step : core::LadderStep {
  Method method;
};

inline constexpr Step steps[] = {
    {{"cuda-atomic", "a segment of the stream per thread, every update an immediate atomic XOR in memory"},
     Method::direct},
    {{"cuda-windows",
      "the stream regenerated for each window of 32 MiB of the table, which stays in the second-level cache"},
     Method::windows},
    {{"cuda-regions",
      "the stream regenerated for each region of 128 KiB of the table, whose updates are accumulated in shared memory"},
     Method::regions},
    {{"cuda-binned",
      "the stream generated once, its updates partitioned by region and stored; regions are updated in shared memory"},
     Method::binned},
    {{"cuda-parts",
      "the same for each part of 2^25 words, whose updates are found in the stream by jumps over the words between"},
     Method::parts},
};
/// And `cuda`: the fastest of these variants for the size of the table.
inline constexpr std::string_view best = "cuda";
Method best_method(const Problem& problem);

/// The method of the variant of this name, `cuda` included. Throws std::logic_error for any other name.
inline Method method_of(std::string_view step, const Problem& problem) {
  if (step == best) return best_method(problem);
  for (const Step& s : steps)
    if (s.name == step) return s.method;
  throw std::logic_error("gups has no step " + std::string(step));
}

}  // namespace speedwell::gups
