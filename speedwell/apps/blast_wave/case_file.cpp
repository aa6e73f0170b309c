#include "speedwell/apps/blast_wave/case_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "speedwell/io/cases/case_table.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::blast_wave {
BlastCase read_case(const std::string& file, const std::string& text) {
  const toml::table root = io::parse_case(file, text);
  io::require_schema(file, root);
  BlastCase c;
  io::CaseTable top(file, &root, "", case_schema(), c.settings);
  top.has("schema");
  top.expect("solver", {"blast_wave", "blast"});
  const auto table = [&](const char* name) {
    return io::CaseTable(file, io::table_in(file, root, name), name, case_schema(), c.settings);
  };
  Problem& p = c.problem;
  auto mesh = table("mesh"), gas = table("gas"), blast = table("blast"), scheme = table("scheme"), time = table("time"),
       output = table("output");
  const auto points = mesh.counts("points");
  p.extents = {points[0], points[1], points[2]};
  p.gas.gamma = gas.real("gamma");
  p.gas.reynolds = gas.real("reynolds");
  p.gas.prandtl = gas.real("prandtl");
  p.gas.viscous = gas.flag("viscous");
  p.blast.pressure = blast.real("pressure");
  p.blast.density = blast.real("density");
  p.blast.radius = blast.real("radius");
  p.blast.width = blast.real("width");
  c.start_file = blast.text("start_file");
  p.cfl = scheme.real("cfl");
  p.theta = scheme.real("theta");
  p.kappa2 = scheme.real("kappa2");
  p.kappa4 = scheme.real("kappa4");
  p.max_squared_residual = scheme.real("tolerance");
  p.max_iterations = scheme.count("iterations");
  p.steps = time.count("steps");
  c.history_every = output.count("history_every");
  c.fields_every = output.count("fields_every");
  c.checkpoint_every = output.count("checkpoint_every");
  for (const io::CaseTable* t : {&top, &mesh, &gas, &blast, &scheme, &time, &output}) t->finish();
  try {
    require_valid(p);
  } catch (const std::invalid_argument& e) {
    throw io::InputError("input.case.value", file, 0, 0, e.what());
  }
  return c;
}

State initial_state(const BlastCase& c) {
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
