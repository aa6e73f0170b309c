#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "speedwell/apps/incompressible_flow/gpu/copied.hpp"
#include "speedwell/apps/incompressible_flow/gpu/ranks/distributed_parts.hpp"
#include "speedwell/apps/incompressible_flow/statistics/spectrum.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::incompressible_flow {
namespace {

Problem checked(const Problem& problem, const Options& options) {
  require_valid(problem);
  require_valid(options);
  if (const auto reason = refuses_on_gpus(problem, options))
    throw std::invalid_argument("not on several GPUs: " + *reason);
  return problem;
}

// A field is seen as one point per plane and element, of which planes are exchanged.
comm::Decomposition planes_as_points(const comm::Communicator& ranks, int planes, std::int64_t elements,
                                     bool periodic) {
  return {ranks.size(),
          {.extents = {planes, 1, elements}, .periodic = {periodic, false, false}, .halo = {1, 0, 0}},
          {ranks.size(), 1, 1}};
}

}  // namespace

template <class T>
DistributedGpuSolver<T>::Parts::Parts(const comm::Communicator& all, const Problem& given_problem, const Options& o,
                                      comm::Transport chosen)
    : ranks(all),
      options(o),
      transport(chosen),
      choice(choose(checked(given_problem, o), o.pressure)),
      problem(with_permuted_axes(given_problem, choice.order)),
      extents(problem.extents()),
      slab(all, extents.nz, problem.periodic(2)),
      layout({extents.nx, extents.ny, slab.count()}, sizeof(T), 128),
      team(layout, o.threads > 0 ? o.threads : 1, sizeof(T), &slab),
      slabs(all, {choice.order, extents}, o.threads > 0 ? o.threads : 1) {
  shape = {{extents.nx, extents.ny, slab.count()},
           layout.row,
           layout.plane,
           {problem.periodic(0), problem.periodic(1), problem.periodic(2) && !is_divided()},
           is_divided() && slab.has_below(),
           is_divided() && slab.has_above()};
  for (std::size_t d = 0; d < 3; ++d) host_values.acceleration[d] = problem.acceleration[d];
  require_memory(gpu_bytes(problem, options, sizeof(T)) / ranks.size());
  const core::Stream stream;
  allocate(stream);
  direct.emplace(ranks, problem, choice.by_modes, transport, stream);
  if (peer_fields) direct->share_time_out(peer_fields->timed_out());
  if (problem.strain) moving = {tables, direct->lambda_x, direct->lambda_y, direct->low, direct->high, stream};
  cells.emplace(shape);
  cells->clear(stream);
  if (is_divided()) begin_exchanges(stream);
  if (trapezoidal()) {
    typename gpu::DistributedDiffusion<T>::Settings of_diffusion{.shape = shape,
                                                                 .metrics = metrics,
                                                                 .values = values.data(),
                                                                 .viscosity = problem.viscosity,
                                                                 .ghosts = {},
                                                                 .sums = sums ? &*sums : nullptr,
                                                                 .planes = cell_halo ? &*cell_halo : nullptr};
    for (int c = 0; c < 3; ++c)
      for (int d = 0; d < 3; ++d)
        for (int s = 0; s < 2; ++s) of_diffusion.ghosts[c][d][s] = projection.ghosts[c][d][s];
    implicit.emplace(of_diffusion, stream);
  }
  stream.synchronize();
}

template <class T>
void DistributedGpuSolver<T>::Parts::begin_exchanges(const core::Stream& stream) {
  const auto planes_of = [&](std::int64_t elements) {
    return planes_as_points(ranks, extents.nz, elements, problem.periodic(2));
  };
  velocity_halo.emplace(ranks, planes_of(layout.plane), comm::HaloShape::faces, 3, transport);
  if (!peer_fields) component_halo.emplace(ranks, planes_of(layout.plane), comm::HaloShape::faces, 1, transport);
  if (!peer_fields && transport == comm::Transport::peer) {
    steps = core::DeviceBuffer<unsigned long long>(1);
    core::fill_bytes_async(steps, 0, stream);
  }
  if (trapezoidal()) cell_halo.emplace(ranks, planes_of(plane_cells()), comm::HaloShape::faces, 1, transport);
  if (problem.keeps_bulk() || trapezoidal()) sums.emplace(ranks, transport == comm::Transport::peer);
}

// On all ranks or on none, since the others would wait.
template <class T>
void DistributedGpuSolver<T>::Parts::require_memory(double bytes) const {
  std::size_t free = 0, total = 0;
  core::check(cudaMemGetInfo(&free, &total));
  const double least = ranks.reduce(static_cast<double>(free), comm::Reduction::minimum);
  if (bytes > least)
    throw core::Unavailable("a slab of a flow of " + core::format_bytes(bytes) + " on a GPU with " +
                            core::format_bytes(least) + " free");
}

template <class T>
void DistributedGpuSolver<T>::Parts::allocate(const core::Stream& stream) {
  const auto zeros = [&](Buffer& buffer, std::size_t size) {
    buffer = Buffer(size);
    core::fill_bytes_async(buffer, 0, stream);
  };
  if (is_divided() && transport == comm::Transport::peer && !trapezoidal()) peer_fields.emplace(ranks, extents, slab);
  for (std::size_t c = 0; c < 3; ++c) {
    zeros(given[c], layout.size);
    zeros(rk_register[c], layout.size);
    if (!peer_fields)
      for (auto& set : fields) zeros(set[c], layout.size);
    const AxisTables<T> axis(problem, static_cast<int>(c));
    tables[c] = gpu::copied(axis.values, stream);
    metrics.axis[c] = axis.at(tables[c].data());
  }
  move_along_z(metrics, slab.first());
  // The plane above the last one of a box between walls stays 0.
  zeros(source, static_cast<std::size_t>((slab.count() + 1) * plane_cells()));
  values = core::DeviceBuffer<gpu::StepValues>(1);
  core::fill_bytes_async(values, 0, stream);  // the force before the first step
  largest = core::DeviceBuffer<double>(2);
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t s = 0; s < 2; ++s) {
        const Side& side = problem.sides[d][s];
        projection.ghosts[c][d][s] = side.edge == Edge::wall
                                         ? gpu::GhostCoefficients<T>{T(-1), static_cast<T>(2 * side.velocity[c])}
                                         : gpu::GhostCoefficients<T>{T(1), T(0)};
      }
}

template <class T>
void DistributedGpuSolver<T>::Parts::set(StateSlab<T>& state, const core::Stream& stream) {
  Field<T> field(layout);
  for (int c = 0; c < 3; ++c) {
    const auto d = static_cast<std::size_t>(c);
    const T* from = state.velocity(d);
    team.for_each([&](int j, int k) {
      T* to = field.at(layout, j, k);
      const int open = open_faces(problem, layout, team, c, j, k);
      for (int i = 0; i < extents.nx; ++i) to[i] = i < open ? from[state.extents.at(i, j, k)] : T(0);
    });
    fill_edges(problem, layout, team, c, field);
    core::copy_async(given[d].data(), std::as_const(field).data(), layout.size, stream);
    stream.synchronize();
  }
  if (!implicit) return;
  core::copy_async(implicit->given(), static_cast<const T*>(state.pressure()), extents.at(0, 0, slab.count()), stream);
  stream.synchronize();
}

template <class T>
void DistributedGpuSolver<T>::Parts::get(StateSlab<T>& state, const core::Stream& stream) {
  Field<T> field(layout);
  for (std::size_t c = 0; c < 3; ++c) {
    core::copy_async(field.data(), static_cast<const T*>(this->field(now, static_cast<int>(c))), layout.size, stream);
    stream.synchronize();
    T* to = state.velocity(c);
    team.for_each([&](int j, int k) {
      const T* from = field.at(layout, j, k);
      for (int i = 0; i < extents.nx; ++i) to[state.extents.at(i, j, k)] = from[i];
    });
  }
  if (implicit) {  // as the next step starts from it
    core::copy_async(state.pressure(), static_cast<const T*>(implicit->pressure()), extents.at(0, 0, slab.count()),
                     stream);
    stream.synchronize();
    return;
  }
  core::HostBuffer<T> pressure(extents.at(0, 0, slab.count()));
  core::copy_async(pressure.data(), std::as_const(source).data(), pressure.size(), stream);
  stream.synchronize();
  const double mean = mean_pressure(stream);
  T* to = state.pressure();
  team.for_each([&](int j, int k) {
    for (int i = 0; i < extents.nx; ++i)
      to[state.extents.at(i, j, k)] = static_cast<T>(pressure[pressure_index(i, j, k)] - mean);
  });
}

template <class T>
DistributedGpuSolver<T>::DistributedGpuSolver(const comm::Communicator& ranks, const Problem& problem,
                                              const Options& options, comm::Transport transport)
    : parts_(std::make_unique<Parts>(ranks, problem, options, transport)) {}
template <class T>
DistributedGpuSolver<T>::DistributedGpuSolver(DistributedGpuSolver&&) noexcept = default;
template <class T>
DistributedGpuSolver<T>::~DistributedGpuSolver() = default;

template <class T>
void DistributedGpuSolver<T>::scatter(const State<T>* whole, const core::Stream& stream) {
  Parts& p = *parts_;
  StateSlab<T> slab = p.slabs.scatter(whole);
  p.set(slab, stream);
  p.exchange_given(stream);
  p.given_time = p.slabs.time_of(whole);
  p.given_step = p.slabs.step_of(whole);
  restore(stream);
  p.record(stream);
}

// The ghost planes of the neighbours' velocities are exchanged as those of a flow that was distributed are: in the
// present flow they may be of the step before, or on their way.
template <class T>
void DistributedGpuSolver<T>::save(const core::Stream& stream) {
  Parts& p = *parts_;
  p.given_time = p.time;
  p.given_step = p.step;
  for (int c = 0; c < 3; ++c)
    core::copy_async(p.given[c].data(), static_cast<const T*>(p.field(p.now, c)), p.layout.size, stream);
  if (p.implicit) p.implicit->save(stream);
  p.exchange_given(stream);
}

template <class T>
void DistributedGpuSolver<T>::restore(const core::Stream& stream) {
  Parts& p = *parts_;
  p.now = 0;
  p.time = p.given_time;
  p.step = p.given_step;
  if (p.peer_fields) p.peer_fields->barrier(stream);
  // No step writes the ghost cells of closed faces in walls: both fields have them.
  for (int set = 0; set < 2; ++set)
    for (int c = 0; c < 3; ++c)
      core::copy_async(p.field(set, c), std::as_const(p.given[c]).data(), p.layout.size, stream);
  if (p.peer_fields) p.peer_fields->barrier(stream);
  if (p.implicit) p.implicit->restore(stream);
  p.update_mesh(stream);
}

template <class T>
void DistributedGpuSolver<T>::gather(State<T>* whole, const core::Stream& stream) {
  Parts& p = *parts_;
  StateSlab<T> slab = p.slabs.make_slab();
  p.get(slab, stream);
  p.slabs.gather(slab, whole);
  if (p.ranks.rank() > 0) return;
  whole->time = p.time;
  whole->step = p.step;
}

template <class T>
void DistributedGpuSolver<T>::run(double dt, int steps, const core::Stream& stream) {
  if (!(dt > 0) || !std::isfinite(dt))
    throw std::invalid_argument("a time step of " + std::to_string(dt) + ": it is above 0 and finite");
  Parts& p = *parts_;
  p.enqueue_steps(dt, steps, stream);
}

template <class T>
void DistributedGpuSolver<T>::set_acceleration(const std::array<double, 3>& acceleration) {
  for (std::size_t d = 0; d < 3; ++d)
    parts_->host_values.acceleration[d] = acceleration[static_cast<std::size_t>(parts_->choice.order[d])];
}

template <class T>
void DistributedGpuSolver<T>::set_time(double time, const core::Stream& stream) {
  parts_->time = time;
  parts_->update_mesh(stream);
}

template <class T>
double DistributedGpuSolver<T>::time() const {
  return parts_->time;
}
template <class T>
std::array<double, 3> DistributedGpuSolver<T>::force(const core::Stream& stream) const {
  const Parts& p = *parts_;
  gpu::StepValues last = p.host_values;
  if (p.problem.keeps_bulk()) {  // every rank has computed its force from the same sums
    core::copy_async(&last, p.values.data(), 1, stream);
    stream.synchronize();
  }
  std::array<double, 3> mean;
  for (std::size_t d = 0; d < 3; ++d)
    mean[static_cast<std::size_t>(p.choice.order[d])] = p.host_values.acceleration[d] + last.bulk_force[d];
  return mean;
}

template <class T>
int DistributedGpuSolver<T>::diffusion_iterations(const core::Stream& stream) {
  return parts_->implicit ? parts_->implicit->iterations(stream) : 0;
}

template <class T>
const Choice& DistributedGpuSolver<T>::choice() const {
  return parts_->choice;
}
template <class T>
comm::Transport DistributedGpuSolver<T>::transport() const {
  return parts_->transport;
}
template <class T>
std::string DistributedGpuSolver<T>::division_text() const {
  const int n = parts_->ranks.size();
  return core::counted(n, "slab") + " along " + std::string(1, "xyz"[parts_->choice.order[2]]);
}
template <class T>
double DistributedGpuSolver<T>::exchange_seconds() const {
  const Parts& p = *parts_;
  double all = p.direct->exchange_seconds();
  for (const auto* halo : {&p.velocity_halo, &p.component_halo, &p.cell_halo})
    if (*halo) all += (*halo)->seconds();
  if (p.sums) all += p.sums->seconds();
  return all + (p.peer_fields ? p.peer_fields->exchange_seconds() : 0);
}
template <class T>
void DistributedGpuSolver<T>::check(const core::Stream& stream) const {
  const Parts& p = *parts_;
  p.direct->check(stream);
  for (const auto* halo : {&p.velocity_halo, &p.component_halo, &p.cell_halo})
    if (*halo) (*halo)->check(stream);
  if (p.peer_fields) p.peer_fields->check(stream);
  if (p.sums) p.sums->check(stream);
}

template class DistributedGpuSolver<float>;
template class DistributedGpuSolver<double>;

}  // namespace speedwell::incompressible_flow
