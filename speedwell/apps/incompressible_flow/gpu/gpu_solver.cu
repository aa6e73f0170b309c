#include <cmath>
#include <complex>
#include <span>
#include <stdexcept>

#include "speedwell/apps/fft/gpu_fft.hpp"
#include "speedwell/apps/incompressible_flow/fields.hpp"
#include "speedwell/apps/incompressible_flow/gpu/kernels.hpp"
#include "speedwell/apps/incompressible_flow/gpu/lines.hpp"
#include "speedwell/apps/incompressible_flow/gpu_refusals.hpp"
#include "speedwell/apps/incompressible_flow/gpu_solver.hpp"
#include "speedwell/apps/incompressible_flow/metrics.hpp"
#include "speedwell/apps/incompressible_flow/spectrum.hpp"
#include "speedwell/core/cuda_graph.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::incompressible_flow {
namespace {

template <class T>
core::DeviceBuffer<T> copied(const std::vector<T>& values, const core::Stream& stream) {
  core::DeviceBuffer<T> buffer(values.size());
  core::copy_async(buffer.data(), values.data(), values.size(), stream);
  stream.synchronize();
  return buffer;
}

Problem checked(const Problem& problem, const Options& options) {
  require_valid(problem);
  require_valid(options);
  if (const auto reason = refuses_on_gpu(problem, options)) throw std::invalid_argument("not on a GPU: " + *reason);
  return problem;
}

}  // namespace

template <class T>
struct GpuSolver<T>::Parts {
  using Complex = std::complex<T>;

  Parts(const Problem& given, const Options& o)
      : options(o),
        choice(choose(checked(given, o), Pressure::direct)),
        problem(reordered(given, choice.order)),
        extents(problem.extents()),
        layout(extents, sizeof(T), 128),
        team(layout, core_threads(o), sizeof(T)) {
    shape = {{extents.nx, extents.ny, extents.nz},
             layout.row,
             layout.plane,
             {problem.periodic(0), problem.periodic(1), problem.periodic(2)}};
  }
  static int core_threads(const Options& o) { return o.threads > 0 ? o.threads : 1; }

  void allocate();
  void enqueue_step(int parity, const core::Stream& stream);
  void record(const core::Stream& stream);
  T* cell(core::DeviceBuffer<T>& field) { return field.data() + layout.origin; }

  Options options;
  Choice choice;
  Problem problem;  // with its axes in the order of the choice
  Extents extents;
  Layout layout;
  RowTeam team;
  gpu::Shape shape;

  std::optional<fft::GpuRealPlan<T>> plan;
  core::DeviceBuffer<T> given[3], fields[2][3], third[3];  // third: rates, or the flow a step began with
  core::DeviceBuffer<T> source, spectrum, work, tables[3], low, high, lambda_x, lambda_y, turns_x, turns_y;
  core::DeviceBuffer<gpu::StepValues> values;
  MeshMetrics<T> metrics;
  gpu::Lines<T> lines;
  gpu::Projection<T> projection;
  core::Graph steps[2];  // from fields[0] to fields[1], and back
  cudaStream_t recorded_on = nullptr;
  int now = 0;  // which of the fields is the flow
  double time = 0, given_time = 0;
  std::int64_t step = 0, given_step = 0;
  gpu::StepValues host_values;
};

template <class T>
void GpuSolver<T>::Parts::allocate() {
  const core::Stream stream;
  const double bytes = gpu_bytes(problem, sizeof(T));
  std::size_t free = 0, total = 0;
  core::check(cudaMemGetInfo(&free, &total));
  if (bytes > static_cast<double>(free))
    throw core::Unavailable("a flow of " + core::format_bytes(bytes) + " on a GPU with " +
                            core::format_bytes(static_cast<double>(free)) + " free");
  plan.emplace(fft::Shape{.extents = {extents.ny, extents.nx}, .batch = extents.nz});
  for (int c = 0; c < 3; ++c) {
    given[c] = core::DeviceBuffer<T>(layout.size);
    third[c] = core::DeviceBuffer<T>(layout.size);
    for (auto& set : fields) {
      set[c] = core::DeviceBuffer<T>(layout.size);
      core::fill_bytes_async(set[c], 0, stream);
    }
    core::fill_bytes_async(third[c], 0, stream);
  }
  source = core::DeviceBuffer<T>(static_cast<std::size_t>(extents.cells()));
  spectrum = core::DeviceBuffer<T>(2 * static_cast<std::size_t>(plan->spectrum_points()));
  lines = {.nx = extents.nx,
           .ny = extents.ny,
           .nz = extents.nz,
           .cosine_x = !shape.periodic[0],
           .cosine_y = !shape.periodic[1],
           .periodic_z = shape.periodic[2],
           .scale = static_cast<T>(1 / (static_cast<double>(extents.nx) * extents.ny))};
  work = core::DeviceBuffer<T>(static_cast<std::size_t>(
      gpu::line_work(lines.nx, lines.ny, lines.nz, lines.cosine_x, lines.cosine_y, lines.periodic_z)));
  std::vector<T> before, after;
  for (int d = 0; d < 3; ++d) {
    const AxisTables<T> axis(problem, d);
    tables[d] = copied(axis.values, stream);
    metrics.axis[d] = axis.at(tables[d].data());
    if (d < 2) continue;
    const AxisMetrics<T> m = axis.metrics();
    for (int k = 0; k < extents.nz; ++k) {
      before.push_back(m.link[k - 1] * m.inverse_width[k]);
      after.push_back(m.link[k] * m.inverse_width[k]);
    }
  }
  low = copied(before, stream);
  high = copied(after, stream);
  lambda_x = copied(row_eigenvalues<T>(problem), stream);
  lambda_y = copied(column_eigenvalues<T>(problem), stream);
  const auto reals = [&](const std::vector<Complex>& turns) {
    std::vector<T> all;
    for (const Complex& t : turns) all.insert(all.end(), {t.real(), t.imag()});
    return copied(all, stream);
  };
  turns_x = reals(cosine_turns<T>(extents.nx));
  turns_y = reals(cosine_turns<T>(extents.ny));
  lines.low = low.data();
  lines.high = high.data();
  lines.lambda_x = lambda_x.data();
  lines.lambda_y = lambda_y.data();
  lines.turns_x = reinterpret_cast<const gpu::ComplexOf<T>*>(turns_x.data());
  lines.turns_y = reinterpret_cast<const gpu::ComplexOf<T>*>(turns_y.data());
  lines.spectrum = reinterpret_cast<gpu::ComplexOf<T>*>(spectrum.data());
  lines.work = work.data();
  values = core::DeviceBuffer<gpu::StepValues>(1);
  for (int c = 0; c < 3; ++c)
    for (int d = 0; d < 3; ++d)
      for (int s = 0; s < 2; ++s) {
        const Side& side = problem.sides[static_cast<std::size_t>(d)][static_cast<std::size_t>(s)];
        projection.beyond[c][d][s] =
            side.edge == Edge::wall
                ? gpu::Beyond<T>{T(-1), static_cast<T>(2 * side.velocity[static_cast<std::size_t>(c)])}
                : gpu::Beyond<T>{T(1), T(0)};
      }
  stream.synchronize();
}

template <class T>
void GpuSolver<T>::Parts::enqueue_step(int parity, const core::Stream& stream) {
  const bool from_start = options.method.scheme == Scheme::s3;
  if (from_start)
    for (int c = 0; c < 3; ++c)
      core::copy_async(third[c].data(), std::as_const(fields[parity][c]).data(), layout.size, stream);
  const auto parts = substeps(options.method.scheme);
  int here = parity;
  for (std::size_t s = 0; s < parts.size(); ++s) {
    auto &u = fields[here], &next = fields[1 - here];
    gpu::Momentum<T> m = {.shape = shape,
                          .metrics = metrics,
                          .values = values.data(),
                          .viscosity = static_cast<T>(problem.viscosity),
                          .now = parts[s].now,
                          .before = parts[s].before,
                          .keeps_rate = !from_start && s + 1 < parts.size()};
    gpu::Divergence<T> d = {
        .shape = shape, .metrics = metrics, .values = values.data(), .length = parts[s].length, .out = source.data()};
    gpu::Projection<T> p = projection;
    p.shape = shape;
    p.metrics = metrics;
    p.values = values.data();
    p.length = parts[s].length;
    p.pressure = source.data();
    for (int c = 0; c < 3; ++c) {
      m.u[c] = cell(u[c]);
      m.base[c] = from_start ? cell(third[c]) : cell(u[c]);
      m.rate[c] = from_start ? nullptr : cell(third[c]);
      m.next[c] = cell(next[c]);
      d.u[c] = cell(next[c]);
      p.u[c] = cell(next[c]);
    }
    gpu::enqueue(m, stream);
    gpu::enqueue(d, stream);
    const std::span<Complex> modes(reinterpret_cast<Complex*>(spectrum.data()), spectrum.size() / 2);
    plan->forward(source.span(), modes, stream);
    gpu::enqueue(lines, stream);
    plan->backward(modes, source.span(), stream);
    gpu::enqueue(p, stream);
    here = 1 - here;
  }
}

template <class T>
void GpuSolver<T>::Parts::record(const core::Stream& stream) {
  if (recorded_on == stream.get()) return;
  for (int parity = 0; parity < 2; ++parity) steps[parity] = core::Graph(stream, [&] { enqueue_step(parity, stream); });
  recorded_on = stream.get();
}

template <class T>
GpuSolver<T>::GpuSolver(const Problem& problem, const Options& options)
    : parts_(std::make_unique<Parts>(problem, options)) {}
template <class T>
GpuSolver<T>::GpuSolver(GpuSolver&&) noexcept = default;
template <class T>
GpuSolver<T>& GpuSolver<T>::operator=(GpuSolver&&) noexcept = default;
template <class T>
GpuSolver<T>::~GpuSolver() = default;

template <class T>
void GpuSolver<T>::allocate() {
  parts_->allocate();
}

template <class T>
void GpuSolver<T>::upload(const State<T>& state, const core::Stream& stream) {
  Parts& p = *parts_;
  const Placement order = {p.choice.order, p.extents};
  if (!(state.extents == order.given())) throw std::invalid_argument("a state of another mesh");
  Field<T> field(p.layout);
  for (int c = 0; c < 3; ++c) {
    const auto& from = state.velocity[static_cast<std::size_t>(p.choice.order[static_cast<std::size_t>(c)])];
    p.team.for_each([&](int j, int k) {
      T* to = field.at(p.layout, j, k);
      const bool row_open = p.problem.periodic(c) || c == 0 || (c == 1 ? j : k) < p.extents.extent(c) - 1;
      for (int i = 0; i < p.extents.nx; ++i) to[i] = row_open ? from[order.at(i, j, k)] : T(0);
      if (c == 0 && !p.problem.periodic(0)) to[p.extents.nx - 1] = T(0);
    });
    fill_edges(p.problem, p.layout, p.team, c, field);
    core::copy_async(p.given[c].data(), std::as_const(field).data(), p.layout.size, stream);
    stream.synchronize();
  }
  p.given_time = state.time;
  p.given_step = state.step;
  p.record(stream);
}

template <class T>
void GpuSolver<T>::reset(const core::Stream& stream) {
  Parts& p = *parts_;
  p.now = 0;
  p.time = p.given_time;
  p.step = p.given_step;
  for (int c = 0; c < 3; ++c) {
    core::copy_async(p.fields[0][c].data(), std::as_const(p.given[c]).data(), p.layout.size, stream);
    // Closed faces in walls have a layer that no step writes.
    core::copy_async(p.fields[1][c].data(), std::as_const(p.given[c]).data(), p.layout.size, stream);
  }
}

template <class T>
void GpuSolver<T>::poison(const core::Stream& stream) {
  for (auto& set : parts_->fields)
    for (auto& field : set) core::fill_bytes_async(field, 0xff, stream);
  core::fill_bytes_async(parts_->source, 0xff, stream);
}

template <class T>
void GpuSolver<T>::run(double dt, int steps, const core::Stream& stream) {
  if (!(dt > 0) || !std::isfinite(dt))
    throw std::invalid_argument("a time step of " + std::to_string(dt) + ": it is above 0 and finite");
  Parts& p = *parts_;
  p.record(stream);
  p.host_values.dt = dt;
  for (int d = 0; d < 3; ++d) p.host_values.acceleration[d] = p.problem.acceleration[static_cast<std::size_t>(d)];
  core::copy_async(p.values.data(), &p.host_values, 1, stream);
  for (int s = 0; s < steps; ++s) {
    p.steps[p.now].launch(stream);
    p.now = 1 - p.now;  // three parts of a step change places three times
    p.time += dt;
    ++p.step;
  }
}

template <class T>
void GpuSolver<T>::download(State<T>& state, const core::Stream& stream) {
  Parts& p = *parts_;
  const Placement order = {p.choice.order, p.extents};
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
  core::copy_async(pressure.data(), std::as_const(p.source).data(), p.source.size(), stream);
  stream.synchronize();
  const auto place = [&](int i, int d) { return p.problem.periodic(d) ? i : cosine_place(i, p.extents.extent(d)); };
  const Metrics<T> metrics(p.problem);
  const MeshMetrics<T> m = metrics.mesh();
  double volume = 0;
  const double sum = p.team.sum([&](int j, int k) {
    double here = 0;
    for (int i = 0; i < p.extents.nx; ++i)
      here += static_cast<double>(m.axis[0].width[i] * m.axis[1].width[j] * m.axis[2].width[k]) *
              static_cast<double>(pressure[p.extents.at(place(i, 0), place(j, 1), k)]);
    return here;
  });
  volume = 1;
  for (const auto& f : p.problem.faces) volume *= f.back() - f.front();
  p.team.for_each([&](int j, int k) {
    for (int i = 0; i < p.extents.nx; ++i)
      state.pressure[order.at(i, j, k)] =
          static_cast<T>(pressure[p.extents.at(place(i, 0), place(j, 1), k)] - sum / volume);
  });
  state.time = p.time;
  state.step = p.step;
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
