#include <cmath>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/incompressible_flow/gpu/gpu_solver_parts.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::incompressible_flow {

template <class T>
GpuSolver<T>::GpuSolver(const Problem& problem, const Options& options)
    : parts_(std::make_unique<Parts>(problem, options)) {
  parts_->allocate();
}
template <class T>
GpuSolver<T>::GpuSolver(GpuSolver&&) noexcept = default;
template <class T>
GpuSolver<T>& GpuSolver<T>::operator=(GpuSolver&&) noexcept = default;
template <class T>
GpuSolver<T>::~GpuSolver() = default;

template <class T>
void GpuSolver<T>::upload_saved(const State<T>& state, const core::Stream& stream) {
  Parts& p = *parts_;
  const AxisOrder order = {p.choice.order, p.extents};
  if (!(state.extents == order.given())) throw std::invalid_argument("a state of another mesh");
  Field<T> field(p.layout);
  for (int c = 0; c < 3; ++c) {
    const auto& from = state.velocity[static_cast<std::size_t>(p.choice.order[static_cast<std::size_t>(c)])];
    p.team.for_each([&](int j, int k) {
      T* to = field.at(p.layout, j, k);
      for (int i = 0; i < p.extents.nx; ++i) to[i] = p.is_open(c, i, j, k) ? from[order.at(i, j, k)] : T(0);
    });
    fill_edges(p.problem, p.layout, p.team, c, field);
    core::copy_async(p.given[c].data(), std::as_const(field).data(), p.layout.size, stream);
    stream.synchronize();
  }
  p.given_time = state.time;
  p.given_step = state.step;
  if (p.has_loops()) {
    core::HostBuffer<T> pressure(static_cast<std::size_t>(p.extents.cells()));
    p.team.for_each([&](int j, int k) {
      for (int i = 0; i < p.extents.nx; ++i) pressure[p.extents.at(i, j, k)] = state.pressure[order.at(i, j, k)];
    });
    p.given_pressure = core::DeviceBuffer<T>(pressure.size());
    core::copy_async(p.given_pressure.data(), std::as_const(pressure).data(), pressure.size(), stream);
    stream.synchronize();
  }
  p.record(stream);
}

template <class T>
void GpuSolver<T>::restore(const core::Stream& stream) {
  Parts& p = *parts_;
  p.now = 0;
  p.time = p.given_time;
  p.step = p.given_step;
  for (int c = 0; c < 3; ++c) {
    core::copy_async(p.fields[0][c].data(), std::as_const(p.given[c]).data(), p.layout.size, stream);
    // No step writes the ghost cells of closed faces in walls.
    core::copy_async(p.fields[1][c].data(), std::as_const(p.given[c]).data(), p.layout.size, stream);
  }
  if (p.has_loops())
    core::copy_async(p.pressure(), std::as_const(p.given_pressure).data(), p.given_pressure.size(), stream);
  p.update_mesh(stream);
}

template <class T>
void GpuSolver<T>::run(double dt, int steps, const core::Stream& stream) {
  if (!(dt > 0) || !std::isfinite(dt))
    throw std::invalid_argument("a time step of " + std::to_string(dt) + ": it is above 0 and finite");
  Parts& p = *parts_;
  p.record(stream);
  for (int s = 0; s < steps; ++s) {
    if (s == 0 || p.problem.strain) p.set_step(dt, stream);
    p.has_loops() ? p.enqueue_step(p.now, stream) : p.steps[p.now].launch(stream);
    p.now = 1 - p.now;  // the three parts of a step swap the fields three times
    p.time += dt;
    ++p.step;
  }
}

template <class T>
void GpuSolver<T>::download(State<T>& state, const core::Stream& stream) {
  Parts& p = *parts_;
  const AxisOrder order = {p.choice.order, p.extents};
  if (!(state.extents == order.given())) throw std::invalid_argument("a state of another mesh");
  Field<T> field(p.layout);
  for (int c = 0; c < 3; ++c) {
    core::copy_async(field.data(), std::as_const(p.fields[p.now][c]).data(), p.layout.size, stream);
    stream.synchronize();
    auto& to = state.velocity[static_cast<std::size_t>(p.choice.order[static_cast<std::size_t>(c)])];
    p.team.for_each([&](int j, int k) {
      const T* from = field.at(p.layout, j, k);
      for (int i = 0; i < p.extents.nx; ++i) to[order.at(i, j, k)] = from[i];
    });
  }
  core::HostBuffer<T> pressure(p.source.size());
  core::copy_async(pressure.data(), p.has_loops() ? std::as_const(p).pressure() : std::as_const(p.source).data(),
                   p.source.size(), stream);
  stream.synchronize();
  state.time = p.time;
  state.step = p.step;
  if (p.has_loops()) {  // as the next step starts from it
    p.team.for_each([&](int j, int k) {
      for (int i = 0; i < p.extents.nx; ++i) state.pressure[order.at(i, j, k)] = pressure[p.extents.at(i, j, k)];
    });
    return;
  }
  const double mean = p.mean_pressure(stream);
  p.team.for_each([&](int j, int k) {
    for (int i = 0; i < p.extents.nx; ++i)
      state.pressure[order.at(i, j, k)] = static_cast<T>(pressure[p.pressure_index(i, j, k)] - mean);
  });
}

template <class T>
std::vector<T> GpuSolver<T>::values(std::span<const CellValue> cells, const core::Stream& stream) {
  Parts& p = *parts_;
  const AxisOrder order = {p.choice.order, p.extents};
  std::vector<const T*> from;
  for (const CellValue& given : cells) {
    const CellValue own = order.of_solver(given);
    const auto [i, j, k] = own.cell;
    if (own.array < 3)
      from.push_back(p.cell(p.fields[p.now][own.array]) + i + j * p.layout.row + k * p.layout.plane);
    else if (p.has_loops())
      from.push_back(p.pressure() + p.extents.at(i, j, k));
    else
      from.push_back(p.source.data() + p.pressure_index(i, j, k));
  }
  std::vector<T> values = gpu::read(from, stream);
  if (p.has_loops()) return values;
  const double mean = p.mean_pressure(stream);
  for (std::size_t n = 0; n < values.size(); ++n)
    if (cells[n].array == 3) values[n] = static_cast<T>(values[n] - mean);
  return values;
}

template <class T>
void GpuSolver<T>::keep_velocity(const core::Stream& stream) {
  Parts& p = *parts_;
  for (int c = 0; c < 3; ++c) {
    if (p.kept[c].size() == 0) p.kept[c] = core::DeviceBuffer<T>(p.layout.size);
    core::copy_async(p.kept[c].data(), std::as_const(p.fields[p.now][c]).data(), p.layout.size, stream);
  }
}

template <class T>
VelocityChange GpuSolver<T>::velocity_change(const core::Stream& stream) {
  Parts& p = *parts_;
  if (p.kept[2].size() == 0) throw std::logic_error("no velocities were kept");
  auto& u = p.fields[p.now];
  return gpu::velocity_change<T>(*p.cells, p.shape, {p.cell(p.kept[0]), p.cell(p.kept[1]), p.cell(p.kept[2])},
                                 {p.cell(u[0]), p.cell(u[1]), p.cell(u[2])}, p.largest, stream);
}

template <class T>
void GpuSolver<T>::set_acceleration(const std::array<double, 3>& acceleration) {
  for (std::size_t d = 0; d < 3; ++d)
    parts_->host_values.acceleration[d] = acceleration[static_cast<std::size_t>(parts_->choice.order[d])];
}

template <class T>
std::array<double, 3> GpuSolver<T>::force(const core::Stream& stream) {
  Parts& p = *parts_;
  gpu::StepValues last = p.host_values;
  if (p.problem.keeps_bulk()) {
    core::copy_async(&last, std::as_const(p.values).data(), 1, stream);
    stream.synchronize();
  }
  std::array<double, 3> mean;
  for (std::size_t d = 0; d < 3; ++d)
    mean[static_cast<std::size_t>(p.choice.order[d])] = last.acceleration[d] + last.bulk_force[d];
  return mean;
}

template <class T>
DeviceVelocity<T> GpuSolver<T>::device_velocity() const {
  const Parts& p = *parts_;
  const std::int64_t stride[] = {1, static_cast<std::int64_t>(p.layout.row), static_cast<std::int64_t>(p.layout.plane)};
  DeviceVelocity<T> velocity;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto axis =
        static_cast<std::size_t>(p.choice.order[d]);  // of the problem, along which the solver's axis d is
    velocity.component[axis] = p.fields[p.now][d].data() + p.layout.origin;
    velocity.stride[axis] = stride[d];
  }
  return velocity;
}

template <class T>
double GpuSolver<T>::convection_rate(const core::Stream& stream) {
  Parts& p = *parts_;
  auto& u = p.fields[p.now];
  return gpu::convection_rate<T>(p.shape, p.metrics, {p.cell(u[0]), p.cell(u[1]), p.cell(u[2])}, p.largest, stream);
}

template <class T>
Statistics GpuSolver<T>::statistics(const core::Stream& stream) {
  Parts& p = *parts_;
  auto& u = p.fields[p.now];
  const T* wall_drag[3];
  for (int c = 0; c < 3; ++c) wall_drag[c] = p.wall_drag[c].size() > 0 ? p.wall_drag[c].data() : nullptr;
  Largest largest;
  const auto sums = gpu::integrals<T>(*p.cells, p.shape, p.metrics, {p.cell(u[0]), p.cell(u[1]), p.cell(u[2])},
                                      {wall_drag[0], wall_drag[1], wall_drag[2]}, largest, p.largest, stream);
  return statistics_from(sums, largest, p.problem.viscosity, p.choice.order);
}

template <class T>
void GpuSolver<T>::save(const core::Stream& stream) {
  Parts& p = *parts_;
  p.given_time = p.time;
  p.given_step = p.step;
  for (int c = 0; c < 3; ++c)
    core::copy_async(p.given[c].data(), std::as_const(p.fields[p.now][c]).data(), p.layout.size, stream);
  if (p.has_loops())
    core::copy_async(p.given_pressure.data(), std::as_const(p).pressure(), p.given_pressure.size(), stream);
}

template <class T>
void GpuSolver<T>::loop_by_host(bool wanted) {
  parts_->loops_by_host = wanted;
}

template <class T>
void GpuSolver<T>::set_time(double time, const core::Stream& stream) {
  parts_->time = time;
  parts_->update_mesh(stream);
}

template <class T>
int GpuSolver<T>::diffusion_iterations(const core::Stream& stream) {
  if (!parts_->diffusion) return 0;
  const auto report = parts_->diffusion->report(stream);
  if (report.failed)
    throw core::DeviceError("the diffusion solver does not converge: a residual of " + std::to_string(report.residual) +
                            " times the right-hand side's after " + core::counted(report.iterations, "iteration"));
  return report.iterations;
}

template <class T>
int GpuSolver<T>::pressure_iterations(const core::Stream& stream) {
  if (!parts_->gradients) return 0;
  const auto report = parts_->gradients->report(stream);
  if (report.failed)
    throw core::DeviceError("conjugate gradients: a residual of " + std::to_string(report.residual) +
                            " times the right-hand side's after " + core::counted(report.iterations, "iteration"));
  return report.iterations;
}

template <class T>
int GpuSolver<T>::breakdowns(const core::Stream& stream) {
  const int fp32_cg = parts_->fp32_cg ? parts_->fp32_cg->breakdowns(stream) : 0;
  return fp32_cg + (parts_->fp64_cg ? parts_->fp64_cg->breakdowns(stream) : 0);
}

template <class T>
const Choice& GpuSolver<T>::choice() const {
  return parts_->choice;
}

template <class T>
std::vector<std::pair<std::string, std::string>> GpuSolver<T>::choices() const {
  return {{"pressure", parts_->choice.reason}};
}

template class GpuSolver<float>;
template class GpuSolver<double>;

}  // namespace speedwell::incompressible_flow
