// The GPU variants in the order of the ladder. The table does not depend on CUDA: a build without it lists them, too.
#pragma once

#include <string_view>

namespace speedwell::new_application {

struct Step {
  std::string_view name;
  std::string_view description;  // what it adds to the one before
};

/// The last one, `cuda`, is the recommended implementation. launch_of() of cuda.hpp has their functions.
inline constexpr Step steps[] = {
    {"cuda", "one element per thread"},
};

}  // namespace speedwell::new_application
