#include "speedwell/apps/incompressible_flow/cases/case_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/incompressible_flow/cases/cubes.hpp"
#include "speedwell/apps/incompressible_flow/initial.hpp"
#include "speedwell/apps/incompressible_flow/mesh/mesh.hpp"
#include "speedwell/apps/incompressible_flow/statistics/profiles.hpp"
#include "speedwell/io/cases/case_table.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::incompressible_flow {
namespace {

using Table = io::CaseTable;
using io::Range;

/// All tables of the file.
struct Tables {
  const std::string& file;
  const toml::table& whole;
  FlowCase& flow;
  Table top = table(""), mesh = table("mesh"), edges = table("edges"), fluid = table("fluid"), start = table("start"),
        time = table("time"), pressure = table("pressure"), output = table("output"), cubes = table("cubes"),
        stirring = table("stirring"), strain = table("strain");

  Table table(const std::string& name) const {
    return Table(file, name.empty() ? &whole : io::table_in(file, whole, name), name, case_schema(), flow.settings);
  }
  void finish() const {
    for (const Table* t : {&top, &mesh, &edges, &fluid, &start, &cubes, &time, &pressure, &output, &stirring, &strain})
      t->finish();
  }
};

std::vector<double> faces_of(Table& mesh, std::size_t axis, double cells, double size) {
  const std::string name(1, "xyz"[axis]);
  if (mesh.has(name + "_faces")) {
    mesh.has(name + "_spacing");
    mesh.has(name + "_stretching");
    const auto faces = mesh.increasing(name + "_faces");
    if (faces.size() < 2) mesh.refuse(name + "_faces", fmt::format("{} faces; at least 2 are required", faces.size()));
    return faces;
  }
  const std::string spacing = mesh.word(name + "_spacing");
  const Range allowed = spacing == "uniform" ? Range::finite()
                        : spacing == "wavy"  ? Range{.min = -1, .max = 1, .with_min = false, .with_max = false}
                                             : Range{.min = 0, .max = 50, .with_min = false, .with_max = false};
  const double stretching = mesh.real(name + "_stretching", spacing == "wavy" ? 0.3 : 2, allowed);
  if (!(cells >= 1) || cells > 65536 || cells != std::floor(cells))
    mesh.refuse("cells", fmt::format("{} cells along {}; a whole number from 1 to 65536 is required", cells, name));
  const int n = static_cast<int>(cells);
  try {
    if (spacing == "two-sided") return two_sided_faces(n, size, stretching);
    if (spacing == "one-sided") return one_sided_faces(n, size, stretching);
    if (spacing == "wavy") return wavy_faces(n, size, stretching);
    return uniform_faces(n, size);
  } catch (const std::invalid_argument& e) {
    mesh.refuse(spacing == "uniform" ? "size" : name + "_stretching", e.what());
  }
}

void read_mesh(Tables& t) {
  if (!t.mesh.present())
    throw io::InputError(
        "input.case.value", t.file, 0, 0,
        "there is no table [mesh]: 'cells' and 'size', or 'x_faces', 'y_faces' and 'z_faces', are required in it");
  const auto cells = t.mesh.triple("cells"), size = t.mesh.triple("size");
  for (std::size_t d = 0; d < 3; ++d) t.flow.problem.faces[d] = faces_of(t.mesh, d, cells[d], size[d]);
}

void read_edges(Table& edges, Problem& problem) {
  const auto edge = [](const std::string& kind) {
    return kind == "wall" ? Edge::wall : kind == "slip" ? Edge::slip : Edge::periodic;
  };
  for (std::size_t d = 0; d < 3; ++d) {
    const std::string axis(1, "xyz"[d]);
    const std::string both = edges.word(axis);
    std::array<Side, 2>& sides = problem.sides[d];
    for (std::size_t s = 0; s < 2; ++s) {
      const std::string side = axis + (s == 0 ? "_low" : "_high");
      sides[s].edge = edge(edges.word(side, both));
      sides[s].velocity = edges.triple(side + "_velocity");
      for (std::size_t c = 0; c < 3; ++c)
        if (sides[s].velocity[c] != 0 && (sides[s].edge != Edge::wall || c == d))
          edges.refuse(side + "_velocity", fmt::format("{:g} along {}; only walls move, and only along themselves",
                                                       sides[s].velocity[c], "xyz"[c]));
    }
    if ((sides[0].edge == Edge::periodic) != (sides[1].edge == Edge::periodic))
      edges.refuse(edges.has(axis + "_low") ? axis + "_low" : axis + "_high",
                   fmt::format("one side of {} is periodic and the other is not", axis));
  }
}

void read_fluid(Table& fluid, Problem& problem) {
  problem.viscosity = fluid.real("viscosity");
  problem.acceleration = fluid.triple("acceleration");
  for (std::size_t d = 0; d < 3; ++d) {
    const std::string axis(1, "xyz"[d]), key = "bulk_velocity_" + axis;
    if (!fluid.has(key)) continue;
    problem.bulk_velocity[d] = fluid.real(key, 0);
    if (!problem.periodic(static_cast<int>(d)))
      fluid.refuse(key, axis + " is not periodic, and a bulk velocity is kept along such an axis");
    if (problem.acceleration[d] != 0)
      fluid.refuse(key, fmt::format("there is an acceleration along {}, too: one of them is required", axis));
  }
}

void read_start(Table& start, FlowCase& flow) {
  flow.start = start.word("flow");
  flow.noise = start.real("noise");
  flow.seed = static_cast<std::uint64_t>(start.whole("seed"));
  if (flow.start == "channel" && flow.problem.periodic(1)) start.refuse("flow", "a channel has walls along y");
  std::vector<double> wavenumbers, energies;
  for (const auto& point : start.rows("spectrum")) {
    wavenumbers.push_back(point[0]);
    energies.push_back(point[1]);
  }
  const double skewness = start.real("skewness");
  const int developments = start.count("developments");
  if (wavenumbers.empty()) {
    if (skewness < 0) start.refuse("skewness", "there is no start.spectrum, whose flow it is for");
    // The flow does not depend on them, and checkpoints of earlier versions do not have them.
    flow.settings.erase("start.skewness");
    flow.settings.erase("start.developments");
    return;
  }
  if (flow.start != "rest") start.refuse("spectrum", "start.flow is another initial flow: one of them is required");
  if (flow.noise > 0) start.refuse("noise", "the flow of start.spectrum is random by itself");
  start.require("spectrum", [&] {
    flow.spectrum = {.table = {wavenumbers, energies}, .skewness = skewness, .developments = developments};
    require_resolved_shell(flow.problem);
  });
}

// Steps end at multiples of an interval, which are compared to 1e-12 of the time (simulation/schedule.cpp): up to 1e9
// of them are a thousand times farther apart.
constexpr double max_intervals = 1e9;

void require_interval(Table& table, const std::string& key, double interval, double end) {
  if (interval > 0 && end / interval > max_intervals)
    table.refuse(key, fmt::format("{}: to the end at {} there are more than 10^9 of it; 0 or at least {} is required",
                                  interval, end, end / max_intervals));
}

void read_time(Table& time, FlowCase& flow) {
  flow.end = time.real("end");
  flow.steady = time.real("steady");
  flow.largest_step = time.real("largest_step");
  require_interval(time, "largest_step", flow.largest_step, flow.end);
  flow.options.method.scheme = time.word("scheme") == "s3" ? Scheme::s3 : Scheme::w3;
  flow.cfl = time.real(
      "cfl", {}, Range{.min = 0, .max = max_cfl(flow.options.method.scheme), .with_min = false, .with_max = false});
  flow.options.method.diffusion =
      time.word("diffusion") == "explicit" ? Diffusion::explicit_steps : Diffusion::trapezoidal;
}

void read_pressure(Table& pressure, FlowCase& flow) {
  const std::string solver = pressure.word("solver");
  flow.options.pressure = solver == "direct" ? Pressure::direct
                          : solver == "cg"   ? Pressure::conjugate_gradients
                                             : Pressure::automatic;
  flow.options.tolerance = pressure.real("tolerance", flow.f32 ? 1e-5 : 1e-8);
}

double read_every(Table& output, const char* key, double end) {
  const double interval = output.real(key);
  require_interval(output, key, interval, end);
  return interval;
}

void read_samples(Table& output, const Problem& problem, double end, Samples& s) {
  const auto inside = [&](const char* key, const std::array<double, 3>& point) {
    output.require(key, [&] { require_inside(problem, point); });
  };
  for (const auto& p : output.rows("probes")) {
    s.probes.push_back({p[0], p[1], p[2]});
    inside("probes", s.probes.back());
  }
  for (const auto& l : output.rows("lines")) {
    s.lines.push_back({.from = {l[0], l[1], l[2]}, .to = {l[3], l[4], l[5]}});
    inside("lines", s.lines.back().from);
    inside("lines", s.lines.back().to);
  }
  s.line_points = output.count("lines_points");
  if (s.line_points > 1000000)
    output.refuse("lines_points", fmt::format("{}; at most 10^6 are required", s.line_points));
  for (std::size_t d = 0; d < 3; ++d) {
    const std::string key = std::string("slices_") + "xyz"[d];
    s.slices[d] = output.increasing(key);
    for (const double x : s.slices[d]) {
      std::array<double, 3> point = {problem.faces[0].front(), problem.faces[1].front(), problem.faces[2].front()};
      point[d] = x;
      inside(key.c_str(), point);
    }
  }
  s.probes_every = read_every(output, "probes_every", end);
  s.lines_every = read_every(output, "lines_every", end);
  s.slices_every = read_every(output, "slices_every", end);
  s.lines_at = output.increasing("lines_at");
  s.slices_at = output.increasing("slices_at");
}

void read_output(Table& output, FlowCase& flow) {
  flow.history_every = read_every(output, "history_every", flow.end);
  flow.fields_every = read_every(output, "fields_every", flow.end);
  flow.checkpoint_every = read_every(output, "checkpoint_every", flow.end);
  flow.spectra_every = read_every(output, "spectra_every", flow.end);
  flow.profiles_every = read_every(output, "profiles_every", flow.end);
  flow.profiles_from = output.real("profiles_from");
  flow.fields_at = output.increasing("fields_at");
  flow.spectra_at = output.increasing("spectra_at");
  if (output.has("decay_from")) flow.decay_from = output.real("decay_from", 0);
  read_samples(output, flow.problem, flow.end, flow.samples);
}

Stirring read_stirring(Table& stirring, std::uint64_t seed) {
  Stirring s;
  s.acceleration = stirring.real("acceleration");
  s.interval = stirring.real("interval");
  s.stop = stirring.real("stop");
  s.remove = stirring.real("remove", {}, Range::above(s.stop));
  s.seed = static_cast<std::uint64_t>(stirring.whole("seed", static_cast<std::int64_t>(seed)));
  if (!(s.remove > s.stop))  // its default
    stirring.refuse("remove", fmt::format("{}; a number above {:g} is required", s.remove, s.stop));
  if (s.stop / s.interval > 1e6)
    stirring.refuse("interval",
                    fmt::format("{}; more than a million directions to the stop at {}: at least {:g} is required",
                                s.interval, s.stop, s.stop / 1e6));
  return s;
}

Strain read_strain(Table& strain, const FlowCase& flow, int cubes) {
  Strain s;
  const std::size_t stretched = strain.word("stretched")[0] - 'x', compressed = strain.word("compressed")[0] - 'x';
  if (stretched == compressed) strain.refuse("compressed", "the axis that is stretched cannot be compressed, too");
  const double rate = strain.real("rate"), removed = flow.stirring ? flow.stirring->remove : 0;
  s.begin = strain.real("begin", removed, Range::from(removed));
  s.end = strain.real("end", flow.end, Range::above(s.begin));
  if (!(s.end > s.begin))  // its default
    strain.refuse("end", fmt::format("{}; a number above {:g} is required", s.end, s.begin));
  if (cubes > 0 && !flow.stirring) strain.refuse("begin", "there are cubes, and no [stirring] that removes them");
  s.rates[stretched] = rate;
  s.rates[compressed] = -rate;
  return s;
}

void require_strain(const Tables& t) {
  const FlowCase& flow = t.flow;
  t.strain.require("rate", [&] {
    Problem free = flow.problem;
    free.solid.clear();
    free.strain = flow.strain;
    require_valid(free);
    choose(free, flow.options.pressure);
  });
  if (flow.options.method.diffusion == Diffusion::trapezoidal)
    t.time.refuse("diffusion", "a moving mesh requires explicit diffusion");
}

// Checks the limit of explicit diffusion, without velocities.
void require_steps(const Tables& t) {
  const FlowCase& flow = t.flow;
  const double slowest = stable_step(flow.problem, flow.options.method, flow.cfl, flow.cfl / flow.end);
  if (!(flow.end / slowest <= max_intervals))
    t.fluid.refuse(
        "viscosity",
        fmt::format("{:g}: explicit diffusion takes steps of {:g}, of which there are more than 10^9 to the end at "
                    "{}; a smaller one, or time.diffusion = \"trapezoidal\", is required",
                    flow.problem.viscosity, slowest, flow.end));
}

// Checks that concern several keys; the error names the one that is most likely to be changed.
void require_together(const Tables& t, const CubeSettings& c) {
  FlowCase& flow = t.flow;
  t.mesh.require("cells", [&] { require_valid(flow.problem); });
  if (c.count != 0 || flow.stirring)
    t.cubes.require("count", [&] { add_cubes(flow.problem, c.seed, c.count, c.edge); });
  t.cubes.require("count", [&] { require_valid(flow.problem); });
  flow.pockets = fill_pockets(flow.problem);
  t.pressure.require("tolerance", [&] { require_valid(flow.options); });
  if (flow.strain) require_strain(t);
  if (has_spectra(flow))
    t.output.require(flow.spectra_every > 0 ? "spectra_every" : "spectra_at", [&] { require_spectra(flow.problem); });
  if (flow.spectrum && (!flow.problem.solid.empty() || flow.stirring || flow.strain))
    t.start.refuse("spectrum", "the flow of a spectrum is for a box without cubes, stirring and strain");
  if (flow.profiles_every > 0) t.output.require("profiles_every", [&] { Profiles{flow.problem}; });
  t.pressure.require("solver", [&] { choose(flow.problem, flow.options.pressure); });
  require_steps(t);
}

}  // namespace

FlowCase read_case(const std::string& file, const std::string& text) {
  const toml::table whole = io::parse_case(file, text);
  FlowCase flow;
  io::require_schema(file, whole);
  Tables t{.file = file, .whole = whole, .flow = flow};
  t.top.has("schema");
  t.top.expect("solver", {"incompressible_flow"});
  flow.f32 = t.top.word("precision") == "f32";
  read_mesh(t);
  read_edges(t.edges, flow.problem);
  read_fluid(t.fluid, flow.problem);
  read_start(t.start, flow);
  const CubeSettings c = {.count = t.cubes.count("count"),
                          .edge = t.cubes.count("edge"),
                          .seed = static_cast<std::uint64_t>(t.cubes.whole("seed"))};
  flow.problem.solid_link = t.cubes.word("link") == "full" ? SolidLink::full : SolidLink::by_area;
  read_time(t.time, flow);
  read_pressure(t.pressure, flow);
  read_output(t.output, flow);
  if (t.stirring.present()) flow.stirring = read_stirring(t.stirring, c.seed);
  if (t.strain.present()) flow.strain = read_strain(t.strain, flow, c.count);
  t.finish();
  require_together(t, c);
  return flow;
}

State<double> initial_state(const FlowCase& flow) {
  State<double> state(flow.problem.extents());
  if (flow.start == "taylor-green") add_taylor_green(flow.problem, state);
  if (flow.start == "taylor-green-2d") add_taylor_green_2d(flow.problem, state);
  if (flow.spectrum) {
    add_noise(flow.problem, flow.seed, 1, {}, state);
    scale_to_spectrum(flow.problem, flow.spectrum->table, state);
  }
  if (flow.start == "channel")
    add_channel(flow.problem, flow.seed, flow.noise, {}, state);
  else if (flow.noise > 0)
    add_noise(flow.problem, flow.seed, flow.noise, {}, state);
  return state;
}

}  // namespace speedwell::incompressible_flow
