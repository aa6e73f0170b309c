// The solver on all cores: one sweep over the mesh for the momentum of all three components, one for the divergence,
// the pressure solve, and one sweep for the projection.
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "speedwell/apps/incompressible_flow/cpu/cpu_parts.hpp"
#include "speedwell/apps/incompressible_flow/strain_step.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::incompressible_flow {
namespace {

Problem checked(const Problem& problem, const Options& options, std::size_t element, const comm::Communicator* ranks) {
  require_valid(problem);
  require_valid(options);
  if (problem.strain && options.method.diffusion == Diffusion::trapezoidal)
    throw std::invalid_argument("a moving mesh requires explicit diffusion");
  // The slabs of all ranks of a host are in its memory.
  const double share = ranks ? static_cast<double>(ranks->split_by_host().size()) / ranks->size() : 1;
  const double bytes = solver_bytes(problem, options, element) * share;
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (bytes > memory)
    throw core::Unavailable("a flow solver of " + core::format_bytes(bytes) + " in a memory of " +
                            core::format_bytes(memory));
  return problem;
}

}  // namespace

template <class T>
Solver<T>::Parts::Parts(const Problem& given, const Options& o, const comm::Communicator* ranks)
    : options(o),
      choice(choose(checked(given, o, sizeof(T), ranks), o.pressure)),
      problem(with_permuted_axes(given, choice.order)),
      original(problem),
      extents(problem.extents()),
      slab(ranks ? Slab(*ranks, extents.nz, problem.periodic(2)) : Slab(extents.nz)),
      layout({extents.nx, extents.ny, slab.count()}, sizeof(T)),
      team(layout, core::resolve_threads(o.threads), sizeof(T), &slab),
      kernels(row_kernels<T>(o.isa)),
      measures(measure_rows<T>(o.isa)),
      vectors(vector_rows<T>(o.isa)),
      metrics(problem, slab.first()),
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
    if (!problem.solid.empty())
      wall_drag_of[c] = wall_drag<T>(problem, static_cast<int>(c), slab.first(), slab.first() + slab.count());
  }
  if (choice.by_modes) modes = std::make_unique<ModeSolver<T>>(problem, layout, team.threads(), o.isa, team.slab());
  if ((choice.pressure == Pressure::direct && !choice.by_modes) || choice.preconditioned)
    direct = std::make_unique<DirectSolver<T>>(problem, team.threads(), o.isa, team.slab());
  if (choice.pressure == Pressure::conjugate_gradients)
    gradients = std::make_unique<ConjugateGradients<T>>(problem, layout, team, o.isa,
                                                        choice.preconditioned ? direct.get() : nullptr);
  if (in_field() || trapezoidal()) source = Field<T>(layout);
  if (trapezoidal()) {
    diffusion = std::make_unique<DiffusionSolver<T>>(problem, layout, team, o.isa);
    pressure_base = Field<T>(layout);
  }
}

template <class T>
void Solver<T>::Parts::momentum(const RungeKuttaCoefficients& s, double dt, const std::array<double, 3>& shrink) {
  const bool from_start = options.method.scheme == Scheme::s3;
  const Fields<T>& first = from_start ? base : u;
  const bool keeps = !from_start && s.length != runge_kutta_coefficients(Scheme::w3)[2].length;
  // With strain, velocities times lengths are added: all terms of the new velocity are in units of the mesh at the end
  // of this part.
  const bool strains = shrink != std::array<double, 3>{1, 1, 1};
  const auto arrive = [&] { finish_velocity(); };
  team.for_each_while(arrive, [&](int j, int k) {
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
      row.wall_drag[c] = wall_drag_at(c, j, k);
    }
    kernels.momentum(row);
    for (std::size_t c = 0; c < 3 && strains; ++c) {
      const auto by = static_cast<T>(shrink[c]);
      T* goes_on = from_start ? base[c].at(layout, j, k) : row.rate[c];
      for (int i = 0; i < extents.nx; ++i) {
        row.next[c][i] *= by;
        goes_on[i] *= by;
      }
    }
    wrap_rows(row.next);
  });
}

template <class T>
void Solver<T>::Parts::diffuse(const RungeKuttaCoefficients& s, double dt) {
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
                         .wall_drag = wall_drag_at(d, j, k),
                         .next = next[d].at(layout, j, k)});
    });
    if (factor > 0)
      diffusion_iterations +=
          diffusion->solve(c, factor, u[d], wall_drag_of[d].empty() ? nullptr : wall_drag_of[d].data(), next[d]);
  }
}

template <class T>
void Solver<T>::Parts::solve_pressure(double length) {
  // The divergence reads one plane of another rank: that of w below.
  for (int c = 0; c < 3; ++c)
    start_edges(problem, layout, team, c, next[static_cast<std::size_t>(c)], true,
                c == 2 ? Neighbors::below : Neighbors::none, trapezoidal() ? RowEnds::missing : RowEnds::wrapped);
  const auto arrive = [&] {
    for (int c = 0; c < 3; ++c) finish_edges(problem, layout, team, c, next[static_cast<std::size_t>(c)]);
  };
  if (by_planes()) {
    arrive();
    direct->solve_from([&](int k, T* plane) {
      for (int j = 0; j < extents.ny; ++j) divergence(j, k, length, direct->row_of(plane, j));
    });
    return;
  }
  const bool in_place = !source;
  team.for_each_while(arrive, [&](int j, int k) {
    T* out = in_place && direct->rows_are_plain() ? direct->row(j, k)
                                                  : (source ? source.at(layout, j, k) : pressure.at(layout, j, k));
    divergence(j, k, length, out);
    if (!in_field() && !(in_place && direct->rows_are_plain())) direct->put(j, k, out);
  });
  if (modes) {
    modes->solve(source, pressure);
    fill_edges_of_cells(problem, layout, team, pressure);
  } else if (gradients) {
    // The trapezoidal rule solves for the change of the pressure, whose initial guess is 0.
    if (trapezoidal()) pressure = Field<T>(layout);
    pressure_iterations += gradients->solve(source, pressure, tolerance, options.max_iterations);
    fill_edges_of_cells(problem, layout, team, pressure);
  } else {
    direct->solve();
  }
}

template <class T>
void Solver<T>::Parts::divergence(int j, int k, double length, T* out) {
  kernels.divergence({.row = layout.row,
                      .plane = layout.plane,
                      .metrics = metrics_at(j, k),
                      .cells = extents.nx,
                      .factor = static_cast<T>(1 / length),
                      .u = {next[0].at(layout, j, k), next[1].at(layout, j, k), next[2].at(layout, j, k)},
                      .out = out});
}

// p: pressures of this row, and of the next rows along y and z.
template <class T>
void Solver<T>::Parts::project_row(int j, int k, double length, const T* const (&p)[3], T p_next) {
  ProjectionRow<T> row = {.metrics = metrics_at(j, k),
                          .cells = extents.nx,
                          .step = static_cast<T>(length),
                          .p = {p[0], p[1], p[2]},
                          .p_next = p_next};
  for (std::size_t c = 0; c < 3; ++c) {
    row.u[c] = next[c].at(layout, j, k);
    row.wall_drag[c] = wall_drag_at(c, j, k);
    row.open[c] = open(static_cast<int>(c), j, k);
  }
  kernels.project(row);
  wrap_rows(row.u);
}

template <class T>
void Solver<T>::Parts::project(double length) {
  const int nx = extents.nx, ny = extents.ny;
  if (by_planes()) {
    direct->solve_to([&](int k, const T* plane, const T* above) {
      for (int j = 0; j < ny; ++j) {
        const T* const p = direct->row_of(plane, j);
        project_row(j, k, length, {p, direct->row_of(plane, j + 1 < ny ? j + 1 : 0), direct->row_of(above, j)}, p[0]);
      }
    });
    pressure_in_direct = true;
    return;
  }
  const bool plain = !in_field() && direct->rows_are_plain();
  if (!in_field() && !plain) {
    team.for_each([&](int j, int k) { direct->get(j, k, pressure.at(layout, j, k)); });
    fill_edges_of_cells(problem, layout, team, pressure);
  }
  if (plain) direct->start_first_plane();
  const auto arrive = [&] { slab.finish(); };
  team.for_each_while(arrive, [&](int j, int k) {
    const T* const p = plain ? direct->row(j, k) : pressure.at(layout, j, k);
    if (plain)
      project_row(j, k, length, {p, direct->row(j + 1 < ny ? j + 1 : 0, k), direct->row_above(j, k)}, p[0]);
    else
      project_row(j, k, length, {p, pressure.at(layout, j + 1, k), pressure.at(layout, j, k + 1)}, p[nx]);
  });
  pressure_in_direct = plain;
}

// p = p before + phi - nu length / 2 Laplacian of phi, which is the right-hand side of the equation for phi.
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

// Subtracts the volume-weighted mean over the fluid.
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

// A pressure that the next step starts from is stored as in a state, so that a stored flow continues with the same
// bits.
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
void Solver<T>::Parts::move_mesh(double to) {
  problem = at_time(original, to);
  metrics = Metrics<T>(problem, slab.first());
  direct->set_mesh(problem);
}

// A uniform change has no divergence and corresponds to a force; hence the mean is restored after each part of a step.
template <class T>
void Solver<T>::Parts::keep_bulk_velocity(Fields<T>& field, double length) {
  for (std::size_t c = 0; c < 3; ++c) {
    if (!problem.bulk_velocity[c]) continue;
    // Volumes around faces: products of a length along each axis.
    const MeshMetrics<T> mesh = metrics.mesh();
    const auto length_of = [&](std::size_t axis, int n) {
      return axis == c ? 1 / static_cast<double>(mesh.axis[axis].inverse_distance[n])
                       : static_cast<double>(mesh.axis[axis].width[n]);
    };
    std::vector<double> lengths(static_cast<std::size_t>(extents.nx));
    for (int i = 0; i < extents.nx; ++i) lengths[static_cast<std::size_t>(i)] = length_of(0, i);
    const double row_length = std::accumulate(lengths.begin(), lengths.end(), 0.0);
    const auto sums = team.template sums<2>([&](int j, int k) {
      const double area = length_of(1, j) * length_of(2, k);
      return std::array<double, 2>{area * row_length,
                                   area * vectors.weighted_sum(extents.nx, lengths.data(), field[c].at(layout, j, k))};
    });
    const double change = *problem.bulk_velocity[c] - sums[1] / sums[0];
    force[c] += change / length;
    team.for_each([&](int j, int k) {
      T* row = field[c].at(layout, j, k);
      for (int i = 0; i < extents.nx; ++i) row[i] += static_cast<T>(change);
      if (problem.periodic(0)) wrap_row(row, extents.nx);
    });
  }
}

template <class T>
void Solver<T>::Parts::step(double dt) {
  const bool from_start = options.method.scheme == Scheme::s3;
  pressure_iterations = diffusion_iterations = 0;
  const auto copy = [&](const Field<T>& from, Field<T>& to) {
    std::copy(from.data(), from.data() + layout.size, to.data());
  };
  if (from_start) {
    if (trapezoidal()) finish_velocity();  // diffusion reads ghost cells of the base
    for (std::size_t c = 0; c < 3; ++c) {
      const auto planes = layout.plane * layout.n[2];
      if (velocity_in_transfer)
        std::copy_n(u[c].at(layout, -1, 0) - 1, planes, base[c].at(layout, -1, 0) - 1);
      else
        copy(u[c], base[c]);
    }
  }
  if (trapezoidal()) copy(pressure, pressure_base);
  force = acceleration;
  const auto parts = runge_kutta_coefficients(options.method.scheme);
  const auto ends = part_ends(options.method.scheme, dt);
  for (std::size_t n = 0; n < parts.size(); ++n) {
    const RungeKuttaCoefficients& s = parts[n];
    const double length = s.length * dt, before = ends[n], passed = ends[n + 1];
    if (from_start) force = acceleration;
    std::array<double, 3> shrink = {1, 1, 1};
    if (original.strain) shrink = strain_step(*original.strain, options.method.scheme, time, dt).shrink[n];
    if (trapezoidal()) {
      if (from_start)
        copy(pressure_base, pressure);
      else
        copy(pressure, pressure_base);
    }
    momentum(s, dt, shrink);
    if (trapezoidal()) diffuse(s, dt);
    if (original.strain && passed != before) move_mesh(time + passed);
    solve_pressure(length);
    project(length);
    keep_bulk_velocity(next, dt);
    if (trapezoidal()) correct_pressure(length);
    std::swap(u, next);
    start_velocity();
  }
  if (!pressure_in_direct) centre_pressure();
  time += dt;
  ++steps;
}

template struct Solver<float>::Parts;
template struct Solver<double>::Parts;

}  // namespace speedwell::incompressible_flow
