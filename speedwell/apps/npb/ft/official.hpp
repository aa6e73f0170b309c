// The classes of FT and their official checksums.
#pragma once

#include <span>

#include "speedwell/apps/npb/classes.hpp"
#include "speedwell/apps/npb/ft/ft.hpp"

namespace speedwell::npb::ft {

struct Official {
  Class c;
  Problem problem;
  Checksums checksums;
};
/// All classes, in ascending order of their size.
std::span<const Official> official();

}  // namespace speedwell::npb::ft
