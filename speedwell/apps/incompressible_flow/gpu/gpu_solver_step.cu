// A step on a GPU: its kernels, and the recorded graphs.
#include "speedwell/apps/incompressible_flow/gpu/gpu_solver_parts.hpp"

namespace speedwell::incompressible_flow {

template <class T>
void GpuSolver<T>::Parts::enqueue_step(int parity, const core::Stream& stream) {
  const bool from_start = options.method.scheme == Scheme::s3;
  if (from_start)
    for (int c = 0; c < 3; ++c)
      core::copy_async(rk_register[c].data(), std::as_const(fields[parity][c]).data(), layout.size, stream);
  int here = parity;
  for (int part = 0; part < 3; ++part) {
    enqueue_part(part, fields[here], fields[1 - here], stream);
    here = 1 - here;
  }
  if (trapezoidal())
    gpu::enqueue_centred(*cells, trapezoid, stream);
  else if (gradients)
    gradients->centre(stream);
}

template <class T>
void GpuSolver<T>::Parts::enqueue_part(int part, Velocity& u, Velocity& next, const core::Stream& stream) {
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
                          .by_cell = trapezoidal() ? right.data() : nullptr};
  gpu::Projection<T> p = projection;
  p.shape = shape;
  p.metrics = metrics;
  p.values = values.data();
  p.length = s.length;
  p.pressure = gradients ? gradients->pressure() : source.data();
  p.by_cell = gradients.has_value();
  p.keeps_bulk = problem.keeps_bulk();
  gpu::Trapezoidal<T> t = trapezoid;
  t.length = s.length;
  t.change = p.pressure;
  t.by_cell = p.by_cell;
  for (int c = 0; c < 3; ++c) {
    t.wall_drag[c] = wall_drag[c].size() > 0 ? wall_drag[c].data() : nullptr;
    m.u[c] = cell(u[c]);
    m.base[c] = from_start ? cell(rk_register[c]) : cell(u[c]);
    m.rate[c] = from_start ? nullptr : cell(rk_register[c]);
    m.start[c] = from_start ? cell(rk_register[c]) : nullptr;
    m.next[c] = t.next[c] = cell(next[c]);
    d.u[c] = cell(next[c]);
    p.u[c] = cell(next[c]);
    m.wall_drag[c] = p.wall_drag[c] = t.wall_drag[c];
    t.first[c] = m.base[c];
  }
  gpu::enqueue(m, stream);
  if (trapezoidal()) {
    gpu::enqueue_first_half(*cells, t, stream);
    for (int c = 0; c < 3 && problem.viscosity > 0; ++c)
      diffusion->solve(c, s.length, values.data(), cell(u[c]), cell(next[c]), stream, loops_by_host);
  }
  if (problem.keeps_bulk())
    gpu::enqueue_bulk_change<T>(*cells, shape, metrics, {cell(next[0]), cell(next[1]), cell(next[2])},
                                problem.bulk_velocity, from_start || part == 0, values.data(), stream);
  if (problem.strain) moving.enqueue(values.data(), part + 1, stream);
  gpu::enqueue(d, stream);
  if (gradients) {
    // The trapezoidal rule solves for the change of the pressure, whose initial guess is 0.
    if (trapezoidal()) core::check(cudaMemsetAsync(gradients->pressure(), 0, source.size() * sizeof(T), stream.get()));
    gradients->solve(stream, loops_by_host);
  } else {
    solve_directly(stream);
  }
  gpu::enqueue(p, stream);
  // With S3 every part starts from the pressure of the previous step.
  if (trapezoidal() && (!from_start || last)) gpu::enqueue_pressure(*cells, t, stream);
}

template <class T>
void GpuSolver<T>::Parts::record(const core::Stream& stream) {
  if (recorded_on == stream.get()) return;
  if (choice.pressure == Pressure::conjugate_gradients) {
    if (gradients) {
      if (fp32_cg) fp32_cg->record(stream);
      if (fp64_cg) fp64_cg->record(stream);
      gradients->record(stream);
    } else {
      begin_gradients(stream);
    }
  }
  if (trapezoidal()) {
    diffusion ? diffusion->record(stream) : begin_diffusion(stream);
  }
  // A graph cannot hold the loops of conjugate gradients; their steps are enqueued one by one.
  for (int parity = 0; parity < 2 && !has_loops(); ++parity)
    steps[parity] = core::Graph(stream, [&] { enqueue_step(parity, stream); });
  recorded_on = stream.get();
}

template <class T>
void GpuSolver<T>::Parts::update_mesh(const core::Stream& stream) {
  if (!problem.strain) return;
  const auto stretch = problem.strain->stretch(time);
  core::copy_async(values.data()->stretch[0], stretch.data(), 3, stream);
  moving.enqueue(values.data(), 0, stream);
}

template <class T>
void GpuSolver<T>::Parts::set_step(double dt, const core::Stream& stream) {
  host_values.dt = dt;
  if (problem.strain) gpu::set_stretch(host_values, strain_step(*problem.strain, options.method.scheme, time, dt));
  core::copy_async(values.data(), &host_values, 1, stream);
}

#define SPEEDWELL_GPU_SOLVER_STEP(T)                                         \
  template void GpuSolver<T>::Parts::enqueue_step(int, const core::Stream&); \
  template void GpuSolver<T>::Parts::record(const core::Stream&);            \
  template void GpuSolver<T>::Parts::update_mesh(const core::Stream&);       \
  template void GpuSolver<T>::Parts::set_step(double, const core::Stream&);
SPEEDWELL_GPU_SOLVER_STEP(float)
SPEEDWELL_GPU_SOLVER_STEP(double)
#undef SPEEDWELL_GPU_SOLVER_STEP

}  // namespace speedwell::incompressible_flow
