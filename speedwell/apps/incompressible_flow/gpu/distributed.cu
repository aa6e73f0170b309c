#include <array>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "speedwell/apps/incompressible_flow/fields.hpp"
#include "speedwell/apps/incompressible_flow/gpu/copied.hpp"
#include "speedwell/apps/incompressible_flow/gpu/distributed_direct.hpp"
#include "speedwell/apps/incompressible_flow/gpu/kernels.hpp"
#include "speedwell/apps/incompressible_flow/gpu_distributed.hpp"
#include "speedwell/apps/incompressible_flow/metrics.hpp"
#include "speedwell/apps/incompressible_flow/spectrum.hpp"
#include "speedwell/apps/incompressible_flow/state_slabs.hpp"
#include "speedwell/comm/gpu/device_halo_exchange.hpp"
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
struct DistributedGpuSolver<T>::Parts {
  using Buffer = core::DeviceBuffer<T>;
  using Velocity = Buffer[3];

  Parts(const comm::Communicator& all, const Problem& given, const Options& o, comm::Transport chosen);
  void require_memory() const;
  void allocate(const core::Stream& stream);
  void set(StateSlab<T>& state, const core::Stream& stream);
  void get(StateSlab<T>& state, const core::Stream& stream);
  void enqueue_step(const core::Stream& stream);
  void enqueue_part(int part, Velocity& u, Velocity& next, const core::Stream& stream);
  T* cell(Buffer& field) { return field.data() + layout.origin; }
  T* first_plane(Buffer& field) { return field.data() + layout.at(-1, -1, -1); }
  std::int64_t plane_cells() const { return std::int64_t{extents.nx} * extents.ny; }
  bool is_divided() const { return slab.is_divided(); }

  const comm::Communicator& ranks;
  Options options;
  comm::Transport transport;
  Choice choice;
  Problem problem;  // with its axes in the order of the choice
  Extents extents;  // of the box
  Slab slab;
  Layout layout;
  RowTeam team;
  StateSlabs<T> slabs;
  gpu::Shape shape;
  Buffer given[3], fields[2][3], rk_register[3], tables[3];
  Buffer pressures;     // right-hand sides, then pressures, with a plane below and one above
  T* source = nullptr;  // the first plane of this rank in them
  core::DeviceBuffer<gpu::StepValues> values;
  MeshMetrics<T> metrics;
  gpu::Projection<T> projection;
  std::optional<gpu::DistributedDirect<T>> direct;
  std::optional<comm::DeviceHaloExchange<T>> velocity_halo, component_halo, pressure_halo;
  gpu::StepValues host_values{};
  int now = 0;
  double time = 0, given_time = 0;
  std::int64_t step = 0, given_step = 0;
};

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
      slabs(all, {choice.order, extents}) {
  shape = {{extents.nx, extents.ny, slab.count()},
           layout.row,
           layout.plane,
           {problem.periodic(0), problem.periodic(1), problem.periodic(2) && !is_divided()},
           is_divided() && slab.has_below(),
           is_divided() && slab.has_above()};
  for (std::size_t d = 0; d < 3; ++d) host_values.acceleration[d] = problem.acceleration[d];
  require_memory();
  const core::Stream stream;
  allocate(stream);
  direct.emplace(ranks, problem, transport, stream);
  if (is_divided()) {
    const bool periodic = problem.periodic(2);
    const comm::Decomposition of_velocity = planes_as_points(ranks, extents.nz, layout.plane, periodic);
    velocity_halo.emplace(ranks, of_velocity, comm::HaloShape::faces, 3, transport);
    component_halo.emplace(ranks, of_velocity, comm::HaloShape::faces, 1, transport);
    pressure_halo.emplace(ranks, planes_as_points(ranks, extents.nz, plane_cells(), periodic), comm::HaloShape::faces,
                          1, transport);
  }
  stream.synchronize();
}

// On all ranks or on none, since the others would wait.
template <class T>
void DistributedGpuSolver<T>::Parts::require_memory() const {
  const double bytes = gpu_bytes(problem, options, sizeof(T)) / ranks.size();
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
  for (std::size_t c = 0; c < 3; ++c) {
    zeros(given[c], layout.size);
    zeros(rk_register[c], layout.size);
    for (auto& set : fields) zeros(set[c], layout.size);
    const AxisTables<T> axis(problem, static_cast<int>(c));
    tables[c] = gpu::copied(axis.values, stream);
    metrics.axis[c] = axis.at(tables[c].data());
  }
  move_along_z(metrics, slab.first());
  // The first plane of this rank begins where complex numbers and vectors of any type may. The plane above the last one
  // of a box between walls stays 0.
  constexpr std::int64_t alignment = 32;
  const std::int64_t plane = plane_cells(), before = (plane + alignment - 1) / alignment * alignment;
  zeros(pressures, static_cast<std::size_t>(before + (slab.count() + 1) * plane));
  source = pressures.data() + before;
  values = core::DeviceBuffer<gpu::StepValues>(1);
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
}

template <class T>
void DistributedGpuSolver<T>::Parts::get(StateSlab<T>& state, const core::Stream& stream) {
  Field<T> field(layout);
  for (std::size_t c = 0; c < 3; ++c) {
    core::copy_async(field.data(), std::as_const(fields[now][c]).data(), layout.size, stream);
    stream.synchronize();
    T* to = state.velocity(c);
    team.for_each([&](int j, int k) {
      const T* from = field.at(layout, j, k);
      for (int i = 0; i < extents.nx; ++i) to[state.extents.at(i, j, k)] = from[i];
    });
  }
  core::HostBuffer<T> pressure(extents.at(0, 0, slab.count()));
  core::copy_async(pressure.data(), static_cast<const T*>(source), pressure.size(), stream);
  stream.synchronize();
  const auto at = [&](int i, int j, int k) {
    const auto along = [&](int index, int d) {
      return problem.periodic(d) ? index : cosine_index(index, extents.extent(d));
    };
    return extents.at(along(i, 0), along(j, 1), k);
  };
  const Metrics<T> host(problem, slab.first());
  const MeshMetrics<T> m = host.mesh();
  double volume = 1;
  for (const auto& f : problem.faces) volume *= f.back() - f.front();
  const double sum = team.sum([&](int j, int k) {
    double here = 0;
    for (int i = 0; i < extents.nx; ++i)
      here += static_cast<double>(m.axis[0].width[i] * m.axis[1].width[j] * m.axis[2].width[k]) *
              static_cast<double>(pressure[at(i, j, k)]);
    return here;
  });
  T* to = state.pressure();
  team.for_each([&](int j, int k) {
    for (int i = 0; i < extents.nx; ++i)
      to[state.extents.at(i, j, k)] = static_cast<T>(pressure[at(i, j, k)] - sum / volume);
  });
}

template <class T>
void DistributedGpuSolver<T>::Parts::enqueue_step(const core::Stream& stream) {
  if (options.method.scheme == Scheme::s3)
    for (int c = 0; c < 3; ++c)
      core::copy_async(rk_register[c].data(), std::as_const(fields[now][c]).data(), layout.size, stream);
  for (int part = 0; part < 3; ++part) {
    enqueue_part(part, fields[now], fields[1 - now], stream);
    now = 1 - now;
  }
}

template <class T>
void DistributedGpuSolver<T>::Parts::enqueue_part(int part, Velocity& u, Velocity& next, const core::Stream& stream) {
  const bool from_start = options.method.scheme == Scheme::s3, last = part == 2;
  const RungeKuttaCoefficients s = runge_kutta_coefficients(options.method.scheme)[static_cast<std::size_t>(part)];
  gpu::Momentum<T> m = {.shape = shape,
                        .metrics = metrics,
                        .values = values.data(),
                        .viscosity = static_cast<T>(problem.viscosity),
                        .now = s.now,
                        .before = s.before,
                        .keeps_rate = !from_start && !last,
                        .part = part};
  gpu::Divergence<T> d = {
      .shape = shape, .metrics = metrics, .values = values.data(), .length = s.length, .out = source};
  gpu::Projection<T> p = projection;
  p.shape = shape;
  p.metrics = metrics;
  p.values = values.data();
  p.length = s.length;
  p.pressure = source;
  for (int c = 0; c < 3; ++c) {
    m.u[c] = cell(u[c]);
    m.base[c] = from_start ? cell(rk_register[c]) : cell(u[c]);
    m.rate[c] = from_start ? nullptr : cell(rk_register[c]);
    m.next[c] = cell(next[c]);
    d.u[c] = cell(next[c]);
    p.u[c] = cell(next[c]);
  }
  const int planes = slab.count();
  if (!is_divided()) {
    gpu::enqueue(m, stream);
    gpu::enqueue(d, stream);
    direct->solve(source, stream);
    gpu::enqueue(p, stream);
    return;
  }
  T* const velocities[] = {first_plane(u[0]), first_plane(u[1]), first_plane(u[2])};
  velocity_halo->start(velocities, stream);
  gpu::enqueue(m, 1, planes - 1, stream);
  velocity_halo->finish(velocities, stream);
  gpu::enqueue(m, 0, 1, stream);
  if (planes > 1) gpu::enqueue(m, planes - 1, planes, stream);

  T* const component[] = {first_plane(next[2])};
  component_halo->start(component, stream);
  gpu::enqueue(d, 1, planes, stream);
  component_halo->finish(component, stream);
  gpu::enqueue(d, 0, 1, stream);

  direct->solve(source, stream);

  T* const pressure[] = {source - plane_cells()};
  pressure_halo->start(pressure, stream);
  gpu::enqueue(p, 0, planes - 1, stream);
  pressure_halo->finish(pressure, stream);
  gpu::enqueue(p, planes - 1, planes, stream);
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
  p.given_time = p.slabs.time_of(whole);
  p.given_step = p.slabs.step_of(whole);
  restore(stream);
}

template <class T>
void DistributedGpuSolver<T>::restore(const core::Stream& stream) {
  Parts& p = *parts_;
  p.now = 0;
  p.time = p.given_time;
  p.step = p.given_step;
  // No step writes the ghost cells of closed faces in walls: both fields have them.
  for (auto& set : p.fields)
    for (std::size_t c = 0; c < 3; ++c)
      core::copy_async(set[c].data(), std::as_const(p.given[c]).data(), p.layout.size, stream);
}

template <class T>
void DistributedGpuSolver<T>::gather(State<T>* whole, const core::Stream& stream) {
  Parts& p = *parts_;
  StateSlab<T> slab = p.slabs.make_slab();
  p.get(slab, stream);
  p.slabs.gather(std::move(slab), whole);
  if (p.ranks.rank() > 0) return;
  whole->time = p.time;
  whole->step = p.step;
}

template <class T>
void DistributedGpuSolver<T>::run(double dt, int steps, const core::Stream& stream) {
  if (!(dt > 0) || !std::isfinite(dt))
    throw std::invalid_argument("a time step of " + std::to_string(dt) + ": it is above 0 and finite");
  Parts& p = *parts_;
  p.host_values.dt = dt;
  core::copy_async(p.values.data(), &std::as_const(p.host_values), 1, stream);
  for (int s = 0; s < steps; ++s) {
    p.enqueue_step(stream);
    p.time += dt;
    ++p.step;
  }
}

template <class T>
void DistributedGpuSolver<T>::set_acceleration(const std::array<double, 3>& acceleration) {
  for (std::size_t d = 0; d < 3; ++d)
    parts_->host_values.acceleration[d] = acceleration[static_cast<std::size_t>(parts_->choice.order[d])];
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
  return std::to_string(n) + (n == 1 ? " slab along " : " slabs along ") +
         std::string(1, "xyz"[parts_->choice.order[2]]);
}
template <class T>
double DistributedGpuSolver<T>::exchange_seconds() const {
  const Parts& p = *parts_;
  double all = p.direct->exchange_seconds();
  for (const auto* halo : {&p.velocity_halo, &p.component_halo, &p.pressure_halo})
    if (*halo) all += (*halo)->seconds();
  return all;
}
template <class T>
void DistributedGpuSolver<T>::check(const core::Stream& stream) const {
  const Parts& p = *parts_;
  p.direct->check(stream);
  for (const auto* halo : {&p.velocity_halo, &p.component_halo, &p.pressure_halo})
    if (*halo) (*halo)->check(stream);
}

template class DistributedGpuSolver<float>;
template class DistributedGpuSolver<double>;

}  // namespace speedwell::incompressible_flow
