#include "speedwell/apps/incompressible_flow/case_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/incompressible_flow/cubes.hpp"
#include "speedwell/apps/incompressible_flow/energy_spectrum.hpp"
#include "speedwell/apps/incompressible_flow/initial.hpp"
#include "speedwell/apps/incompressible_flow/mesh.hpp"
#include "speedwell/apps/incompressible_flow/profiles.hpp"
#include "speedwell/io/case_table.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::incompressible_flow {
namespace {

// Outputs may change when a run is resumed, and so may its end.
const std::set<std::string> free_keys = {"time.end",
                                         "output.history_every",
                                         "output.fields_every",
                                         "output.checkpoint_every",
                                         "output.spectra_every",
                                         "output.fields_at",
                                         "output.decay_from"};

using Table = io::CaseTable;
using io::Range;

std::vector<double> faces_of(Table& mesh, std::size_t axis, double cells, double size) {
  const std::string name(1, "xyz"[axis]);
  if (mesh.has(name + "_faces")) {
    mesh.has(name + "_spacing");
    mesh.has(name + "_stretching");
    const auto faces = mesh.increasing(name + "_faces");
    if (faces.size() < 2) mesh.refuse(name + "_faces", fmt::format("{} faces; at least 2 are wanted", faces.size()));
    return faces;
  }
  const std::string spacing = mesh.word(name + "_spacing", "uniform", {"uniform", "two-sided", "one-sided", "wavy"});
  const Range allowed = spacing == "uniform" ? Range::finite()
                        : spacing == "wavy"  ? Range{.least = -1, .most = 1, .with_least = false, .with_most = false}
                                             : Range{.least = 0, .most = 50, .with_least = false, .with_most = false};
  const double stretching = mesh.real(name + "_stretching", spacing == "wavy" ? 0.3 : 2, allowed);
  if (!(cells >= 1) || cells > 65536 || cells != std::floor(cells))
    mesh.refuse("cells", fmt::format("{} cells along {}; a whole number from 1 to 65536 is wanted", cells, name));
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

void read_edges(Table& edges, Problem& problem) {
  const std::vector<std::string> kinds = {"periodic", "wall", "slip"};
  const auto edge = [](const std::string& kind) {
    return kind == "wall" ? Edge::wall : kind == "slip" ? Edge::slip : Edge::periodic;
  };
  for (std::size_t d = 0; d < 3; ++d) {
    const std::string axis(1, "xyz"[d]);
    const std::string both = edges.word(axis, "periodic", kinds);
    for (std::size_t s = 0; s < 2; ++s) {
      const std::string side = axis + (s == 0 ? "_low" : "_high");
      problem.sides[d][s].edge = edge(edges.word(side, both, kinds));
      problem.sides[d][s].velocity = edges.triple(side + "_velocity", {0, 0, 0}, Range::finite());
    }
  }
}

// Steps land on multiples of an interval, which are told apart to 1e-12 of the time (cli/solve_flow.cpp): up to 1e9 of
// them are a thousand times that far apart.
constexpr double max_intervals = 1e9;

void require_interval(Table& table, const std::string& key, double interval, double end) {
  if (interval > 0 && end / interval > max_intervals)
    table.refuse(key, fmt::format("{}: to the end at {} there are more than 10^9 of it; 0 or at least {} is wanted",
                                  interval, end, end / max_intervals));
}

}  // namespace

FlowCase read_case(const std::string& file, const std::string& text) {
  const toml::table whole = io::parse_case(file, text);
  FlowCase flow;
  std::vector<std::string> tables = {"schema", "precision"};
  const auto table = [&](const std::string& name) {
    tables.push_back(name);
    return Table(file, io::table_in(file, whole, name), name, free_keys, flow.settings);
  };
  io::require_schema(file, whole);
  Table top(file, &whole, "", free_keys, flow.settings);
  top.expect("solver", "incompressible_flow");
  flow.f32 = top.word("precision", "f64", {"f64", "f32"}) == "f32";

  Table mesh = table("mesh"), edges = table("edges"), fluid = table("fluid"), start = table("start"),
        cubes = table("cubes"), time = table("time"), pressure = table("pressure"), output = table("output"),
        stirring = table("stirring"), strain = table("strain");
  if (!mesh.present())
    throw io::InputError(
        "input.case.value", file, 0, 0,
        "there is no table [mesh]: 'cells' and 'size', or 'x_faces', 'y_faces' and 'z_faces', are wanted in it");
  const auto cells = mesh.triple("cells", {1, 1, 1}, Range::within(1, 65536)),
             size = mesh.triple("size", {1, 1, 1}, Range::above(0));
  for (std::size_t d = 0; d < 3; ++d) flow.problem.faces[d] = faces_of(mesh, d, cells[d], size[d]);
  read_edges(edges, flow.problem);
  flow.problem.viscosity = fluid.real("viscosity", 0, Range::from(0));
  flow.problem.acceleration = fluid.triple("acceleration", {0, 0, 0}, Range::finite());
  for (std::size_t d = 0; d < 3; ++d) {
    const std::string key = std::string("bulk_velocity_") + "xyz"[d];
    if (fluid.has(key)) flow.problem.bulk_velocity[d] = fluid.real(key, 0, Range::finite());
  }

  flow.start = start.word("flow", "rest", {"rest", "taylor-green", "taylor-green-2d", "channel"});
  flow.noise = start.real("noise", 0, Range::from(0));
  flow.seed = static_cast<std::uint64_t>(start.count("seed", 1));

  CubeSettings c = {.count = cubes.count_from("count", 0, 0),
                    .edge = cubes.count_from("edge", 2, 1),
                    .seed = static_cast<std::uint64_t>(cubes.count("seed", 1))};
  flow.problem.solid_link =
      cubes.word("link", "full", {"full", "by-area"}) == "full" ? SolidLink::full : SolidLink::by_area;

  if (!time.has("end")) time.refuse("end", "is missing; a number above 0 is wanted: when the flow ends");
  flow.end = time.real("end", 0, Range::above(0));
  flow.largest_step = time.real("largest_step", 0, Range::from(0));
  require_interval(time, "largest_step", flow.largest_step, flow.end);
  flow.options.method.scheme = time.word("scheme", "w3", {"w3", "s3"}) == "s3" ? Scheme::s3 : Scheme::w3;
  flow.cfl = time.real(
      "cfl", 0.9, {.least = 0, .most = most_cfl(flow.options.method.scheme), .with_least = false, .with_most = false});
  flow.options.method.diffusion = time.word("diffusion", "explicit", {"explicit", "trapezoidal"}) == "explicit"
                                      ? Diffusion::explicit_steps
                                      : Diffusion::trapezoidal;
  const std::string solver = pressure.word("solver", "auto", {"auto", "direct", "cg"});
  flow.options.pressure = solver == "direct" ? Pressure::direct
                          : solver == "cg"   ? Pressure::conjugate_gradients
                                             : Pressure::automatic;
  flow.options.tolerance = pressure.real("tolerance", flow.f32 ? 1e-5 : 1e-8,
                                         {.least = 1e-15, .most = 1, .with_most = false, .or_zero = true});

  flow.history_every = output.real("history_every", 0, Range::from(0));
  flow.fields_every = output.real("fields_every", 0, Range::from(0));
  flow.checkpoint_every = output.real("checkpoint_every", 0, Range::from(0));
  flow.spectra_every = output.real("spectra_every", 0, Range::from(0));
  flow.profiles_every = output.real("profiles_every", 0, Range::from(0));
  flow.profiles_from = output.real("profiles_from", 0, Range::from(0));
  if (output.has("fields_at")) {
    flow.fields_at = output.increasing("fields_at");
    if (!flow.fields_at.empty() && flow.fields_at.front() <= 0)
      output.refuse("fields_at", fmt::format("time {}; times above 0 are wanted", flow.fields_at.front()));
  }
  if (output.has("decay_from")) flow.decay_from = output.real("decay_from", 0, Range::from(0));
  for (const auto& [key, value] : {std::pair{"history_every", flow.history_every},
                                   {"fields_every", flow.fields_every},
                                   {"checkpoint_every", flow.checkpoint_every},
                                   {"spectra_every", flow.spectra_every},
                                   {"profiles_every", flow.profiles_every}})
    require_interval(output, key, value, flow.end);

  if (stirring.present()) {
    Stirring s;
    s.acceleration = stirring.real("acceleration", 80, Range::from(0));
    s.interval = stirring.real("interval", 0.3, Range::above(0));
    s.stop = stirring.real("stop", 5, Range::above(0));
    s.remove = stirring.real("remove", 7, Range::above(s.stop));
    s.seed = static_cast<std::uint64_t>(stirring.count("seed", static_cast<std::int64_t>(c.seed)));
    if (!(s.remove > s.stop))  // its default
      stirring.refuse("remove", fmt::format("{}; a number above {:g} is wanted", s.remove, s.stop));
    if (s.stop / s.interval > 1e6)
      stirring.refuse("interval",
                      fmt::format("{}; more than a million directions to the stop at {}: at least {:g} is wanted",
                                  s.interval, s.stop, s.stop / 1e6));
    flow.stirring = s;
  }
  if (strain.present()) {
    Strain s;
    const std::vector<std::string> axes = {"x", "y", "z"};
    const std::size_t stretched = strain.word("stretched", "x", axes)[0] - 'x',
                      compressed = strain.word("compressed", "y", axes)[0] - 'x';
    if (stretched == compressed) strain.refuse("compressed", "the axis that is stretched cannot be compressed, too");
    if (!strain.has("rate")) strain.refuse("rate", "is missing; a number above 0 is wanted");
    const double rate = strain.real("rate", 0, Range::above(0)), removed = flow.stirring ? flow.stirring->remove : 0;
    s.begin = strain.real("begin", removed, Range::from(removed));
    s.end = strain.real("end", flow.end, Range::above(s.begin));
    if (!(s.end > s.begin))  // its default
      strain.refuse("end", fmt::format("{}; a number above {:g} is wanted", s.end, s.begin));
    if (c.count > 0 && !flow.stirring) strain.refuse("begin", "there are cubes, and no [stirring] that removes them");
    s.rates[stretched] = rate;
    s.rates[compressed] = -rate;
    flow.strain = s;
  }
  top.has("schema");
  for (const std::string& name : tables) top.has(name);
  for (Table* t : {&top, &mesh, &edges, &fluid, &start, &cubes, &time, &pressure, &output, &stirring, &strain})
    t->finish();

  // What belongs to several keys at once is said of the file.
  try {
    require_valid(flow.problem);
    if (c.count != 0 || flow.stirring) add_cubes(flow.problem, c.seed, c.count, c.edge);
    require_valid(flow.problem);
    flow.pockets = fill_pockets(flow.problem);
    require_valid(flow.options);
    if (flow.strain) {
      Problem free = flow.problem;
      free.solid.clear();
      free.strain = flow.strain;
      require_valid(free);
      choose(free, flow.options.pressure);
      if (flow.options.method.diffusion == Diffusion::trapezoidal)
        throw std::invalid_argument("a mesh that moves takes explicit diffusion");
    }
    if (flow.spectra_every > 0) require_spectra(flow.problem);
    if (flow.profiles_every > 0) Profiles(flow.problem);
    choose(flow.problem, flow.options.pressure);
    // Where nothing moves: what diffusion allows.
    const double slowest = stable_step(flow.problem, flow.options.method, flow.cfl, flow.cfl / flow.end);
    if (!(flow.end / slowest <= max_intervals))
      fluid.refuse(
          "viscosity",
          fmt::format("{:g}: explicit diffusion takes steps of {:g}, of which there are more than 10^9 to the end at "
                      "{}; a smaller one, or time.diffusion = \"trapezoidal\", is wanted",
                      flow.problem.viscosity, slowest, flow.end));
    if (flow.start == "channel" && flow.problem.periodic(1)) throw std::invalid_argument("a channel has walls along y");
  } catch (const std::invalid_argument& e) {
    throw io::InputError("input.case.value", file, 0, 0, e.what());
  }
  return flow;
}

State<double> beginning(const FlowCase& flow) {
  State<double> state(flow.problem.extents());
  if (flow.start == "taylor-green") add_taylor_green(flow.problem, state);
  if (flow.start == "taylor-green-2d") add_taylor_green_2d(flow.problem, state);
  if (flow.start == "channel")
    add_channel(flow.problem, flow.seed, flow.noise, {}, state);
  else if (flow.noise > 0)
    add_noise(flow.problem, flow.seed, flow.noise, {}, state);
  return state;
}

}  // namespace speedwell::incompressible_flow
