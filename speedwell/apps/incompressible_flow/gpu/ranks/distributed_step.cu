// A step on several GPUs: its kernels, and the recorded graphs.
#include <utility>

#include "speedwell/apps/incompressible_flow/gpu/ranks/distributed_parts.hpp"
#include "speedwell/core/cuda_trace.hpp"

namespace speedwell::incompressible_flow {

/// Fills the ghost planes of the given flow; in steps with Transport::peer they then stay filled.
template <class T>
void DistributedGpuSolver<T>::Parts::exchange_given(const core::Stream& stream) {
  if (!is_divided()) return;
  T* const velocities[] = {first_plane(given[0].data()), first_plane(given[1].data()), first_plane(given[2].data())};
  velocity_halo->exchange(velocities, stream);
}

/// Fills the ghost plane of the third velocity of the present flow below this slab: the one that a convection rate
/// reads and that no step has to have filled when it ends.
template <class T>
void DistributedGpuSolver<T>::Parts::complete_third_velocity(const core::Stream& stream) {
  if (!is_divided()) return;
  // With Transport::peer the last projection of the slab below stores it, and that is done when that rank comes here.
  if (peer_fields) return peer_fields->barrier(stream);
  T* const third[] = {first_plane(field(now, 2))};
  component_halo->exchange(third, stream);
}

/// The same for all planes of all velocities, which statistics read.
template <class T>
void DistributedGpuSolver<T>::Parts::complete_velocities(const core::Stream& stream) {
  if (!is_divided()) return;
  // With Transport::peer the last projection of a slab stores those of its first and of its last plane.
  if (peer_fields) return peer_fields->barrier(stream);
  exchange_velocities(now, stream);
}

template <class T>
void DistributedGpuSolver<T>::Parts::exchange_velocities(int set, const core::Stream& stream) {
  T* const velocities[] = {first_plane(field(set, 0)), first_plane(field(set, 1)), first_plane(field(set, 2))};
  velocity_halo->exchange(velocities, stream);
}

template <class T>
void DistributedGpuSolver<T>::Parts::record(const core::Stream& stream) {
  if (!is_recorded() || recorded_on == stream.get()) return;
  for (int parity = 0; parity < 2; ++parity)
    recorded[parity] = core::Graph(stream, [&] { enqueue_step(parity, stream); });
  recorded_on = stream.get();
}

template <class T>
void DistributedGpuSolver<T>::Parts::enqueue_steps(double dt, int steps, const core::Stream& stream) {
  const bool replays = is_recorded() && !core::Trace::active();  // a graph has no spans
  record(stream);
  for (int s = 0; s < steps; ++s) {
    if (s == 0 || problem.strain) set_step(dt, stream);
    replays ? recorded[now].launch(stream) : enqueue_step(now, stream);
    now = 1 - now;  // the three parts of a step swap the fields three times
    time += dt;
    ++step;
  }
}

template <class T>
void DistributedGpuSolver<T>::Parts::begin_step(int parity, const core::Stream& stream) {
  if (peer_fields)
    peer_fields->begin_step(stream);
  else if (steps.size() > 0)
    gpu::enqueue_step_count(steps.data(), stream);
  if (options.method.scheme != Scheme::s3) return;
  // Every part diffuses one half of the flow at the start of a step, for which it reads the neighbours' planes.
  if (implicit && is_divided()) exchange_velocities(parity, stream);
  for (int c = 0; c < 3; ++c)
    core::copy_async(rk_register[c].data(), static_cast<const T*>(field(parity, c)), layout.size, stream);
}

template <class T>
void DistributedGpuSolver<T>::Parts::enqueue_step(int parity, const core::Stream& stream) {
  begin_step(parity, stream);
  for (int part = 0; part < 3; ++part) {
    const int from = part % 2 == 0 ? parity : 1 - parity;
    enqueue_part(part, from, 1 - from, stream);
  }
  if (implicit) implicit->end_step(stream);
}

template <class T>
void DistributedGpuSolver<T>::Parts::enqueue_part(int part, int from, int to, const core::Stream& stream) {
  const bool from_start = options.method.scheme == Scheme::s3, last = part == 2;
  const RungeKuttaCoefficients s = runge_kutta_coefficients(options.method.scheme)[static_cast<std::size_t>(part)];
  gpu::Momentum<T> m = {.shape = shape,
                        .metrics = metrics,
                        .values = values.data(),
                        .viscosity = static_cast<T>(trapezoidal() ? 0 : problem.viscosity),
                        .now = s.now,
                        .before = s.before,
                        .keeps_rate = !from_start && !last,
                        .part = part,
                        .strained = problem.strain.has_value()};
  gpu::Divergence<T> d = {.shape = shape,
                          .metrics = metrics,
                          .values = values.data(),
                          .length = s.length,
                          .out = source.data(),
                          .by_cell = implicit ? implicit->divergence() : nullptr};
  gpu::Projection<T> p = projection;
  p.shape = shape;
  p.metrics = metrics;
  p.values = values.data();
  p.length = s.length;
  p.pressure = source.data();
  p.keeps_bulk = problem.keeps_bulk();
  for (int c = 0; c < 3; ++c) {
    m.u[c] = cell(field(from, c));
    m.base[c] = from_start ? cell(rk_register[c].data()) : m.u[c];
    m.rate[c] = from_start ? nullptr : cell(rk_register[c].data());
    m.start[c] = from_start ? cell(rk_register[c].data()) : nullptr;
    m.next[c] = cell(field(to, c));
    d.u[c] = cell(field(to, c));
    p.u[c] = cell(field(to, c));
  }
  const auto traced = [&](const char* name, const auto& work) {
    const core::DeviceSpan span(name, core::TraceCategory::compute, stream.get());
    work();
  };
  const auto complete = [&] {
    traced("pressure", [&] { direct->solve(source.data(), number(part), stream); });
    traced("projection", [&] { gpu::enqueue(p, stream); });
    // With S3 every part starts from the pressure of the previous step.
    if (implicit && (!from_start || last)) implicit->end_part(source.data(), s.length, stream);
  };
  if (peer_fields || !is_divided()) {
    if (peer_fields) m.neighbors = d.neighbors = p.neighbors = peer_fields->neighbors(to, part);
    traced("momentum", [&] { gpu::enqueue(m, stream); });
    enqueue_middle(part, from, to, stream);
    traced("divergence", [&] { gpu::enqueue(d, stream); });
    return complete();
  }
  const int planes = slab.count();
  T* const velocities[] = {first_plane(field(from, 0)), first_plane(field(from, 1)), first_plane(field(from, 2))};
  velocity_halo->start(velocities, stream);
  traced("momentum, interior", [&] { gpu::enqueue(m, 1, planes - 1, stream); });
  velocity_halo->finish(velocities, stream);
  gpu::enqueue(m, 0, 1, stream);
  if (planes > 1) gpu::enqueue(m, planes - 1, planes, stream);

  enqueue_middle(part, from, to, stream);
  T* const component[] = {first_plane(field(to, 2))};
  component_halo->start(component, stream);
  traced("divergence, interior", [&] { gpu::enqueue(d, 1, planes, stream); });
  component_halo->finish(component, stream);
  gpu::enqueue(d, 0, 1, stream);

  complete();
}

template <class T>
void DistributedGpuSolver<T>::Parts::enqueue_middle(int part, int from, int to, const core::Stream& stream) {
  const bool from_start = options.method.scheme == Scheme::s3;
  if (implicit) {
    const RungeKuttaCoefficients s = runge_kutta_coefficients(options.method.scheme)[static_cast<std::size_t>(part)];
    typename gpu::DistributedDiffusion<T>::Part of_diffusion{.first = {}, .u = {}, .next = {}, .length = s.length};
    for (int c = 0; c < 3; ++c) {
      of_diffusion.u[c] = cell(field(from, c));
      of_diffusion.first[c] = from_start ? cell(rk_register[c].data()) : of_diffusion.u[c];
      of_diffusion.next[c] = cell(field(to, c));
    }
    implicit->begin_part(of_diffusion, stream);
  }
  enqueue_bulk_change(to, from_start || part == 0, stream);
  move_mesh(part + 1, stream);
}

template <class T>
void DistributedGpuSolver<T>::Parts::enqueue_bulk_change(int set, bool first, const core::Stream& stream) {
  if (!problem.keeps_bulk()) return;
  const T* const u[] = {cell(field(set, 0)), cell(field(set, 1)), cell(field(set, 2))};
  gpu::enqueue_bulk_change<T>(*cells, shape, metrics, u, problem.bulk_velocity, first, values.data(), stream,
                              sums ? &*sums : nullptr);
}

#define SPEEDWELL_DISTRIBUTED_STEP(T)                                                                \
  template void DistributedGpuSolver<T>::Parts::exchange_given(const core::Stream&);                 \
  template void DistributedGpuSolver<T>::Parts::complete_third_velocity(const core::Stream&);        \
  template void DistributedGpuSolver<T>::Parts::complete_velocities(const core::Stream&);            \
  template void DistributedGpuSolver<T>::Parts::exchange_velocities(int, const core::Stream&);       \
  template void DistributedGpuSolver<T>::Parts::begin_step(int, const core::Stream&);                \
  template void DistributedGpuSolver<T>::Parts::enqueue_middle(int, int, int, const core::Stream&);  \
  template void DistributedGpuSolver<T>::Parts::enqueue_bulk_change(int, bool, const core::Stream&); \
  template void DistributedGpuSolver<T>::Parts::record(const core::Stream&);                         \
  template void DistributedGpuSolver<T>::Parts::enqueue_steps(double, int, const core::Stream&);     \
  template void DistributedGpuSolver<T>::Parts::enqueue_step(int, const core::Stream&);              \
  template void DistributedGpuSolver<T>::Parts::enqueue_part(int, int, int, const core::Stream&);
SPEEDWELL_DISTRIBUTED_STEP(float)
SPEEDWELL_DISTRIBUTED_STEP(double)
#undef SPEEDWELL_DISTRIBUTED_STEP

}  // namespace speedwell::incompressible_flow
