// A program that takes something of every layer, for pkg-config, which has one line for all libraries: a flow uses
// transforms, a search files and zlib, ranks MPI, a simulation case files and checkpoints. Prints what main.cpp prints.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <speedwell/apps/alignment/alignment.hpp>
#include <speedwell/apps/alignment/sequences/sequence_file.hpp>
#include <speedwell/apps/incompressible_flow/incompressible_flow.hpp>
#include <speedwell/apps/incompressible_flow/initial.hpp>
#include <speedwell/apps/incompressible_flow/mesh/mesh.hpp>
#include <speedwell/apps/uts/uts.hpp>
#include <speedwell/comm/environment.hpp>
#include <speedwell/io/error.hpp>
#include <speedwell/simulation/driver.hpp>

namespace flow = speedwell::incompressible_flow;

// The energy of decaying Taylor-Green vortices falls as exp(-4 nu t).
bool flow_decays() {
  flow::Problem problem;
  problem.viscosity = 0.1;
  for (auto& faces : problem.faces) faces = flow::uniform_faces(16, 2 * std::numbers::pi);
  flow::State<double> state(problem.extents());
  flow::add_taylor_green_2d(problem, state);
  flow::Solver<double> solver(problem);
  solver.set(state);
  for (int step = 0; step < 5; ++step) solver.step(0.05);
  solver.get(state);
  double energy = 0;
  for (const auto& u : state.velocity)
    for (const double x : u) energy += x * x / 2 / static_cast<double>(problem.extents().cells());
  return std::abs(energy / (0.25 * std::exp(-0.4 * state.time)) - 1) < 0.01;  // 16 cells a wave: 0.2 % off
}

// Every node of this tree has two children or none.
bool tree_is_counted() {
  using namespace speedwell::uts;
  const Counts counts = search_in_threads({.kind = Kind::binomial, .b0 = 100, .q = 0.4, .m = 2, .seed = 1}, 0);
  return counts.leaves == counts.nodes - (counts.nodes - 1 - 100) / 2 - 1;
}

bool missing_case_is_refused() try {
  speedwell::simulation::SimulationOptions options;
  options.file = "no-such-case.toml";
  speedwell::simulation::plan(options);
  return false;
} catch (const speedwell::io::InputError& e) {
  return e.id() == "input.open";
}

int main(int, char** arguments) {
  using namespace speedwell::alignment;
  const SequenceSet chains = read_sequence_set(arguments[1], Alphabet::protein);
  const Alignment best = align(chains.codes(0), chains.codes(1), Scoring{named_matrix("BLOSUM62"), 11, 1});
  if (!flow_decays() || !tree_is_counted() || !missing_case_is_refused()) return 1;
  std::fprintf(stderr, "MPI: '%s'\n", speedwell::comm::library_version().c_str());
  std::printf("%d\n", best.score);
}
