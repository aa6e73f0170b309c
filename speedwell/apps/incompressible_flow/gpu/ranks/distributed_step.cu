// A step on several GPUs: its kernels, and the recorded graphs.
#include <array>
#include <span>
#include <utility>
#include <vector>

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
  T* const velocities[] = {first_plane(field(now, 0)), first_plane(field(now, 1)), first_plane(field(now, 2))};
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
void DistributedGpuSolver<T>::Parts::enqueue_step(int parity, const core::Stream& stream) {
  if (peer_fields) peer_fields->begin_step(stream);
  if (options.method.scheme == Scheme::s3)
    for (int c = 0; c < 3; ++c)
      core::copy_async(rk_register[c].data(), static_cast<const T*>(field(parity, c)), layout.size, stream);
  for (int part = 0; part < 3; ++part) {
    const int from = part % 2 == 0 ? parity : 1 - parity;
    enqueue_part(part, from, 1 - from, stream);
  }
}

template <class T>
void DistributedGpuSolver<T>::Parts::enqueue_part(int part, int from, int to, const core::Stream& stream) {
  const bool from_start = options.method.scheme == Scheme::s3, last = part == 2;
  const RungeKuttaCoefficients s = runge_kutta_coefficients(options.method.scheme)[static_cast<std::size_t>(part)];
  gpu::Momentum<T> m = {.shape = shape,
                        .metrics = metrics,
                        .values = values.data(),
                        .viscosity = static_cast<T>(problem.viscosity),
                        .now = s.now,
                        .before = s.before,
                        .keeps_rate = !from_start && !last,
                        .part = part,
                        .strained = problem.strain.has_value()};
  gpu::Divergence<T> d = {
      .shape = shape, .metrics = metrics, .values = values.data(), .length = s.length, .out = source.data()};
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
  const bool is_first = from_start || part == 0;
  if (peer_fields || !is_divided()) {
    if (peer_fields) m.neighbors = d.neighbors = p.neighbors = peer_fields->neighbors(to, part);
    const gpu::PartNumber number = peer_fields ? peer_fields->number(part) : gpu::PartNumber{};
    traced("momentum", [&] { gpu::enqueue(m, stream); });
    enqueue_bulk_change(to, is_first, stream);
    move_mesh(part + 1, stream);
    traced("divergence", [&] { gpu::enqueue(d, stream); });
    traced("pressure", [&] { direct->solve(source.data(), number, stream); });
    traced("projection", [&] { gpu::enqueue(p, stream); });
    return;
  }
  const int planes = slab.count();
  T* const velocities[] = {first_plane(field(from, 0)), first_plane(field(from, 1)), first_plane(field(from, 2))};
  velocity_halo->start(velocities, stream);
  traced("momentum, interior", [&] { gpu::enqueue(m, 1, planes - 1, stream); });
  velocity_halo->finish(velocities, stream);
  gpu::enqueue(m, 0, 1, stream);
  if (planes > 1) gpu::enqueue(m, planes - 1, planes, stream);

  enqueue_bulk_change(to, is_first, stream);
  move_mesh(part + 1, stream);
  T* const component[] = {first_plane(field(to, 2))};
  component_halo->start(component, stream);
  traced("divergence, interior", [&] { gpu::enqueue(d, 1, planes, stream); });
  component_halo->finish(component, stream);
  gpu::enqueue(d, 0, 1, stream);

  traced("pressure", [&] { direct->solve(source.data(), {}, stream); });
  traced("projection", [&] { gpu::enqueue(p, stream); });
}

/// Sums are added up in the order of the ranks.
template <class T>
void DistributedGpuSolver<T>::Parts::enqueue_bulk_change(int set, bool first, const core::Stream& stream) {
  if (!problem.keeps_bulk()) return;
  const T* const u[] = {cell(field(set, 0)), cell(field(set, 1)), cell(field(set, 2))};
  if (!is_divided())
    return gpu::enqueue_bulk_change<T>(*cells, shape, metrics, u, problem.bulk_velocity, first, values.data(), stream);
  double* const of_ranks = cells->sums();
  gpu::enqueue_bulk_sums<T>(*cells, shape, metrics, u, problem.bulk_velocity, sums ? sums->view() : nullptr, of_ranks,
                            stream);
  if (!sums) {
    constexpr std::size_t count = 6;
    std::array<double, count> mine{}, total{};
    std::vector<double> all(count * static_cast<std::size_t>(ranks.size()));
    core::copy_async(mine.data(), static_cast<const double*>(of_ranks), count, stream);
    stream.synchronize();
    ranks.gather(std::span<const double>(mine), std::span<double>(all));
    for (std::size_t n = 0; n < all.size(); ++n) total[n % count] += all[n];
    core::copy_async(of_ranks, std::as_const(total).data(), count, stream);
    stream.synchronize();
  }
  gpu::enqueue_bulk_change(of_ranks, problem.bulk_velocity, first, values.data(), stream);
}

#define SPEEDWELL_DISTRIBUTED_STEP(T)                                                                \
  template void DistributedGpuSolver<T>::Parts::exchange_given(const core::Stream&);                 \
  template void DistributedGpuSolver<T>::Parts::complete_third_velocity(const core::Stream&);        \
  template void DistributedGpuSolver<T>::Parts::complete_velocities(const core::Stream&);            \
  template void DistributedGpuSolver<T>::Parts::enqueue_bulk_change(int, bool, const core::Stream&); \
  template void DistributedGpuSolver<T>::Parts::record(const core::Stream&);                         \
  template void DistributedGpuSolver<T>::Parts::enqueue_steps(double, int, const core::Stream&);     \
  template void DistributedGpuSolver<T>::Parts::enqueue_step(int, const core::Stream&);              \
  template void DistributedGpuSolver<T>::Parts::enqueue_part(int, int, int, const core::Stream&);
SPEEDWELL_DISTRIBUTED_STEP(float)
SPEEDWELL_DISTRIBUTED_STEP(double)
#undef SPEEDWELL_DISTRIBUTED_STEP

}  // namespace speedwell::incompressible_flow
