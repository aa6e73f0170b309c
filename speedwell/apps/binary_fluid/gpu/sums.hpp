// Statistics and fields of a lattice, computed on the device.
#pragma once

#include "speedwell/apps/binary_fluid/gpu/planes.hpp"
#include "speedwell/apps/binary_fluid/gpu/site_statistics.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::binary_fluid::device {

/// The sums over some planes of the box. `phi` is that of these sites and of those beside them, as computed by
/// phi_pass(). Waits for the result, which has the same bits in every run
/// on devices of one kind.
template <class S, class R>
SiteSums sums(const Domain& box, const SumsProblem& k, const Populations<S>& at, const R* phi,
              const core::Stream& stream, Planes planes = all_planes);

/// Computes five values per site, one field after the other: density (its difference from 1), phi, and the velocity
/// with its components adjacent.
template <class S>
void fields_pass(const Domain& box, const SumsProblem& k, const Populations<S>& at, double* density, double* phi,
                 double* velocity, const core::Stream& stream);

}  // namespace speedwell::binary_fluid::device
