// The GPU rows as the harness runs them: each passes on every kind of problem, and every fault that is planted in it is
// rejected.
#include <gtest/gtest.h>

#include "speedwell/apps/fft/adapter.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/harness/problems.hpp"
#include "tests/support/faulty_run.hpp"

namespace speedwell::fft {
namespace {

harness::Problem problem(const harness::Application& app, std::vector<std::string> texts, std::uint64_t seed) {
  std::vector<harness::Setting> settings;
  for (const std::string& text : texts) settings.push_back(harness::parse_setting(app, text));
  return harness::problems(app, {.name = "none"}, settings, seed).at(0);
}

TEST(FftGpuRows, PassAndHaveTheirFaultsRejected) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  harness::Application app = application();
  harness::bind_variants(app, cuda_runs());
  std::vector<test::Fault> faults = test::all_faults();
  faults.push_back(test::Fault::none);
  for (const char* precision : {"precision=f64", "precision=f32"})
    for (const char* direction : {"direction=forward", "direction=backward"})
      for (const char* data : {"data=complex", "data=real"})
        for (const auto& [kind, n] : {std::pair{"kind=1d", "n=100"}, {"kind=2d", "n=64"}, {"kind=3d", "n=15"}}) {
          const std::vector<std::string> settings = {precision, direction, data, kind, n, "batch=3"};
          const auto own = problem(app, settings, 1);
          const auto prepared = app.prepare(own), other = app.prepare(problem(app, settings, 2));
          for (const harness::Variant& variant : app.variants) {
            if (variant.backend != harness::Backend::cuda || !variant.make) continue;
            if (variant.unsupported_reason && variant.unsupported_reason(own)) continue;
            for (const test::Fault fault : faults)
              EXPECT_EQ(test::passes(variant, fault, prepared, other), fault == test::Fault::none)
                  << variant.name << " " << precision << " " << direction << " " << data << " " << kind << ": "
                  << test::to_string(fault);
          }
        }
}

// Without a GPU, too: nothing is asked of one before.
TEST(FftGpuRows, SayWhatTheyTake) {
  const harness::Application app = application();
  const auto cube = problem(app, {"kind=3d", "n=512"}, 1), line = problem(app, {"kind=1d", "n=512"}, 1);
  for (const harness::Variant& variant : app.variants) {
    if (variant.backend != harness::Backend::cuda) continue;
    EXPECT_GE(variant.footprint(cube).device_bytes, 2 * 0x1p31) << variant.name;
    EXPECT_EQ(variant.unsupported_reason && variant.unsupported_reason(line), variant.role == harness::Role::step)
        << variant.name;
  }
}

}  // namespace
}  // namespace speedwell::fft
