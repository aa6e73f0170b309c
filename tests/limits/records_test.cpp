// The limits that this tree computes, against every run in results/: no GPU was faster than the work that is counted
// for its variant allows, and no variant's limit is below that of the best algorithm known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "speedwell/catalogue.hpp"
#include "speedwell/harness/measurement/limits.hpp"
#include "speedwell/harness/measurement/samples.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/records/record_reader.hpp"

namespace speedwell {
namespace {

namespace records = harness::records;

std::vector<std::string> files() {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SPEEDWELL_RECORDS))
    if (entry.path().extension() == ".json") all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

machine::Machine machine_of(const records::Machine& m) {
  machine::Machine here;
  for (const records::Cache& c : m.cpu.caches) {
    auto& cache = here.cpu.caches.emplace_back();
    cache.level = static_cast<int>(c.level), cache.bytes = c.bytes;
    cache.shared_by = static_cast<int>(c.shared_by), cache.instances = static_cast<int>(c.instances);
  }
  for (const records::Gpu& g : m.gpus) {
    auto& gpu = here.gpus.emplace_back();
    gpu.index = 0, gpu.l2_bytes = g.l2_bytes.value_or(0);
  }
  return here;
}

machine::Ceilings ceilings_of(const records::Machine& m) {
  machine::Ceilings all;
  for (const records::Ceiling& c : m.ceilings) {
    auto& ceiling = all.entries.emplace_back();
    ceiling.name = c.name, ceiling.value = c.value.value_or(0), ceiling.unit = c.unit;
  }
  return all;
}

harness::DeviceKind kind_of(const records::Run& run) {
  return run.device.kind == "gpu"    ? harness::DeviceKind::gpu
         : run.device.kind == "core" ? harness::DeviceKind::core
                                     : harness::DeviceKind::cores;
}

// The number of GPUs in "one NVIDIA H200", "2 x NVIDIA H200" and "4 ranks on 2 x NVIDIA H200".
int gpus_of(const records::Run& run) {
  const std::string& name = run.device.name;
  const std::size_t times = name.find(" x ");
  if (times == std::string::npos) return 1;
  const std::size_t space = name.rfind(' ', times - 1);
  return std::stoi(name.substr(space == std::string::npos ? 0 : space + 1));
}

// As it was recorded: parameters that came later have their fallbacks.
harness::Problem problem_of(const harness::Application& app, const records::Run& run) {
  std::vector<harness::Setting> settings;
  for (const harness::Parameter& p : app.parameters) {
    harness::Value value = p.default_value;
    if (const auto known = run.problem.find(p.key); known != run.problem.end()) {
      if (const auto* whole = std::get_if<std::int64_t>(&known->second);
          whole && std::holds_alternative<double>(p.default_value))
        value = static_cast<double>(*whole);
      else
        value = known->second;
    }
    settings.push_back({p.key, value});
  }
  return {app.name, run.size, settings, run.seed};
}

harness::Work recorded(const records::Work& w) {
  const std::map<std::string, harness::Arithmetic> names = {{"f64", harness::Arithmetic::f64},
                                                            {"f32", harness::Arithmetic::f32},
                                                            {"int32", harness::Arithmetic::int32},
                                                            {"dpx", harness::Arithmetic::dpx}};
  const auto arithmetic = names.find(w.arithmetic);
  return {.operations = w.operations,
          .arithmetic = arithmetic == names.end() ? harness::Arithmetic::none : arithmetic->second,
          .bytes_read = w.bytes_read,
          .bytes_written = w.bytes_written,
          .updates = w.updates,
          .working_set = w.working_set_bytes,
          .over_link = w.over_link,
          .between_gpus = w.between_gpus};
}

// A run's time over its limit's, and the limit of the best algorithm known.
struct Held {
  std::string what, ceiling;
  double fraction = 0, best = 0;
  bool gpu = false;
};

std::vector<Held> held() {
  const std::vector<harness::Application> applications = catalogue();
  std::vector<Held> all;
  for (const std::string& file : files())
    for (const records::Document& document : records::read_documents({file})) {
      if (!document.machine) continue;
      const machine::Machine here = machine_of(*document.machine);
      const machine::Ceilings ceilings = ceilings_of(*document.machine);
      for (const records::Run& run : document.runs) {
        if (!run.timed() || !run.work) continue;
        const auto app = std::find_if(applications.begin(), applications.end(),
                                      [&](const auto& a) { return a.name == run.application; });
        if (app == applications.end()) continue;
        const auto variant = std::find_if(app->variants.begin(), app->variants.end(),
                                          [&](const auto& v) { return v.name == run.variant.name; });
        if (variant == app->variants.end()) continue;
        const harness::Problem problem = problem_of(*app, run);
        if (variant->unsupported_reason && variant->unsupported_reason(problem)) continue;
        // Counts that depend on the data alone are in the record as they were counted there.
        const harness::Work best = app->work(problem).operations == 0 ? recorded(*run.work) : app->work(problem);
        const harness::Work work = variant->work ? variant->work(problem) : best;
        const auto kind = kind_of(run);
        const int gpus = variant->backend == harness::Backend::multi ? gpus_of(run) : 1;
        const auto limit = harness::limit_of(work, kind, here, 0, ceilings, gpus);
        const auto least = harness::limit_of(best, kind, here, 0, ceilings, gpus);
        const double seconds = run.phases.execute->median;
        all.push_back({std::filesystem::path(file).filename().string() + ": " + run.key + " " + run.variant.name,
                       limit.limit ? limit.limit->ceiling : limit.reason,
                       limit.limit ? limit.limit->seconds / seconds : 0,
                       least.limit ? least.limit->seconds / seconds : 0, kind == harness::DeviceKind::gpu});
      }
    }
  return all;
}

TEST(RecordedLimits, NoGpuWasFasterThanItsVariantsWorkAllows) {
  const std::vector<Held> all = held();
  EXPECT_GT(all.size(), 1000u);
  // SPEEDWELL_PRINT=1 lists them all, for the hand.
  const bool print = std::getenv("SPEEDWELL_PRINT") != nullptr;
  for (const Held& run : all) {
    if (print) std::cout << run.fraction << '\t' << run.best << '\t' << run.ceiling << '\t' << run.what << '\n';
    // A host's ceilings of one session are withheld by a run where they do not hold: they repeat within tens of
    // percent.
    if (run.gpu) {
      EXPECT_LE(run.fraction, harness::limit_tolerance) << run.what << " by " << run.ceiling;
    }
    if (run.fraction > 0) {
      EXPECT_LE(run.best, run.fraction * (1 + 1e-9)) << run.what << " by " << run.ceiling;
    }
  }
}

// `cuda` is the row that summaries show: where another own row is faster, `cuda` should have chosen what that does.
// Rows that are no longer in the catalogue are left out, and figures of few passes. The ends of intervals are compared;
// a median without one, of five passes, may lie further from the true one than the margin.
TEST(RecordedChoices, CudaIsWithinThreePercentOfTheBestOwnRow) {
  constexpr double margin = 1.03;
  const std::vector<harness::Application> applications = catalogue();
  const auto counts = [&](const records::Run& run) {
    if (!run.timed() || run.device.kind != "gpu" || run.variant.role == "peer") return false;
    if (run.phases.execute->passes < harness::passes_of_a_published_figure || !run.phases.execute->interval)
      return false;
    return std::any_of(applications.begin(), applications.end(), [&](const harness::Application& a) {
      return a.name == run.application && std::any_of(a.variants.begin(), a.variants.end(),
                                                      [&](const auto& v) { return v.name == run.variant.name; });
    });
  };
  std::size_t compared = 0;
  for (const std::string& file : files())
    for (const records::Document& document : records::read_documents({file})) {
      std::map<std::string, std::vector<const records::Run*>> problems;
      for (const records::Run& run : document.runs)
        if (counts(run)) problems[run.key].push_back(&run);
      for (const auto& [key, runs] : problems) {
        const auto is_cuda = [](const records::Run* run) { return run->variant.name == "cuda"; };
        const auto cuda = std::find_if(runs.begin(), runs.end(), is_cuda);
        if (cuda == runs.end() || runs.size() < 2) continue;
        ++compared;
        for (const records::Run* other : runs)
          EXPECT_LE((*cuda)->phases.execute->interval->first, margin * other->phases.execute->interval->second)
              << std::filesystem::path(file).filename() << ": " << key << ": " << other->variant.name << " is faster";
      }
    }
  EXPECT_GT(compared, 20u);
}

// The default problems of `suite`: one problem of each application, in words that fit its table.
TEST(Headlines, EveryApplicationHasOneProblem) {
  for (const harness::Application& app : catalogue()) {
    const harness::Size& size = harness::find_size(app, "headline");
    EXPECT_EQ(harness::problems(app, size, {}, 1).size(), 1u) << app.name;
    EXPECT_LE(size.summary.size(), 20u) << app.name;
  }
}

}  // namespace
}  // namespace speedwell
