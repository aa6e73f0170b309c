#include "tests/conformance/lifecycle.hpp"

#include <malloc.h>

#include <atomic>

#include "speedwell/catalogue.hpp"
#include "speedwell/harness/experiment.hpp"
#include "speedwell/harness/problems.hpp"

namespace speedwell::conformance {

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
  if (variant.backend == harness::Backend::mpi) return "runs on ranks";
  static const machine::Ceilings ceilings;
  static std::atomic<bool> stop{false};
  harness::Measurement measurement;
  measurement.threads = 2;
  if (!this_machine().gpus.empty()) measurement.devices = {this_machine().gpus.front().index};
  return harness::skip_reason(application, problem, variant, measurement,
                              {.machine = &this_machine(), .ceilings = &ceilings, .stop = &stop});
}

std::vector<harness::Problem> problems_of(const harness::Application& application, const std::string& size,
                                          std::uint64_t seed) {
  return harness::problems(application, harness::find_size(application, size), {}, seed);
}

std::string label(const harness::Problem& problem, const harness::Variant& variant) {
  return harness::key_of(problem) + ": " + variant.name;
}

void live(harness::Run& run) {
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
