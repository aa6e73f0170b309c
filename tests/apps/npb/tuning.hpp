// Alternatives to the shape of the best GPU variant's kernel.
#pragma once

#include <span>
#include <string_view>

#include "speedwell/apps/npb/ep/gpu/launch.hpp"

namespace speedwell::npb::ep {

struct Alternative {
  std::string_view name;
  Launch* function;
};
std::span<const Alternative> alternatives();

}  // namespace speedwell::npb::ep
