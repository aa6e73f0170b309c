#include "tests/conformance/lifecycle.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>

#include "speedwell/catalogue.hpp"
#include "speedwell/harness/measurement/experiment.hpp"
#include "speedwell/harness/problems.hpp"

namespace speedwell::conformance {
namespace {

/// Settings on top of those of size test, whose sweeps of other parameters remain.
struct Further {
  std::string application;
  std::vector<std::string> settings;
};

const std::vector<Further> further_problems = {
    {"transfer", {"operation=launch", "bytes=64", "repeats=3"}},
    {"transfer", {"operation=synchronise", "bytes=64", "repeats=3"}},
    {"matvec", {"values=random", "rows=129", "columns=515"}},
    {"alignment", {"alphabet=dna", "queries=1", "subjects=1", "mean_length=3000", "spread=0", "related=0"}},
    {"alignment", {"alphabet=dna", "queries=1", "subjects=1", "mean_length=3000", "spread=0", "related=1"}},
    {"wavefront", {"nx=20", "ny=40", "nz=36", "direction=-+-"}},
    {"fft", {"direction=backward", "kind=2d", "n=20", "batch=3"}},
    {"fft", {"direction=backward", "kind=1d", "n=64", "batch=5"}},
    {"fft", {"direction=backward", "kind=3d", "n=15"}},
    {"stencil", {"values=random", "nx=36", "ny=21", "nz=19", "steps=9"}},
    {"spmv", {"values=random", "nx=36", "ny=21", "nz=19"}},
    {"spmv", {"matrix=27-point", "nx=36", "ny=21", "nz=19"}},
    {"cg", {"values=random", "nx=36", "ny=21", "nz=19", "iterations=9"}},
    {"cg", {"precision=f64", "tolerance=1e-11", "iterations=1000"}},
    {"cg", {"precision=f32", "tolerance=1e-5", "iterations=1000"}},
    {"cg", {"precision=f32", "matrix=27-point", "tolerance=1e-5", "iterations=1000"}},
    {"cg", {"precision=f64", "matrix=27-point", "tolerance=1e-11", "iterations=1000"}},
    {"incompressible_flow", {"n=13"}},
    {"blast_wave", {"nx=7", "ny=5", "nz=9", "steps=3"}},
    {"block_matvec", {"nx=3", "ny=3", "nz=3"}},
    {"block_matvec", {"nx=33", "ny=4", "nz=5"}},
    {"vector_calculus", {"values=integers"}},
    {"two_stream", {"columns=37", "layers=9", "points=5", "planck=quadratic"}},
    {"gups", {"words=1024", "updates_per_word=3", "rule=thread"}},
    {"gups", {"words=131072", "updates_per_word=3", "rule=process"}},
    {"binary_fluid", {"nx=19", "ny=5", "nz=7", "steps=3", "precision=f32"}},
    {"binary_fluid", {"nx=19", "ny=5", "nz=7", "steps=3", "precision=mixed"}},
};

/// Whether the variant's iterations are decided by a conditional node of a graph. compute-sanitizer does not support
/// these and is run with SPEEDWELL_LOOPS_BY_HOST set.
bool loops_on_the_device(const harness::Problem& problem, const harness::Variant& variant) {
  if (variant.backend != harness::Backend::cuda) return false;
  if (problem.application() == "cg")
    return variant.name == "cuda-passes" || variant.name == "cuda-mixed" ||
           problem.get<std::string>("matrix") != "7-point";
  return problem.application() == "blast_wave";
}

}  // namespace

const std::vector<harness::Application>& applications() {
  static const std::vector<harness::Application> all = catalogue();
  return all;
}

const machine::Machine& this_machine() {
  static const machine::Machine machine = machine::detect();
  return machine;
}

std::optional<std::string> skip_reason(const harness::Application& application, const harness::Problem& problem,
                                       const harness::Variant& variant) {
  if (harness::uses_ranks(variant.backend)) return "runs on ranks";
  if (std::getenv("SPEEDWELL_LOOPS_BY_HOST") && loops_on_the_device(problem, variant)) return "loops on the device";
  static const machine::Ceilings ceilings;
  static std::atomic<bool> stop{false};
  harness::Measurement measurement;
  measurement.threads = 2;
  for (const machine::Gpu& gpu : this_machine().gpus) measurement.devices.push_back(gpu.index);
  return harness::skip_reason(application, problem, variant, measurement,
                              {.machine = &this_machine(), .ceilings = &ceilings, .stop = &stop});
}

std::vector<harness::Problem> problems_of(const harness::Application& application, const std::string& size,
                                          std::uint64_t seed) {
  return harness::problems(application, harness::find_size(application, size), {}, seed);
}

std::vector<harness::Problem> test_problems(const harness::Application& application, std::uint64_t seed) {
  std::vector<harness::Problem> all = problems_of(application, "test", seed);
  for (const Further& further : further_problems) {
    if (further.application != application.name) continue;
    std::vector<harness::Setting> settings;
    for (const std::string& text : further.settings) settings.push_back(harness::parse_setting(application, text));
    const auto more = harness::problems(application, harness::find_size(application, "test"), settings, seed);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

std::string label(const harness::Problem& problem, const harness::Variant& variant) {
  return harness::key_of(problem) + ": " + variant.name;
}

void run_all_phases(harness::Run& run) {
  run.allocate();
  run.plan();
  run.upload();
  for (int pass = 0; pass < 2; ++pass) {
    if (pass > 0) run.poison();
    run.reset();
    run.synchronize();
    run.execute();
    run.synchronize();
    run.download();
  }
}

std::vector<unsigned char> bytes_of(harness::Run& run) {
  std::vector<unsigned char> bytes;
  for (const harness::Output& output : run.outputs()) {
    const auto* data = static_cast<const unsigned char*>(output.data);
    bytes.insert(bytes.end(), data, data + output.count * harness::element_bytes(output.type));
  }
  return bytes;
}

double heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

}  // namespace speedwell::conformance
