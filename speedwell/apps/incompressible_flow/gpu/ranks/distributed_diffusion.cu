#include <string>

#include "speedwell/apps/incompressible_flow/gpu/ranks/distributed_diffusion.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::incompressible_flow::gpu {

template <class T>
DistributedDiffusion<T>::DistributedDiffusion(const Settings& settings, const core::Stream& stream)
    : s_(settings), cells_(settings.shape) {
  const auto cells = static_cast<std::size_t>(s_.shape.cell(0, 0, s_.shape.n[2]));
  const auto plane = static_cast<std::size_t>(s_.shape.cell(0, 0, 1));
  first_ = s_.planes ? plane : 0;
  pressure_ = core::DeviceBuffer<T>(cells + 2 * first_);
  given_ = core::DeviceBuffer<T>(cells);
  divergence_ = core::DeviceBuffer<T>(cells);
  for (auto* field : {&pressure_, &given_, &divergence_}) core::fill_bytes_async(*field, 0, stream);
  cells_.clear(stream);
  trapezoid_ = Trapezoidal<T>{.shape = s_.shape,
                              .metrics = s_.metrics,
                              .values = s_.values,
                              .viscosity = s_.viscosity,
                              .pressure = pressure(),
                              .right = divergence_.data()};
  if (s_.viscosity == 0) return;
  typename DiffusionCg<T>::Settings of_cg{.shape = s_.shape,
                                          .metrics = s_.metrics,
                                          .wall_drag = {},
                                          .ghosts = {},
                                          .viscosity = s_.viscosity,
                                          .sums = s_.sums,
                                          .planes = s_.planes};
  for (int c = 0; c < 3; ++c)
    for (int d = 0; d < 3; ++d)
      for (int side = 0; side < 2; ++side) of_cg.ghosts[c][d][side] = s_.ghosts[c][d][side];
  cg_.emplace(of_cg, stream);
}

template <class T>
void DistributedDiffusion<T>::begin_part(const Part& part, const core::Stream& stream) {
  if (s_.planes) {
    T* const from_plane_below[] = {pressure_.data()};
    s_.planes->exchange(from_plane_below, stream);
  }
  Trapezoidal<T> t = trapezoid_;
  t.length = part.length;
  for (int c = 0; c < 3; ++c) {
    t.first[c] = part.first[c];
    t.next[c] = part.next[c];
  }
  enqueue_first_half(cells_, t, stream);
  for (int c = 0; c < 3 && cg_; ++c) cg_->solve(c, part.length, s_.values, part.u[c], part.next[c], stream, true);
}

template <class T>
void DistributedDiffusion<T>::end_part(const T* change, double length, const core::Stream& stream) {
  Trapezoidal<T> t = trapezoid_;
  t.length = length;
  t.change = change;
  enqueue_pressure(cells_, t, stream);
}

template <class T>
void DistributedDiffusion<T>::end_step(const core::Stream& stream) {
  enqueue_centred(cells_, trapezoid_, stream, s_.sums);
}

template <class T>
int DistributedDiffusion<T>::iterations(const core::Stream& stream) {
  if (!cg_) return 0;
  const auto report = cg_->report(stream);
  if (report.failed)
    throw core::DeviceError("the diffusion solver does not converge: a residual of " + std::to_string(report.residual) +
                            " times the right-hand side's after " + core::counted(report.iterations, "iteration"));
  return report.iterations;
}

template class DistributedDiffusion<float>;
template class DistributedDiffusion<double>;

}  // namespace speedwell::incompressible_flow::gpu
