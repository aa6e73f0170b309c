// Row kernels, for one instruction set, of sites that are stored as fifteen numbers after their collision
// (collided.hpp), and their arguments. The algorithm is that of the GPU (march.hpp), with a row instead of a thread.
#pragma once

#include <cstdint>

#include "speedwell/apps/binary_fluid/cpu/cpu_rows.hpp"
#include "speedwell/apps/binary_fluid/lattice/collision.hpp"
#include "speedwell/core/simd/isa.hpp"

namespace speedwell::binary_fluid {

/// Rows are padded for a ghost site on either side and to whole vectors: row_pitch is the distance between rows,
/// row_margin the number of elements before the first site of a row.
constexpr std::int64_t row_margin = 16;
constexpr std::int64_t row_pitch(std::int64_t n) { return (n + 15) / 16 * 16 + 2 * row_margin; }

/// Number of partial moments of a site in `low` and `here`, in the order of Moments.
constexpr int moment_fields = 14;

/// Rows of the populations that arrive at a row: population p begins at of[p], already shifted along x.
template <class R>
struct Incoming {
  const R* of[velocities] = {};
};

/// The ghost sites of a row: its own last and first one, or sites that are stored beside it. Of a row whose ghosts are
/// stored, kernels write no element outside of the n sites.
enum class Ghosts { periodic, stored };

template <class S, class R>
struct MomentKernels {
  /// Computes the outgoing populations of a row of n collided sites and of a ghost site on either side: population p
  /// begins at f + p * pitch, g likewise. If f is null, only g is computed.
  void (*leave)(const Coefficients<R>& k, int n, Ghosts ghosts, const S* from, std::int64_t stride, R* f, R* g);
  /// Adds the incoming g of one plane to phi of three rows: that of the plane below, which is complete then and written
  /// to `out` unless that is null, with its ghosts if they are periodic, that of this plane (low after the call) and
  /// that of the plane above (here).
  void (*phi)(int n, Ghosts ghosts, const Incoming<R>& g, R* low, R* here, R* out);
  /// Does the same for all moments; the completed row of the plane below collides into `to`, unless that is null.
  void (*step)(const Coefficients<R>& k, int n, const Incoming<R>& f, const Incoming<R>& g, R* low, R* here,
               const Stack<R>& phi, S* to, std::int64_t stride, bool streaming);
  /// Computes phi of a row of populations, with its ghosts if they are periodic.
  void (*first_phi)(int n, Ghosts ghosts, const S* g, std::int64_t stride, R* out);
  /// Collides a row of populations; the result is stored in the first fifteen slots of f.
  void (*first_step)(const Coefficients<R>& k, int n, S* f, const S* g, std::int64_t stride, const Stack<R>& phi);
  /// Orders the streaming stores of this thread before its later stores.
  void (*fence)();
};

template <class S, class R>
MomentKernels<S, R> moment_kernels(core::Isa isa);

}  // namespace speedwell::binary_fluid
