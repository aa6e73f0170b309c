// The scalars of BiCGSTAB in device memory, for an iteration of library calls: the libraries read and write them there
// (cuBLAS's device pointer mode), so that the host waits once per iteration and not for every dot product.
#pragma once

#include "speedwell/core/cuda.hpp"

namespace speedwell::blast_wave {

/// Names as in figure 1 of the article. `shadow_v`, `tr`, `tt`, `rr` and `rho` are written by dot products, the others
/// by the functions below.
struct LibraryScalars {
  double rho, rho_before, alpha, minus_alpha, omega, minus_omega, beta;
  double shadow_v, tr, tt, rr;
  double one, minus_one;
};

/// Each is one kernel of one thread on `stream`, and throws core::DeviceError if it cannot be launched. Sets the
/// scalars before the first iteration, and the constants.
void begin_scalars(LibraryScalars* scalars, const core::Stream& stream);
/// beta = rho / rho_before * (alpha / omega); then rho_before = rho.
void make_beta(LibraryScalars* scalars, const core::Stream& stream);
/// alpha = rho / shadow_v.
void make_alpha(LibraryScalars* scalars, const core::Stream& stream);
/// omega = tr / tt; 0 where t is zero.
void make_omega(LibraryScalars* scalars, const core::Stream& stream);

}  // namespace speedwell::blast_wave
