// The classes of FT and the checksums that their runs have to give.
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
/// All classes, from the least.
std::span<const Official> official();

}  // namespace speedwell::npb::ft
