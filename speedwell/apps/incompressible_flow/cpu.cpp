// The solver on all cores: a way through the mesh for the momentum of all three components, one for the divergence, the
// pressure, and one for the projection.
#include <unistd.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "speedwell/apps/incompressible_flow/conjugate_gradients.hpp"
#include "speedwell/apps/incompressible_flow/diffusion_solver.hpp"
#include "speedwell/apps/incompressible_flow/direct_solver.hpp"
#include "speedwell/apps/incompressible_flow/fields.hpp"
#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/apps/incompressible_flow/metrics.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::incompressible_flow {

void require_valid(const Options& o) {
  if (o.tolerance != 0 && !(o.tolerance >= 1e-15 && o.tolerance < 1))
    throw std::invalid_argument("a tolerance of " + std::to_string(o.tolerance) + ": from 1e-15 to below 1, or 0");
  if (o.most_iterations < 1)
    throw std::invalid_argument(std::to_string(o.most_iterations) + " iterations at most: at least 1");
  core::resolve_threads(o.threads);
}

double solver_bytes(const Problem& problem, const Options& options, std::size_t element) {
  require_valid(problem);
  const Choice choice = choose(problem, options.pressure);
  const Extents e = problem.extents();
  const double cells = static_cast<double>(e.cells());
  // Velocities, the next ones and rates; of S3 also those it begins with; pressure; right sides and spectrum; vectors.
  double fields = 9 + (options.method.scheme == Scheme::s3 ? 3 : 0) + 1;
  if (choice.pressure == Pressure::direct || choice.preconditioned) fields += 2;
  if (choice.pressure == Pressure::conjugate_gradients) fields += 9;
  if (options.method.diffusion == Diffusion::trapezoidal) fields += 5;
  if (!problem.solid.empty()) fields += 3;
  const double padded = (e.nx + 16.0) * (e.ny + 2.0) * (e.nz + 2.0);
  return fields * std::max(cells, padded) * static_cast<double>(element);
}

double stable_step(const Problem& problem, const Method& method, double cfl, double convection_rate) {
  if (!(cfl > 0) || !(cfl < most_cfl(method.scheme)))
    throw std::invalid_argument("CFL " + std::to_string(cfl) + ": above 0 and below " +
                                std::to_string(most_cfl(method.scheme)) + ", where the scheme is stable");
  double step = cfl / convection_rate;
  if (method.diffusion == Diffusion::explicit_steps && problem.viscosity > 0) {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
      const auto& f = problem.faces[static_cast<std::size_t>(d)];
      if (f.size() < 3) continue;
      double least = f[1] - f[0];
      for (std::size_t i = 2; i < f.size(); ++i) least = std::min(least, f[i] - f[i - 1]);
      // A tangential velocity half a cell from a wall that is as far again from its neighbour: at most 4 / width^2.
      sum += 4 / (least * least);
    }
    if (sum > 0) step = std::min(step, 0.9 * most_decay(method.scheme) / (problem.viscosity * sum));
  }
  return step;
}

template <class T>
struct Solver<T>::Parts {
  Parts(const Problem& given, const Options& o);

  void step(double dt);
  void momentum(const Substep& s, double dt);
  void diffuse(const Substep& s, double dt);
  void solve_pressure(double length);
  void project(double length);
  void correct_pressure(double length);
  void centre_pressure();
  double mean_pressure();
  const T* pressure_at(int j, int k) const {
    return pressure_in_direct ? direct->row(j, k) : pressure.at(layout, j, k);
  }
  bool is_solid(int i, int j, int k) const { return !problem.solid.empty() && problem.solid[extents.at(i, j, k)]; }
  MeshMetrics<T> metrics_at(int j, int k) const { return at_row(metrics.mesh(), j, k); }
  const T* friction_at(std::size_t c, int j, int k) const {
    return friction_of[c].empty() ? nullptr : friction_of[c].data() + extents.at(0, j, k);
  }
  int open(int c, int j, int k) const {
    if (problem.periodic(c)) return extents.nx;
    if (c == 0) return extents.nx - 1;
    const int at = c == 1 ? j : k;
    return at == extents.extent(c) - 1 ? 0 : extents.nx;
  }
  bool trapezoidal() const { return options.method.diffusion == Diffusion::trapezoidal; }

  Options options;
  Choice choice;
  Problem problem;  // with its axes in the order of the choice
  Extents extents;
  Layout layout;
  RowTeam team;
  RowKernels<T> kernels;
  Metrics<T> metrics;
  std::array<std::vector<T>, 3> friction_of;
  Fields<T> u, next, rate, base;
  Field<T> pressure, pressure_base, source;
  std::unique_ptr<DirectSolver<T>> direct;
  std::unique_ptr<ConjugateGradients<T>> gradients;
  std::unique_ptr<DiffusionSolver<T>> diffusion;
  std::array<double, 3> acceleration;
  double time = 0, tolerance = 0;
  std::int64_t steps = 0;
  int pressure_iterations = 0, diffusion_iterations = 0;
  bool pressure_in_direct = false;
};

namespace {

Problem checked(const Problem& problem, const Options& options, std::size_t element) {
  require_valid(problem);
  require_valid(options);
  const double bytes = solver_bytes(problem, options, element);
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (bytes > memory)
    throw core::Unavailable("a flow solver of " + core::format_bytes(bytes) + " in a memory of " +
                            core::format_bytes(memory));
  return problem;
}

}  // namespace

template <class T>
Solver<T>::Parts::Parts(const Problem& given, const Options& o)
    : options(o),
      choice(choose(checked(given, o, sizeof(T)), o.pressure)),
      problem(reordered(given, choice.order)),
      extents(problem.extents()),
      layout(extents, sizeof(T)),
      team(layout, core::resolve_threads(o.threads), sizeof(T)),
      kernels(row_kernels<T>(o.isa)),
      metrics(problem),
      pressure(layout),
      acceleration(problem.acceleration),
      tolerance(o.tolerance > 0  ? o.tolerance
                : sizeof(T) == 8 ? 1e-10
                                 : 1e-5) {
  for (std::size_t c = 0; c < 3; ++c) {
    u[c] = Field<T>(layout);
    next[c] = Field<T>(layout);
    if (options.method.scheme == Scheme::s3)
      base[c] = Field<T>(layout);
    else
      rate[c] = Field<T>(layout);
    if (!problem.solid.empty()) friction_of[c] = friction<T>(problem, static_cast<int>(c));
  }
  if (choice.pressure == Pressure::direct || choice.preconditioned)
    direct = std::make_unique<DirectSolver<T>>(problem, team.threads(), o.isa);
  if (choice.pressure == Pressure::conjugate_gradients)
    gradients = std::make_unique<ConjugateGradients<T>>(problem, layout, team, o.isa,
                                                        choice.preconditioned ? direct.get() : nullptr);
  if (gradients || trapezoidal()) source = Field<T>(layout);
  if (trapezoidal()) {
    diffusion = std::make_unique<DiffusionSolver<T>>(problem, layout, team, o.isa);
    pressure_base = Field<T>(layout);
  }
}

template <class T>
void Solver<T>::Parts::momentum(const Substep& s, double dt) {
  const bool from_start = options.method.scheme == Scheme::s3;
  const Fields<T>& first = from_start ? base : u;
  const bool keeps = !from_start && s.length != substeps(Scheme::w3)[2].length;
  team.for_each([&](int j, int k) {
    MomentumRow<T> row = {.row = layout.row,
                          .plane = layout.plane,
                          .metrics = metrics_at(j, k),
                          .cells = extents.nx,
                          .open = {open(0, j, k), open(1, j, k), open(2, j, k)},
                          .viscosity = static_cast<T>(trapezoidal() ? 0 : problem.viscosity),
                          .now = static_cast<T>(dt * s.now),
                          .before = static_cast<T>(dt * s.before),
                          .keeps_rate = keeps};
    for (std::size_t c = 0; c < 3; ++c) {
      row.acceleration[c] = static_cast<T>(acceleration[c]);
      row.u[c] = u[c].at(layout, j, k);
      row.base[c] = first[c].at(layout, j, k);
      row.rate[c] = rate[c] ? rate[c].at(layout, j, k) : nullptr;
      row.next[c] = next[c].at(layout, j, k);
      row.friction[c] = friction_at(c, j, k);
    }
    kernels.momentum(row);
  });
}

template <class T>
void Solver<T>::Parts::diffuse(const Substep& s, double dt) {
  const Fields<T>& first = options.method.scheme == Scheme::s3 ? base : u;
  const double factor = 0.5 * s.length * dt * problem.viscosity;
  for (int c = 0; c < 3; ++c) {
    const auto d = static_cast<std::size_t>(c);
    team.for_each([&](int j, int k) {
      kernels.diffusion({.row = layout.row,
                         .plane = layout.plane,
                         .metrics = metrics_at(j, k),
                         .component = c,
                         .open = open(c, j, k),
                         .factor = static_cast<T>(factor),
                         .pressure_step = static_cast<T>(s.length * dt),
                         .u = first[d].at(layout, j, k),
                         .pressure = pressure.at(layout, j, k),
                         .friction = friction_at(d, j, k),
                         .next = next[d].at(layout, j, k)});
    });
    if (factor > 0)
      diffusion_iterations +=
          diffusion->solve(c, factor, u[d], friction_of[d].empty() ? nullptr : friction_of[d].data(), next[d]);
  }
}

template <class T>
void Solver<T>::Parts::solve_pressure(double length) {
  for (int c = 0; c < 3; ++c) fill_edges(problem, layout, team, c, next[static_cast<std::size_t>(c)]);
  const bool in_place = !source;
  team.for_each([&](int j, int k) {
    T* out = in_place && direct->rows_are_plain() ? direct->row(j, k)
                                                  : (source ? source.at(layout, j, k) : pressure.at(layout, j, k));
    kernels.divergence({.row = layout.row,
                        .plane = layout.plane,
                        .metrics = metrics_at(j, k),
                        .cells = extents.nx,
                        .factor = static_cast<T>(1 / length),
                        .u = {next[0].at(layout, j, k), next[1].at(layout, j, k), next[2].at(layout, j, k)},
                        .out = out});
    if (!gradients && !(in_place && direct->rows_are_plain())) direct->put(j, k, out);
  });
  if (gradients) {
    // Of the trapezoidal rule only the change of the pressure is sought, which begins at 0.
    if (trapezoidal()) pressure = Field<T>(layout);
    pressure_iterations += gradients->solve(source, pressure, tolerance, options.most_iterations);
    fill_edges_of_cells(problem, layout, team, pressure);
  } else {
    direct->solve();
  }
}

template <class T>
void Solver<T>::Parts::project(double length) {
  const int nx = extents.nx, ny = extents.ny, nz = extents.nz;
  const bool plain = !gradients && direct->rows_are_plain();
  if (!gradients && !plain) {
    team.for_each([&](int j, int k) { direct->get(j, k, pressure.at(layout, j, k)); });
    fill_edges_of_cells(problem, layout, team, pressure);
  }
  team.for_each([&](int j, int k) {
    ProjectionRow<T> row = {.metrics = metrics_at(j, k), .cells = nx, .step = static_cast<T>(length)};
    if (plain) {
      row.p[0] = direct->row(j, k);
      row.p[1] = direct->row(j + 1 < ny ? j + 1 : 0, k);
      row.p[2] = direct->row(j, k + 1 < nz ? k + 1 : 0);
      row.p_beyond = row.p[0][0];
    } else {
      row.p[0] = pressure.at(layout, j, k);
      row.p[1] = pressure.at(layout, j + 1, k);
      row.p[2] = pressure.at(layout, j, k + 1);
      row.p_beyond = row.p[0][nx];
    }
    for (std::size_t c = 0; c < 3; ++c) {
      row.u[c] = next[c].at(layout, j, k);
      row.friction[c] = friction_at(c, j, k);
      row.open[c] = open(static_cast<int>(c), j, k);
    }
    kernels.project(row);
  });
  pressure_in_direct = plain;
}

// p = p before + phi - nu length / 2 Laplacian of phi, which is the right side that phi was found for.
template <class T>
void Solver<T>::Parts::correct_pressure(double length) {
  const T factor = static_cast<T>(0.5 * length * problem.viscosity);
  team.for_each([&](int j, int k) {
    T* p = pressure.at(layout, j, k);
    const T *before = pressure_base.at(layout, j, k), *f = source.at(layout, j, k);
    if (pressure_in_direct) direct->get(j, k, p);
    for (int i = 0; i < extents.nx; ++i) p[i] += before[i] - factor * f[i];
  });
  pressure_in_direct = false;
  fill_edges_of_cells(problem, layout, team, pressure);
}

// By volume, over the fluid.
template <class T>
double Solver<T>::Parts::mean_pressure() {
  const MeshMetrics<T> mesh = metrics.mesh();
  double sums[2];
  for (const bool of_pressure : {false, true})
    sums[of_pressure] = team.sum([&](int j, int k) {
      const T* p = pressure_at(j, k);
      double here = 0;
      for (int i = 0; i < extents.nx; ++i)
        if (!is_solid(i, j, k))
          here += static_cast<double>(mesh.axis[0].width[i] * mesh.axis[1].width[j] * mesh.axis[2].width[k]) *
                  (of_pressure ? static_cast<double>(p[i]) : 1);
      return here;
    });
  return sums[1] / sums[0];
}

// A pressure from which the next step goes on is kept as a state has it: then a flow that was stored goes on with the
// same bits.
template <class T>
void Solver<T>::Parts::centre_pressure() {
  const double mean = mean_pressure();
  team.for_each([&](int j, int k) {
    T* p = pressure.at(layout, j, k);
    for (int i = 0; i < extents.nx; ++i) p[i] = is_solid(i, j, k) ? T(0) : static_cast<T>(p[i] - mean);
  });
  fill_edges_of_cells(problem, layout, team, pressure);
}

template <class T>
void Solver<T>::Parts::step(double dt) {
  const bool from_start = options.method.scheme == Scheme::s3;
  pressure_iterations = diffusion_iterations = 0;
  const auto copy = [&](const Field<T>& from, Field<T>& to) {
    std::copy(from.data(), from.data() + layout.size, to.data());
  };
  if (from_start)
    for (std::size_t c = 0; c < 3; ++c) copy(u[c], base[c]);
  if (trapezoidal()) copy(pressure, pressure_base);
  for (const Substep& s : substeps(options.method.scheme)) {
    const double length = s.length * dt;
    if (trapezoidal()) {
      if (from_start)
        copy(pressure_base, pressure);
      else
        copy(pressure, pressure_base);
    }
    momentum(s, dt);
    if (trapezoidal()) diffuse(s, dt);
    solve_pressure(length);
    project(length);
    if (trapezoidal()) correct_pressure(length);
    std::swap(u, next);
    for (int c = 0; c < 3; ++c) fill_edges(problem, layout, team, c, u[static_cast<std::size_t>(c)]);
  }
  if (!pressure_in_direct) centre_pressure();
  time += dt;
  ++steps;
}

template <class T>
Solver<T>::Solver(const Problem& problem, const Options& options) : parts_(std::make_unique<Parts>(problem, options)) {}
template <class T>
Solver<T>::Solver(Solver&&) noexcept = default;
template <class T>
Solver<T>& Solver<T>::operator=(Solver&&) noexcept = default;
template <class T>
Solver<T>::~Solver() = default;

template <class T>
void Solver<T>::set(const State<T>& state) {
  Parts& p = *parts_;
  const Placement order = {p.choice.order, p.extents};
  if (!(state.extents == order.given())) throw std::invalid_argument("a state of another mesh");
  p.team.for_each([&](int j, int k) {
    for (std::size_t c = 0; c < 3; ++c) {
      const auto& from = state.velocity[static_cast<std::size_t>(p.choice.order[c])];
      T* to = p.u[c].at(p.layout, j, k);
      const T* friction = p.friction_at(c, j, k);
      const int open = p.open(static_cast<int>(c), j, k);
      for (int i = 0; i < p.extents.nx; ++i)
        to[i] = i >= open || (friction && friction[i] < 0) ? T(0) : from[order.at(i, j, k)];
    }
    for (int i = 0; i < p.extents.nx; ++i) p.pressure.at(p.layout, j, k)[i] = state.pressure[order.at(i, j, k)];
  });
  p.pressure_in_direct = false;
  for (int c = 0; c < 3; ++c) fill_edges(p.problem, p.layout, p.team, c, p.u[static_cast<std::size_t>(c)]);
  fill_edges_of_cells(p.problem, p.layout, p.team, p.pressure);
  p.time = state.time;
  p.steps = state.step;
}

template <class T>
void Solver<T>::get(State<T>& state) const {
  Parts& p = *parts_;
  const Placement order = {p.choice.order, p.extents};
  if (!(state.extents == order.given())) throw std::invalid_argument("a state of another mesh");
  const double mean = p.pressure_in_direct ? p.mean_pressure() : 0;
  p.team.for_each([&](int j, int k) {
    for (std::size_t c = 0; c < 3; ++c) {
      auto& to = state.velocity[static_cast<std::size_t>(p.choice.order[c])];
      const T* from = p.u[c].at(p.layout, j, k);
      for (int i = 0; i < p.extents.nx; ++i) to[order.at(i, j, k)] = from[i];
    }
    const T* pressure = p.pressure_at(j, k);
    for (int i = 0; i < p.extents.nx; ++i) {
      const bool solid = !p.problem.solid.empty() && p.problem.solid[p.extents.at(i, j, k)];
      state.pressure[order.at(i, j, k)] = solid ? T(0) : static_cast<T>(pressure[i] - mean);
    }
  });
  state.time = p.time;
  state.step = p.steps;
}

template <class T>
void Solver<T>::step(double dt) {
  if (!(dt > 0) || !std::isfinite(dt))
    throw std::invalid_argument("a time step of " + std::to_string(dt) + ": it is above 0 and finite");
  parts_->step(dt);
}

template <class T>
void Solver<T>::set_acceleration(const std::array<double, 3>& acceleration) {
  for (std::size_t d = 0; d < 3; ++d)
    parts_->acceleration[d] = acceleration[static_cast<std::size_t>(parts_->choice.order[d])];
}

template <class T>
double Solver<T>::convection_rate() const {
  Parts& p = *parts_;
  const MeshMetrics<T> mesh = p.metrics.mesh();
  std::vector<double> of_rows(static_cast<std::size_t>(p.extents.ny) * static_cast<std::size_t>(p.extents.nz));
  p.team.for_each([&](int j, int k) {
    const T *u = p.u[0].at(p.layout, j, k), *v = p.u[1].at(p.layout, j, k), *w = p.u[2].at(p.layout, j, k);
    T largest = 0, all = 0;
    for (int i = 0; i < p.extents.nx; ++i) {
      const auto faster = [](T a, T b) { return std::max(std::abs(a), std::abs(b)); };
      const T rate = faster(u[i], u[i - 1]) * mesh.axis[0].inverse_width[i] +
                     faster(v[i], v[i - p.layout.row]) * mesh.axis[1].inverse_width[j] +
                     faster(w[i], w[i - p.layout.plane]) * mesh.axis[2].inverse_width[k];
      largest = std::max(largest, rate);
      all += u[i] + v[i] + w[i];
    }
    of_rows[static_cast<std::size_t>(k) * static_cast<std::size_t>(p.extents.ny) + static_cast<std::size_t>(j)] =
        std::isfinite(all) ? static_cast<double>(largest) : std::numeric_limits<double>::quiet_NaN();
  });
  double largest = 0;
  for (const double r : of_rows) {
    if (std::isnan(r)) return r;
    largest = std::max(largest, r);
  }
  return largest;
}

template <class T>
double Solver<T>::time() const {
  return parts_->time;
}
template <class T>
std::int64_t Solver<T>::steps() const {
  return parts_->steps;
}
template <class T>
const Choice& Solver<T>::choice() const {
  return parts_->choice;
}
template <class T>
int Solver<T>::pressure_iterations() const {
  return parts_->pressure_iterations;
}
template <class T>
int Solver<T>::diffusion_iterations() const {
  return parts_->diffusion_iterations;
}

template class Solver<float>;
template class Solver<double>;

}  // namespace speedwell::incompressible_flow
