// Takes one variant of an application through all phases of a run, as the harness does, without timing it.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::harness {

/// The application's defaults, with those in `settings` replaced.
inline Problem problem_with(const Application& application, const std::vector<Setting>& settings,
                            std::uint64_t seed = 1) {
  std::vector<Setting> all;
  for (const Parameter& parameter : application.parameters) {
    const auto given =
        std::find_if(settings.begin(), settings.end(), [&](const Setting& s) { return s.key == parameter.key; });
    all.push_back({parameter.key, given == settings.end() ? parameter.default_value : given->value});
  }
  return {application.name, "", std::move(all), seed};
}

/// The same on a box of 17 x 9 x 12 cells.
inline Problem problem_on_small_box(const Application& application, const std::vector<Setting>& settings,
                                    std::uint64_t seed = 1) {
  std::vector<Setting> all = {{"nx", std::int64_t{17}}, {"ny", std::int64_t{9}}, {"nz", std::int64_t{12}}};
  all.insert(all.end(), settings.begin(), settings.end());
  return problem_with(application, all, seed);
}

inline const Variant& row(const Application& application, const std::string& name) {
  return *std::find_if(application.variants.begin(), application.variants.end(),
                       [&](const Variant& v) { return v.name == name; });
}

/// Takes a run through allocate, plan, upload, two passes of reset, poison, execute and synchronize, and download.
inline std::unique_ptr<Run> completed(std::unique_ptr<Run> run) {
  run->allocate();
  run->plan();
  run->upload();
  for (int pass = 0; pass < 2; ++pass) {  // a second pass finds what the first left behind
    run->reset();
    run->poison();
    run->execute();
    run->synchronize();
  }
  run->download();
  return run;
}

inline std::unique_ptr<Run> completed_run(const Application& application, const Variant& variant,
                                          const Problem& problem, int threads = 2) {
  return completed(variant.make(application.prepare(problem), Context{.threads = threads}));
}

}  // namespace speedwell::harness
