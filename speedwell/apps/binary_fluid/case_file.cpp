#include "speedwell/apps/binary_fluid/case_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

#include "speedwell/io/case_table.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::binary_fluid {
namespace {

using io::Range;

// Outputs may change when a run is resumed, and so may its end.
const std::set<std::string> free_keys = {"time.steps", "output.history_every", "output.fields_every",
                                         "output.checkpoint_every"};

/// The place of a word among others: of an enumeration's values.
template <class Enum>
Enum choice(io::CaseTable& table, const std::string& key, Enum fallback, const std::vector<std::string>& words) {
  const std::string word = table.word(key, words[static_cast<std::size_t>(fallback)], words);
  std::size_t n = 0;
  while (words[n] != word) ++n;
  return static_cast<Enum>(n);
}

void read_fluid(io::CaseTable& t, Fluid& fluid) {
  FreeEnergy& e = fluid.energy;
  e.kind = choice(t, "energy", e.kind, {"symmetric", "brazovskii"});
  const bool symmetric = e.kind == FreeEnergy::Kind::symmetric;
  e.a = t.real("a", e.a, Range::finite());
  e.b = t.real("b", e.b, Range::above(0));
  e.kappa = t.real("kappa", e.kappa, symmetric ? Range::above(0) : Range::finite());
  e.c = t.real("c", e.c, symmetric ? Range::within(0, 0) : Range::above(0));
  fluid.mobility = t.real("mobility", fluid.mobility, Range::above(0));
  fluid.viscosity = t.real("viscosity", fluid.viscosity, Range::above(0));
  fluid.bulk_viscosity = t.real("bulk_viscosity", fluid.bulk_viscosity, Range::from(0));
  fluid.force = t.triple("force", fluid.force, Range::finite());
}

void read_walls(io::CaseTable& t, Problem& p) {
  const std::string axes = t.word("axes", "none", {"none", "x", "y", "z", "xy", "xz", "yz", "xyz"});
  for (std::size_t d = 0; d < 3; ++d) {
    const std::string name(1, "xyz"[d]);
    p.axes[d].walls = axes.find(name) != std::string::npos;
    p.axes[d].velocity[0] = t.triple(name + "_low_velocity", {}, Range::finite());
    p.axes[d].velocity[1] = t.triple(name + "_high_velocity", {}, Range::finite());
  }
}

void read_start(io::CaseTable& t, FluidCase& c) {
  Beginning& b = c.beginning;
  b.kind = choice(t, "kind", b.kind, {"spinodal", "droplet", "flat", "wave", "rest"});
  b.phi0 = t.real("phi0", b.phi0, Range::finite());
  b.noise = t.real("noise", b.noise, Range::finite());
  b.radius = t.real("radius", b.radius, Range::above(0));
  b.axis = t.word("axis", "z", {"x", "y", "z"})[0] - 'x';
  b.stirring = t.real("stirring", b.stirring, Range::within(-0.1, 0.1));
  b.seed = static_cast<std::uint32_t>(t.count_from("seed", b.seed, 0));
  c.start_file = t.text("file", "");
}

}  // namespace

FluidCase read_case(const std::string& file, const std::string& text) {
  const toml::table root = io::parse_case(file, text);
  io::require_schema(file, root);
  FluidCase c;
  io::CaseTable top(file, &root, "", free_keys, c.settings);
  top.has("schema");
  top.expect("solver", "binary_fluid");
  const auto table = [&](const char* name) {
    top.has(name);
    return io::CaseTable(file, io::table_in(file, root, name), name, free_keys, c.settings);
  };
  auto lattice = table("lattice"), fluid = table("fluid"), walls = table("walls"), scheme = table("scheme"),
       start = table("start"), time = table("time"), output = table("output");
  Problem& p = c.problem;
  const auto sites = lattice.counts("sites", {p.extents.nx, p.extents.ny, p.extents.nz}, 1, 32768);
  p.extents = {sites[0], sites[1], sites[2]};
  read_fluid(fluid, p.fluid);
  read_walls(walls, p);
  p.scheme.collision = choice(scheme, "collision", p.scheme.collision, {"m10", "trt", "bgk"});
  p.scheme.order_parameter = choice(scheme, "order_parameter", p.scheme.order_parameter, {"relaxed", "projected"});
  const std::int64_t points = scheme.count("stencil", 27);
  if (points != 7 && points != 27) scheme.refuse("stencil", fmt::format("{} sites; 7 or 27 is wanted", points));
  p.scheme.stencil = points == 7 ? Stencil::seven : Stencil::twenty_seven;
  c.precision = choice(scheme, "precision", c.precision, {"f64", "f32", "mixed"});
  read_start(start, c);
  p.steps = time.count_from("steps", 1000, 1);
  c.history_every = output.count_from("history_every", c.history_every, 1);
  c.fields_every = output.count_from("fields_every", c.fields_every, 0);
  c.checkpoint_every = output.count_from("checkpoint_every", c.checkpoint_every, 0);
  for (const io::CaseTable* t : {&top, &lattice, &fluid, &walls, &scheme, &start, &time, &output}) t->finish();
  try {
    require_valid(p, c.beginning);
  } catch (const std::invalid_argument& e) {
    throw io::InputError("input.case.value", file, 0, 0, e.what());
  }
  return c;
}

State beginning(const FluidCase& c) {
  if (c.start_file.empty()) return initial(c.problem, c.beginning);
  const auto refuse = [&](const std::string& what) -> void {
    throw io::InputError("input.case.start", c.start_file, 0, 0, what);
  };
  const auto n = static_cast<std::size_t>(c.problem.extents.sites());
  std::error_code error;
  const auto size = std::filesystem::file_size(c.start_file, error);
  if (error) refuse("cannot be read: " + error.message());
  const bool whole = size == 2 * velocities * n * sizeof(double);
  if (!whole && size != n * sizeof(double))
    refuse(fmt::format("{} bytes where the lattice has {} (phi in f64) or {} (both distributions)", size,
                       n * sizeof(double), 2 * velocities * n * sizeof(double)));
  std::ifstream in(c.start_file, std::ios::binary);
  const auto read = [&](std::span<double> to) {
    in.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size_bytes()));
    if (!in) refuse("cannot be read");
  };
  State s{c.problem.extents, std::vector<double>(velocities * n), std::vector<double>(velocities * n)};
  if (whole) {
    read(s.f);
    read(s.g);
  } else {
    read(std::span(s.g).first(n));  // at rest all of phi is in the first population
  }
  try {
    require_admissible(c.problem, s);
  } catch (const std::invalid_argument& e) {
    refuse(e.what());
  }
  return s;
}

}  // namespace speedwell::binary_fluid
