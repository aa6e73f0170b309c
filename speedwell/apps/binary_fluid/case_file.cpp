#include "speedwell/apps/binary_fluid/case_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "speedwell/io/cases/case_table.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::binary_fluid {
namespace {

using io::Range;

/// The enumerator whose position among the key's words is that of the value.
template <class Enum>
Enum choice(io::CaseTable& table, const std::string& name, const std::string& key) {
  const std::vector<std::string>& words = case_schema().key(name, key).words;
  const std::string word = table.word(key);
  std::size_t n = 0;
  while (words[n] != word) ++n;
  return static_cast<Enum>(n);
}

void read_fluid(io::CaseTable& t, Fluid& fluid) {
  FreeEnergy& e = fluid.energy;
  e.kind = choice<FreeEnergy::Kind>(t, "fluid", "energy");
  const bool symmetric = e.kind == FreeEnergy::Kind::symmetric;
  e.a = t.real("a");
  e.b = t.real("b");
  e.kappa = t.real("kappa", {}, symmetric ? Range::above(0) : Range::finite());
  e.c = t.real("c", {}, symmetric ? Range::within(0, 0) : Range::above(0));
  fluid.mobility = t.real("mobility");
  fluid.viscosity = t.real("viscosity");
  fluid.bulk_viscosity = t.real("bulk_viscosity");
  fluid.force = t.triple("force");
}

void read_walls(io::CaseTable& t, Problem& p) {
  const std::string axes = t.word("axes");
  for (std::size_t d = 0; d < 3; ++d) {
    const std::string name(1, "xyz"[d]);
    p.axes[d].walls = axes.find(name) != std::string::npos;
    p.axes[d].velocity[0] = t.triple(name + "_low_velocity");
    p.axes[d].velocity[1] = t.triple(name + "_high_velocity");
  }
}

void read_start(io::CaseTable& t, FluidCase& c) {
  Beginning& b = c.beginning;
  b.kind = choice<Beginning::Kind>(t, "start", "kind");
  b.phi0 = t.real("phi0");
  b.noise = t.real("noise");
  b.radius = t.real("radius");
  b.axis = t.word("axis")[0] - 'x';
  b.stirring = t.real("stirring");
  b.seed = static_cast<std::uint32_t>(t.count("seed"));
  c.start_file = t.text("file");
}

}  // namespace

FluidCase read_case(const std::string& file, const std::string& text) {
  const toml::table root = io::parse_case(file, text);
  io::require_schema(file, root);
  FluidCase c;
  io::CaseTable top(file, &root, "", case_schema(), c.settings);
  top.has("schema");
  top.expect("solver", {"binary_fluid"});
  const auto table = [&](const char* name) {
    return io::CaseTable(file, io::table_in(file, root, name), name, case_schema(), c.settings);
  };
  auto lattice = table("lattice"), fluid = table("fluid"), walls = table("walls"), scheme = table("scheme"),
       start = table("start"), time = table("time"), output = table("output");
  Problem& p = c.problem;
  const auto sites = lattice.counts("sites");
  p.extents = {sites[0], sites[1], sites[2]};
  read_fluid(fluid, p.fluid);
  read_walls(walls, p);
  p.scheme.collision = choice<Collision>(scheme, "scheme", "collision");
  p.scheme.order_parameter = choice<OrderParameter>(scheme, "scheme", "order_parameter");
  const std::int64_t points = scheme.whole("stencil");
  if (points != 7 && points != 27) scheme.refuse("stencil", fmt::format("{} sites; 7 or 27 is required", points));
  p.scheme.stencil = points == 7 ? Stencil::seven : Stencil::twenty_seven;
  c.precision = choice<Precision>(scheme, "scheme", "precision");
  read_start(start, c);
  p.steps = time.count("steps");
  c.history_every = output.count("history_every");
  c.fields_every = output.count("fields_every");
  c.checkpoint_every = output.count("checkpoint_every");
  for (const io::CaseTable* t : {&top, &lattice, &fluid, &walls, &scheme, &start, &time, &output}) t->finish();
  try {
    require_valid(p, c.beginning);
  } catch (const std::invalid_argument& e) {
    throw io::InputError("input.case.value", file, 0, 0, e.what());
  }
  return c;
}

State initial_state(const FluidCase& c) {
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
  State s{c.problem.extents, core::LargeVector<double>(velocities * n), core::LargeVector<double>(velocities * n)};
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
