// The classes of FT and their official checksums.
#pragma once

#include <span>

#include "speedwell/apps/npb/classes.hpp"
#include "speedwell/apps/npb/ft/ft.hpp"

namespace speedwell::npb::ft {

/// A class of FT with the checksums that NPB 3.4 verifies against, one for each time step.
struct Official {
  Class c;
  Problem problem;
  Checksums checksums;
};
/// All classes, in ascending order of their size.
std::span<const Official> official();

}  // namespace speedwell::npb::ft
