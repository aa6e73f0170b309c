// The work and memory that the application counts, what variants refuse, and a verdict on one wrong point.
#include "speedwell/apps/fft/adapter.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "speedwell/harness/problems.hpp"
#include "tests/apps/lifecycle.hpp"

namespace speedwell::fft {
namespace {

harness::Problem problem(const std::string& kind, std::int64_t n, std::int64_t batch, const std::string& data,
                         const std::string& direction, const std::string& precision) {
  return harness::problem_with(
      application(),
      {{"kind", kind}, {"n", n}, {"batch", batch}, {"data", data}, {"direction", direction}, {"precision", precision}});
}

TEST(FftApplication, CountsWorkByTheConvention) {
  const harness::Application app = application();
  const auto cube = app.work(problem("3d", 256, 1, "complex", "forward", "f64"));
  EXPECT_EQ(cube.operations, 5.0 * 16777216 * 24);
  EXPECT_EQ(cube.bytes_read, 2 * 16.0 * 16777216) << "two passes";
  EXPECT_EQ(cube.bytes_written, 2 * 16.0 * 16777216);
  const auto real = app.work(problem("3d", 256, 1, "real", "forward", "f32"));
  EXPECT_EQ(real.operations, 2.5 * 16777216 * 24);
  EXPECT_EQ(real.bytes_read, 2 * 4.0 * 16777216);
  EXPECT_EQ(real.bytes_written, 4.0 * 16777216 + 8.0 * 256 * 256 * 129);
  const auto batch = app.work(problem("1d", 256, 1000, "complex", "backward", "f64"));
  EXPECT_EQ(batch.operations, 1000 * 5.0 * 256 * 8);
}

TEST(FftApplication, CountsThePassesOfEveryVariant) {
  const harness::Application app = application();
  const auto passes = [&](const char* row, const char* kind, std::int64_t n, std::int64_t batch = 1) {
    const harness::Problem p = problem(kind, n, batch, "complex", "forward", "f64");
    const harness::Work work = harness::row(app, row).work(p);
    EXPECT_EQ(work.bytes_read, work.bytes_written);
    return work.bytes_read / (16 * work.updates);
  };
  EXPECT_EQ(passes("openmp", "3d", 256), 2);
  EXPECT_EQ(passes("openmp", "3d", 1024), 3) << "planes of 16 MiB";
  EXPECT_EQ(passes("serial", "1d", 256, 1000), 1);
  EXPECT_EQ(passes("radix-2", "1d", 1 << 24), 26);
  EXPECT_EQ(passes("radix-4", "1d", 1 << 24), 14);
  EXPECT_EQ(passes("bit-reversed-2", "1d", 1 << 24), 25);
  EXPECT_EQ(passes("recursive", "1d", 1 << 24), 2);
  EXPECT_EQ(passes("cuda-transposed", "3d", 512), 3);
  EXPECT_EQ(passes("cuda-passes", "3d", 256), 3);
  EXPECT_EQ(passes("cuda", "3d", 256), 2) << "in clusters";
  EXPECT_EQ(passes("cuda", "3d", 512), 2) << "planes";
  EXPECT_EQ(passes("cuda", "3d", 1024), 3) << "planes larger than a quarter of what may wait";
  EXPECT_EQ(passes("cuda", "1d", 256, 65536), 1);
  EXPECT_EQ(passes("cuda", "1d", 1 << 22), 2);
  EXPECT_EQ(passes("cuda", "1d", 1 << 28), 3);
  const harness::Work real = harness::row(app, "cuda").work(problem("3d", 256, 1, "real", "backward", "f32"));
  const double spectrum = 8.0 * 256 * 256 * 129, time = 4.0 * 16777216;
  EXPECT_EQ(real.bytes_read, 3 * spectrum);
  EXPECT_EQ(real.bytes_written, 2 * spectrum + time);
}

TEST(FftApplication, NoVariantsBytesAreFewerThanTheBestKnown) {
  const harness::Application app = application();
  for (const harness::Size& size : app.sizes)
    for (const harness::Problem& p : harness::problems(app, size, {}, 1))
      for (const harness::Variant& variant : app.variants) {
        if (!variant.work || (variant.unsupported_reason && variant.unsupported_reason(p))) continue;
        EXPECT_GE(variant.work(p).bytes_read, app.work(p).bytes_read) << variant.name << " " << size.name;
        EXPECT_GE(variant.work(p).bytes_written, app.work(p).bytes_written) << variant.name << " " << size.name;
      }
}

TEST(FftApplication, RefusesProblemsBeforeAnythingIsAllocated) {
  const harness::Application app = application();
  EXPECT_THROW(app.footprint(problem("3d", std::int64_t{1} << 40, 1, "complex", "forward", "f64")),
               std::invalid_argument);
  EXPECT_GE(app.footprint(problem("3d", 1024, 1, "complex", "forward", "f64")).host_bytes, (32.0 + 32) * (1 << 30));
}

TEST(FftApplication, StudyRowsSayWhatTheyCannotDo) {
  const harness::Application app = application();
  const auto refuses = [&](const char* name, const harness::Problem& p) {
    return harness::row(app, name).unsupported_reason(p);
  };
  EXPECT_FALSE(refuses("radix-2", problem("1d", 32, 1, "complex", "forward", "f64")));
  EXPECT_TRUE(refuses("radix-4", problem("1d", 32, 1, "complex", "forward", "f64")));
  EXPECT_TRUE(refuses("radix-2", problem("1d", 30, 1, "complex", "forward", "f64")));
  EXPECT_TRUE(refuses("recursive", problem("1d", 32, 1, "real", "forward", "f64")));
  EXPECT_TRUE(refuses("recursive", problem("3d", 32, 1, "complex", "forward", "f64")));
}

TEST(FftApplication, GpuVariantsNeedTwoArraysAndStepsTakeNoSingleLines) {
  const harness::Application app = application();
  const auto cube = problem("3d", 512, 1, "complex", "forward", "f64"),
             line = problem("1d", 512, 1, "complex", "forward", "f64");
  for (const harness::Variant& variant : app.variants) {
    if (variant.backend != harness::Backend::cuda) continue;
    EXPECT_GE(variant.footprint(cube).device_bytes, 2 * 0x1p31) << variant.name;
    EXPECT_EQ(variant.unsupported_reason && variant.unsupported_reason(line), variant.role == harness::Role::step)
        << variant.name;
  }
}

TEST(FftApplication, OneWrongPointFails) {
  const harness::Application app = application();
  for (const char* precision : {"f64", "f32"}) {
    const auto run =
        harness::completed_run(app, harness::row(app, "openmp"), problem("3d", 32, 1, "complex", "forward", precision));
    const harness::Output out = run->outputs().at(0);
    if (out.type == harness::ElementType::f64)
      static_cast<double*>(out.data)[4711] *= 1 + 1e-9;
    else
      static_cast<float*>(out.data)[4711] *= 1.01F;
    EXPECT_FALSE(run->verify().passed) << precision;
  }
}

}  // namespace
}  // namespace speedwell::fft
