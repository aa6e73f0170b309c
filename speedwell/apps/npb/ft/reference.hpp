// The oracle where there is no published answer.
#pragma once

#include "speedwell/apps/npb/ft/ft.hpp"

namespace speedwell::npb::ft {

/// The same field without a Fourier transform of it, in extended precision where the platform has it: a factor in the
/// space of modes is a convolution in the space of points, with a kernel that is a product of one for each axis, and
/// the sums of the convolution are taken as they stand at the points that the checksum wants. Shares nothing with what
/// it judges, the generator included. Time grows as points(problem) times the largest extent (up to 1024 where extents
/// are not powers of two): seconds for class W.
Checksums reference(const Problem& problem);

}  // namespace speedwell::npb::ft
