// Kernel launches on a stream: passes over a lattice, one thread per site, and marches through it, for some of the
// planes of the box: there must be at least one.
#pragma once

#include "speedwell/apps/binary_fluid/gpu/crossing.hpp"
#include "speedwell/apps/binary_fluid/gpu/planes.hpp"
#include "speedwell/apps/binary_fluid/gpu/site.hpp"
#include "speedwell/apps/binary_fluid/lattice/collision.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::binary_fluid::device {

/// Computes phi of every site.
template <class S, class R>
void phi_pass(const Domain& box, const Populations<S>& at, R* phi, const core::Stream& stream,
              Planes planes = all_planes);
template <class R>
void laplacian_pass(const Domain& box, Stencil stencil, const R* field, R* laplacian, const core::Stream& stream,
                    Planes planes = all_planes);

/// Takes a step in place. `laplacian` is used by Brazovskii's free energy only.
template <class S, class R>
void in_place_pass(const Domain& box, const Coefficients<R>& k, const Populations<S>& at, const R* phi,
                   const R* laplacian, const core::Stream& stream, Planes planes = all_planes);
/// The collision of every site, and the propagation.
template <class S, class R>
void collide_pass(const Domain& box, const Coefficients<R>& k, const Populations<S>& at, const R* phi,
                  const R* laplacian, const core::Stream& stream, Planes planes = all_planes);
template <class S>
void propagate_pass(const Domain& box, const Populations<S>& from, const Populations<S>& to, const core::Stream& stream,
                    Planes planes = all_planes);

/// Copies populations in natural order between element types.
template <class From, class To>
void copy_pass(const Domain& box, const Populations<From>& from, const Populations<To>& to, const core::Stream& stream,
               Planes planes = all_planes);

/// Collides populations in natural order into collided sites, and propagates collided sites to populations in natural
/// order.
template <class S, class R>
void enter_pass(const Domain& box, const Coefficients<R>& k, const Populations<double>& from, const R* phi, S* to,
                std::int64_t stride, const core::Stream& stream, Planes planes = all_planes);
template <class S, class R>
void leave_pass(const Domain& box, const Coefficients<R>& k, const S* from, std::int64_t stride,
                const Populations<double>& to, const core::Stream& stream, Planes planes = all_planes);

/// Computes phi after the propagation of collided sites, and takes their step (march.hpp).
template <class S, class R>
void phi_march(const Domain& box, const Coefficients<R>& k, const S* from, std::int64_t stride, R* phi,
               const core::Stream& stream, Planes planes = all_planes);
template <class S, class R>
void step_march(const Domain& box, const Coefficients<R>& k, const S* from, S* to, std::int64_t stride, const R* phi,
                const core::Stream& stream, Planes planes = all_planes);

/// Copies the populations that cross the faces of a slab into a field of crossing.hpp, and out of it.
template <class S>
void pack_crossing_pass(const Domain& box, const CrossingFaces& faces, Crossing direction, const Populations<S>& at,
                        S* field, const core::Stream& stream);
template <class S>
void unpack_crossing_pass(const Domain& box, const CrossingFaces& faces, Crossing direction, const S* field,
                          const Populations<S>& at, const core::Stream& stream);

}  // namespace speedwell::binary_fluid::device
