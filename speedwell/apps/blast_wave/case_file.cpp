#include "speedwell/apps/blast_wave/case_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <vector>

#include "speedwell/io/case_table.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::blast_wave {
namespace {

using io::Range;

// Outputs may change when a run is resumed, and so may its end.
const std::set<std::string> free_keys = {"time.steps", "output.history_every", "output.fields_every",
                                         "output.checkpoint_every"};

}  // namespace

BlastCase read_case(const std::string& file, const std::string& text) {
  const toml::table root = io::parse_case(file, text);
  io::require_schema(file, root);
  BlastCase c;
  io::CaseTable top(file, &root, "", free_keys, c.settings);
  top.has("schema");
  top.expect("solver", "blast");
  const auto table = [&](const char* name) {
    top.has(name);
    return io::CaseTable(file, io::table_in(file, root, name), name, free_keys, c.settings);
  };
  Problem& p = c.problem;
  auto mesh = table("mesh"), gas = table("gas"), blast = table("blast"), scheme = table("scheme"), time = table("time"),
       output = table("output");
  const auto points = mesh.counts("points", {p.extents.nx, p.extents.ny, p.extents.nz}, 5, 4096);
  p.extents = {points[0], points[1], points[2]};
  p.gas.gamma = gas.real("gamma", p.gas.gamma, Range::above(1));
  p.gas.reynolds = gas.real("reynolds", p.gas.reynolds, Range::above(0));
  p.gas.prandtl = gas.real("prandtl", p.gas.prandtl, Range::above(0));
  p.gas.viscous = gas.flag("viscous", p.gas.viscous);
  p.blast.pressure = blast.real("pressure", p.blast.pressure, Range::above(0));
  p.blast.density = blast.real("density", p.blast.density, Range::above(0));
  p.blast.radius = blast.real("radius", p.blast.radius, Range::within(0, 0.5));
  p.blast.width = blast.real("width", p.blast.width, Range::above(0));
  c.start_file = blast.text("start_file", "");
  p.cfl = scheme.real("cfl", p.cfl, {.least = 0, .most = 20, .with_least = false});
  p.theta = scheme.real("theta", p.theta, Range::within(0.5, 1));
  p.kappa2 = scheme.real("kappa2", p.kappa2, Range::from(0));
  p.kappa4 = scheme.real("kappa4", p.kappa4, Range::from(0));
  p.tolerance = scheme.real("tolerance", p.tolerance, Range::above(0));
  p.max_iterations = scheme.count_from("iterations", p.max_iterations, 1);
  p.steps = time.count_from("steps", p.steps, 1);
  c.history_every = output.count_from("history_every", c.history_every, 1);
  c.fields_every = output.count_from("fields_every", c.fields_every, 0);
  c.checkpoint_every = output.count_from("checkpoint_every", c.checkpoint_every, 0);
  for (const io::CaseTable* t : {&top, &mesh, &gas, &blast, &scheme, &time, &output}) t->finish();
  try {
    require_valid(p);
  } catch (const std::invalid_argument& e) {
    throw io::InputError("input.case.value", file, 0, 0, e.what());
  }
  return c;
}

State beginning(const BlastCase& c) {
  if (c.start_file.empty()) return blast(c.problem);
  const auto refuse = [&](const std::string& what) -> void {
    throw io::InputError("input.case.start", c.start_file, 0, 0, what);
  };
  const std::size_t bytes = 5 * static_cast<std::size_t>(c.problem.extents.points()) * sizeof(double);
  std::error_code error;
  const auto size = std::filesystem::file_size(c.start_file, error);
  if (error) refuse("cannot be read: " + error.message());
  if (size != bytes) refuse(fmt::format("{} bytes where the mesh has {}: 5 variables in f64", size, bytes));
  State s{c.problem.extents, std::vector<double>(bytes / sizeof(double))};
  std::ifstream in(c.start_file, std::ios::binary);
  in.read(reinterpret_cast<char*>(s.q.data()), static_cast<std::streamsize>(bytes));
  if (!in) refuse("cannot be read");
  try {
    require_admissible(c.problem, s);
  } catch (const std::invalid_argument& e) {
    refuse(e.what());
  }
  return s;
}

}  // namespace speedwell::blast_wave
