// Rows of sites that are kept as fifteen numbers after their collision (collided.hpp), in one instruction set: what
// cpu_lattice_moments.cpp hands them, and what they do. As on the GPU (march.hpp), with a row in the place of a thread.
#pragma once

#include <cstdint>

#include "speedwell/apps/binary_fluid/collision.hpp"
#include "speedwell/apps/binary_fluid/cpu_rows.hpp"
#include "speedwell/core/isa.hpp"

namespace speedwell::binary_fluid {

/// Rows with room for a ghost on either side and whole vectors: elements from row to row, and before a row's first.
constexpr std::int64_t row_margin = 16;
constexpr std::int64_t row_pitch(std::int64_t n) { return (n + 15) / 16 * 16 + 2 * row_margin; }

/// Partial moments of a site in `low` and `here`: those of Moments, in its order.
constexpr int moment_fields = 14;

/// Rows of populations that come to a row: that of p begins at of[p], neighbours along x already taken into account.
template <class R>
struct Incoming {
  const R* of[velocities] = {};
};

template <class S, class R>
struct MomentKernels {
  /// The populations that leave a row of n collided sites, with ghosts around the periodic box: population p begins at
  /// f + p * pitch, g likewise. f null: g alone.
  void (*leave)(const Coefficients<R>& k, int n, const S* from, std::int64_t stride, R* f, R* g);
  /// Incoming g of one plane into phi of rows: of the plane below, completed and written to `out` with its ghosts
  /// unless that is null, of this plane (low after the call) and of the plane above (here).
  void (*phi)(int n, const Incoming<R>& g, R* low, R* here, R* out);
  /// The same of all moments; rows of the plane below, completed, collide into `to`, unless that is null.
  void (*step)(const Coefficients<R>& k, int n, const Incoming<R>& f, const Incoming<R>& g, R* low, R* here,
               const Stack<R>& phi, S* to, std::int64_t stride, bool streaming);
  /// phi of a row of populations, with ghosts.
  void (*first_phi)(int n, const S* g, std::int64_t stride, R* out);
  /// The collision of a row of populations; f's first fifteen slots take the result.
  void (*first_step)(const Coefficients<R>& k, int n, S* f, const S* g, std::int64_t stride, const Stack<R>& phi);
  /// Orders streaming stores of this thread before what it stores next.
  void (*fence)();
};

template <class S, class R>
MomentKernels<S, R> moment_kernels(core::Isa isa);

}  // namespace speedwell::binary_fluid
