// The classes of the benchmarks, the work that they count, and the variants of each kernel.
#include "speedwell/apps/npb/adapter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/npb/adapter_rows.hpp"
#include "speedwell/harness/problems.hpp"
#include "tests/apps/lifecycle.hpp"
#include "tests/support/faulty_run.hpp"

namespace speedwell::npb {
namespace {

harness::Problem problem(const std::string& class_setting, const std::string& kernel = "ep") {
  const harness::Application app = application();
  return harness::problems(
             app, {.name = "none"},
             {harness::parse_setting(app, class_setting), harness::parse_setting(app, "kernel=" + kernel)}, 1)
      .at(0);
}

const std::vector<std::string> all_kernels = {"ep", "ft"};

TEST(NpbApplication, HasASizeForEveryClass) {
  const harness::Application app = application();
  for (const char* name : {"S", "W", "A", "B", "C", "D", "E", "F"})
    for (const harness::Problem& p : harness::problems(app, harness::find_size(app, name), {}, 1))
      EXPECT_EQ(p.get<std::string>("class"), name);
}

TEST(NpbApplication, RefusesClassesAndKernelsThatThereAreNot) {
  for (const char* setting : {"class=G", "class=s", "class="})
    EXPECT_THROW(problem(setting), std::invalid_argument) << setting;
  for (const char* kernel : {"xx", "EP", ""}) EXPECT_THROW(problem("class=S", kernel), std::invalid_argument) << kernel;
}

TEST(NpbApplication, CountsTheBenchmarksOperations) {
  const harness::Application app = application();
  const harness::Work work = app.work(problem("class=D"));
  EXPECT_EQ(work.updates, std::ldexp(1.0, 37));
  EXPECT_NEAR(work.operations / std::ldexp(1.0, 36), 5 + 26 * 0.785398, 1e-3);
  EXPECT_EQ(work.arithmetic, harness::Arithmetic::f64);
  for (const harness::Variant& row : app.variants)
    if (row.name == "openmp") {
      EXPECT_NEAR(row.work(problem("class=D")).operations / std::ldexp(1.0, 36), 10 + 64 * 0.785398, 1e-3);
    } else if (row.name == "cuda") {
      EXPECT_EQ(row.work(problem("class=D")).operations, 45 * std::ldexp(1.0, 36)) << "instructions of the pipe";
    }
}

TEST(NpbApplication, CountsTheWorkOfFt) {
  const harness::Work work = application().work(problem("class=C", "ft"));
  const double n = std::ldexp(1.0, 27);
  EXPECT_NEAR(work.updates * 1e-6,
              n * 1e-6 * (14.8157 + 7.19641 * 27 * std::log(2.0) + 20 * (5.23518 + 7.21113 * 27 * std::log(2.0))), 1);
  EXPECT_EQ(work.operations, n * (21 * 5 * 27 + 2 * 20));
  EXPECT_EQ(work.bytes_read, 41 * 16 * n);
  EXPECT_EQ(work.bytes_written, 22 * 16 * n);
}

TEST(NpbApplication, CountsThePassesOfFtsVariants) {
  const harness::Application app = application();
  const double field = 16 * std::ldexp(1.0, 27);
  const auto fields_of_step = [&](const char* row) {  // 20 of them, after what comes first
    const harness::Work work = harness::row(app, row).work(problem("class=C", "ft"));
    EXPECT_GE(work.bytes_read, app.work(problem("class=C", "ft")).bytes_read) << row;
    EXPECT_EQ(work.operations, app.work(problem("class=C", "ft")).operations) << row;
    return (work.bytes_read + work.bytes_written) / field;
  };
  EXPECT_EQ(fields_of_step("serial"), 5.5 + 20 * 6.5);
  EXPECT_EQ(fields_of_step("openmp"), 5 + 20 * 3);
  EXPECT_EQ(fields_of_step("cuda"), 5 + 20 * 5) << "planes first, then three passes, of which the last stores nothing";
  EXPECT_EQ(fields_of_step("multi"), fields_of_step("cuda"));
  EXPECT_EQ(fields_of_step("cuda-layouts"), 1.5 + 66 + 20 * (66 + 3.5)) << "27 stages and six copies, read and written";
}

TEST(NpbApplication, HasTheTitleOfTheReport) {
  const harness::NpbTitle title = application().npb_title(problem("class=A"));
  EXPECT_EQ(title.name, "EP");
  EXPECT_EQ(title.problem_class, "A");
  EXPECT_EQ(title.size, "536870912");
  EXPECT_EQ(title.iterations, 0);
  EXPECT_EQ(title.operation, "Random numbers generated");
  const harness::NpbTitle of_ft = application().npb_title(problem("class=B", "ft"));
  EXPECT_EQ(of_ft.name, "FT");
  EXPECT_EQ(of_ft.problem_class, "B");
  EXPECT_EQ(of_ft.size, "512x256x256");
  EXPECT_EQ(of_ft.iterations, 20);
  EXPECT_EQ(of_ft.operation, "floating point");
}

// A row of one name is each kernel's own variant, and refuses the problems of those that have none.
TEST(NpbApplication, RowsAreOfTheKernelsThatHaveThem) {
  const harness::Application app = application();
  for (const harness::Variant& row : app.variants) {
    const bool shared =
        row.name == "serial" || row.name == "openmp" || row.name == "mpi" || row.name == "cuda" || row.name == "multi";
    int refused = 0;
    for (const std::string& kernel : all_kernels)
      if (const auto reason = row.unsupported_reason(problem("class=S", kernel))) {
        ++refused;
        EXPECT_NE(reason->find(row.name), std::string::npos) << *reason;
      }
    EXPECT_EQ(refused, shared ? 0 : 1) << row.name;
    EXPECT_EQ(row.description.find("EP: ") == 0, !row.unsupported_reason(problem("class=S", "ep"))) << row.description;
  }
  ASSERT_GE(app.variants.size(), 2u);
  EXPECT_EQ(app.variants[app.variants.size() - 2].name, "cuda");
  EXPECT_EQ(app.variants.back().name, "multi");
  EXPECT_EQ(harness::row(app, "cuda-atomic").unsupported_reason(problem("class=S", "ft")), "FT has no cuda-atomic");
}

// Each function throws its own name.
TEST(NpbApplication, FactoriesOfOneNameAreChosenByTheWorkload) {
  const auto naming = [](const std::string& name) -> harness::Variant::Make {
    return [name](std::shared_ptr<const harness::Workload>, const harness::Context&) -> std::unique_ptr<harness::Run> {
      throw std::runtime_error(name);
    };
  };
  const std::vector<harness::Binding> merged = bindings_of(
      {{"ep", {{"cuda-atomic", naming("step")}, {"cuda", naming("ep's")}}}, {"ft", {{"cuda", naming("ft's")}}}});
  ASSERT_EQ(merged.size(), 2u);
  const auto made = [&](std::size_t row, const std::string& kernel) -> std::string {
    try {
      merged[row].make(std::make_shared<KernelWorkload>(kernel), {});
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(merged[0].variant, "cuda-atomic");
  EXPECT_EQ(made(0, "ep"), "step");
  EXPECT_EQ(made(1, "ep"), "ep's");
  EXPECT_EQ(made(1, "ft"), "ft's");
  EXPECT_EQ(made(1, "cg"), "cg has no variant 'cuda'");
}

TEST(NpbApplication, RefusesMoreRanksThanLayersForFt) {
  const harness::Application app = application();
  for (const char* name : {"mpi", "multi"}) {
    const harness::Variant& row = harness::row(app, name);
    EXPECT_FALSE(row.unsupported_ranks_reason(problem("class=S", "ft"), 64)) << name;
    EXPECT_EQ(row.unsupported_ranks_reason(problem("class=S", "ft"), 65), "65 ranks for 64 layers of the grid") << name;
  }
}

// Two fields on all cores; factors of 8 bytes besides on one; five fields on several GPUs together.
TEST(NpbApplication, SaysWhatFtTakes) {
  const harness::Application app = application();
  const auto bytes = [&](const char* name, const harness::Problem& p) {
    return harness::row(app, name).footprint(p).host_bytes;
  };
  EXPECT_EQ(bytes("openmp", problem("class=D", "ft")), 64 * 0x1p30);
  EXPECT_EQ(bytes("serial", problem("class=D", "ft")), 80 * 0x1p30);
  EXPECT_EQ(bytes("openmp", problem("class=D", "ep")), 0);
  EXPECT_EQ(harness::row(app, "multi").footprint(problem("class=D", "ft")).device_bytes, 160 * 0x1p30);
}

TEST(NpbApplication, TheResultsOfAnotherClassAreRejected) {
  const harness::Application app = application();
  const harness::Variant& openmp = harness::row(app, "openmp");
  for (const std::string& kernel : all_kernels) {
    const auto prepared = app.prepare(problem("class=S", kernel)), other = app.prepare(problem("class=W", kernel));
    EXPECT_FALSE(test::passes(openmp, test::Fault::stale, prepared, other)) << kernel;
  }
}

}  // namespace
}  // namespace speedwell::npb
