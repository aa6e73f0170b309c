// Statistics and fields of a lattice, computed on the device.
#pragma once

#include "speedwell/apps/binary_fluid/gpu/planes.hpp"
#include "speedwell/apps/binary_fluid/gpu/site_statistics.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::binary_fluid::device {

/// The statistics of the sites in `planes`, at least one plane. `phi`: the values of phi_pass() at these sites and
/// their neighbours, by index of the site. Waits for the result, which has the same bits in every run on devices of one
/// kind.
template <class S, class R>
SiteSums sums(const Domain& box, const SumsProblem& k, const Populations<S>& at, const R* phi,
              const core::Stream& stream, Planes planes = all_planes);

/// Enqueues the computation of five values for each of the n sites of the box: `density` (its difference from 1) and
/// `phi` have n elements, and `velocity` has 3 n, the three components of a site side by side.
template <class S>
void fields_pass(const Domain& box, const SumsProblem& k, const Populations<S>& at, double* density, double* phi,
                 double* velocity, const core::Stream& stream);

}  // namespace speedwell::binary_fluid::device
