// The GPU variants as the harness runs them: each passes, and every injected fault is detected.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "speedwell/apps/wavefront/adapter.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/harness/problems.hpp"
#include "tests/support/faulty_run.hpp"

namespace speedwell::wavefront {
namespace {

harness::Problem problem(const harness::Application& app, std::uint64_t seed) {
  std::vector<harness::Setting> settings;
  for (const char* text : {"nx=20", "ny=40", "nz=36", "precision=f32", "inflow=random", "direction=-+-"})
    settings.push_back(harness::parse_setting(app, text));
  return harness::problems(app, {.name = "none"}, settings, seed).at(0);
}

TEST(WavefrontGpuRows, PassAndHaveTheirFaultsRejected) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  harness::Application app = application();
  harness::bind_variants(app, cuda_runs());
  const auto prepared = app.prepare(problem(app, 1)), other = app.prepare(problem(app, 2));
  for (const harness::Variant& variant : app.variants) {
    if (variant.backend != harness::Backend::cuda) continue;
    std::vector<test::Fault> faults = test::all_faults();
    faults.push_back(test::Fault::none);
    for (const test::Fault fault : faults)
      EXPECT_EQ(test::passes(variant, fault, prepared, other), fault == test::Fault::none)
          << variant.name << ": " << test::to_string(fault);
  }
}

}  // namespace
}  // namespace speedwell::wavefront
