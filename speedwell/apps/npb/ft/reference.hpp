// The oracle for problems without published results.
#pragma once

#include "speedwell/apps/npb/ft/ft.hpp"

namespace speedwell::npb::ft {

/// The same field without a Fourier transform, in extended precision if the platform has it: a factor per mode is a
/// convolution in physical space, whose kernel is a product over the axes. The sums of the convolution are evaluated
/// directly at the points of the checksum. It shares no code, not even the generator, with the implementations that it
/// verifies. The time grows as points(problem) times the largest extent (up to 1024 if extents are not powers of two):
/// seconds for class W.
Checksums reference(const Problem& problem);

}  // namespace speedwell::npb::ft
