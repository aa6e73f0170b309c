// Experiments with the toy application, on a machine that is made up.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/harness/measurement/experiment.hpp"
#include "speedwell/harness/problems.hpp"
#include "tests/support/toy.hpp"

namespace speedwell::harness {

class Experiments : public testing::Test {
 protected:
  Experiments() {
    machine_.cpu.name = "a processor";
    machine_.cpu.cores = 2;
    machine_.gpu_reason = "no GPU in this test";
    for (const char* name : {"host.core.copy", "host.core.fma.f64", "host.copy", "host.fma.f64"})
      ceilings_.entries.push_back({name, 1e4, "GB/s", 1e4, 1e4, {1e4}});  // far above what the toy reaches
  }
  std::vector<Outcome> run(const Application& application, std::string_view variants, std::vector<Setting> set = {},
                           core::Trace* trace = nullptr) {
    const auto all = problems(application, find_size(application, "test"), set, 1);
    ExecutionEnvironment traced = environment();
    traced.trace = trace;
    return run_experiment(application, all.front(), select_variants(application, variants), measurement_, traced);
  }
  ExecutionEnvironment environment() { return {&machine_, &ceilings_, &stop_, progress_, nullptr, sensors_}; }

  machine::Machine machine_;
  machine::Ceilings ceilings_;
  std::atomic<bool> stop_{false};
  std::function<void(const std::string&)> progress_;
  machine::Sensors* sensors_ = nullptr;
  Measurement measurement_{.threads = 2, .repeat = 12};
  Application toy_ = test::toy_application();
};

}  // namespace speedwell::harness
