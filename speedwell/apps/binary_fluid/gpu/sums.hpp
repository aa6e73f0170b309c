// Statistics and fields of a lattice, made where it is.
#pragma once

#include "speedwell/apps/binary_fluid/gpu/site_statistics.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::binary_fluid::device {

/// phi: of every site, as phi_pass() makes it. Waits. The same bits every time on devices of one kind.
template <class S, class R>
SiteSums sums(const Domain& box, const SumsProblem& k, const Populations<S>& at, const R* phi,
              const core::Stream& stream);

/// Five values a site, one field after the other: density (its difference from 1), phi, and the velocity, side by side.
template <class S>
void fields_pass(const Domain& box, const SumsProblem& k, const Populations<S>& at, double* density, double* phi,
                 double* velocity, const core::Stream& stream);

}  // namespace speedwell::binary_fluid::device
