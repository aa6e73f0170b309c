// The interface to the harness: settings, work, unsupported problems, and the performance model.
#include "speedwell/apps/wavefront/adapter.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/wavefront/adapter_ranks_model.hpp"
#include "speedwell/apps/wavefront/adapter_workload.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/harness/problems.hpp"
#include "tests/apps/lifecycle.hpp"

namespace speedwell::wavefront {
namespace {

using harness::row;

harness::Problem problem(const std::vector<std::string>& user, std::uint64_t seed = 1) {
  const harness::Application app = application();
  std::vector<harness::Setting> settings;
  for (const std::string& text : user) settings.push_back(harness::parse_setting(app, text));
  return harness::problems(app, {.name = "none"}, settings, seed).at(0);
}

TEST(WavefrontApplication, ExtentsAreThoseOfACubeUnlessTheyAreGiven) {
  const Settings cube = settings_of(problem({"n=7"}));
  EXPECT_EQ(cube.data.extents, (Extents{7, 7, 7}));
  const Settings box = settings_of(problem({"nx=40", "ny=24", "nz=56"}));
  EXPECT_EQ(box.data.extents, (Extents{40, 24, 56}));
  EXPECT_EQ(settings_of(problem({"n=3", "nz=5", "direction=+--"})).direction, (Direction{false, true, true}));
}

TEST(WavefrontApplication, TheUsualSeedGivesThePublishedData) {
  const auto made = Inputs<double>(settings_of(problem({"n=40", "inflow=random", "bits=50"}))).grid().cells[0];
  EXPECT_EQ(made, 0.78878171091649385);
}

TEST(WavefrontApplication, CountsWorkAndMemory) {
  const harness::Application app = application();
  const harness::Work basic = app.work(problem({"nx=10", "ny=20", "nz=30", "precision=f32"}));
  const double cells = 6000, planes = 10 * 20 + 10 * 30 + 20 * 30;
  EXPECT_EQ(basic.updates, cells);
  EXPECT_EQ(basic.operations, 5 * cells);
  EXPECT_EQ(basic.arithmetic, harness::Arithmetic::f32);
  EXPECT_EQ(basic.bytes_read, 4 * (cells + planes));
  EXPECT_EQ(basic.bytes_written, 4 * cells);
  for (const char* step : {"cuda-rearranged", "cuda-shared", "cuda-subtraction", "cuda-graph", "cuda-cooperative"}) {
    const harness::Work own = row(app, step).work(problem({"nx=10", "ny=20", "nz=30", "precision=f32"}));
    EXPECT_EQ(own.bytes_read, 4 * (3 * cells + planes)) << step << ": into the order of its blocks, and back";
    EXPECT_EQ(own.bytes_written, 4 * 3 * cells) << step;
  }
  EXPECT_EQ(row(app, "cuda").work(problem({"nx=10", "ny=20", "nz=30", "precision=f32"})).bytes_read, basic.bytes_read);
  EXPECT_EQ(app.work(problem({"n=10", "loops=1"})).operations, 7 * 1000);
  EXPECT_EQ(app.work(problem({"n=10", "loops=10"})).operations, 124 * 1000);
  EXPECT_EQ(app.footprint(problem({"n=100"})).host_bytes, 2 * 8.0 * (1e6 + 3e4));
  EXPECT_EQ(row(app, "openmp").footprint(problem({"n=100"})).host_bytes, 8.0 * (1e6 + 3e4));
}

TEST(WavefrontApplication, RefusesBadInputBeforeAnythingIsAllocated) {
  const harness::Application app = application();
  for (const std::string user :
       {"n=0", "nx=-1", "loops=-1", "loops=1e9", "direction=up", "direction=++", "bits=54", "rounding=up"})
    EXPECT_THROW(problem({user}), std::invalid_argument) << user;
  const std::vector<std::vector<std::string>> together = {{"c=0"},
                                                          {"c=-1"},
                                                          {"c=1e308"},
                                                          {"c=1e39", "precision=f32"},
                                                          {"n=1e6"},
                                                          {"bits=25", "precision=f32"},
                                                          {"tc=1e300", "loops=3"},
                                                          {"tc=1e20", "loops=3", "precision=f32"}};
  for (const auto& user : together) EXPECT_THROW(app.footprint(problem(user)), std::invalid_argument) << user[0];
  EXPECT_NO_THROW(app.footprint(problem({"tc=1e20", "loops=3"})));
}

TEST(WavefrontApplication, ProjectsToRanksThatAreNotHere) {
  const harness::Application app = application();
  const auto project = [&](const std::vector<std::string>& user, const std::string& machine) {
    return app.projector->project(problem(user), harness::parse_machine(app, machine), {.device = -1});
  };
  const auto made = project({"n=64"}, "ranks=6,latency_us=3");
  ASSERT_EQ(made.size(), 1u);
  ASSERT_EQ(made[0].table.size(), 5u);  // the header; 1, 2, 4 and 6 ranks
  EXPECT_EQ(made[0].table[0][0], "ranks");
  EXPECT_EQ(made[0].table[1][0], "1");
  EXPECT_EQ(made[0].table[4][0], "6");
  ASSERT_EQ(made[0].notes.size(), 2u);
  EXPECT_NE(made[0].notes[1].find("arrives after 3 us"), std::string::npos) << made[0].notes[1];
  // A requested number of ranks without a process grid is an error; others are left out.
  EXPECT_THROW(project({"nx=1", "ny=6"}, "ranks=7"), std::invalid_argument);
  EXPECT_EQ(project({"nx=3", "ny=3"}, "ranks=9")[0].table.size(), 5u);  // 8 are left out
  EXPECT_THROW(project({"n=64"}, "latency_us=3"), std::invalid_argument);
  EXPECT_THROW(harness::parse_machine(app, "ranks=1e9"), std::invalid_argument);
}

TEST(WavefrontApplication, PredictsThatPlaneGroupsOnRanksFollowEachOther) {
  const MeasuredCore a_second_for_a_cell{.near = {0, 0, 1}, .far = {}, .lanes = 16};
  const Settings settings = settings_of(problem({"nx=64", "ny=48", "nz=128", "precision=f32"}));
  const double row_chunks = 3 * 128 / 32, plane = 16 * 32;
  const auto seconds = [&](int ranks, const model::Network& network) {
    return a_second_for_a_cell.seconds_in_row_chunks(settings, ranks, 32, network);
  };
  EXPECT_DOUBLE_EQ(seconds(1, {}), row_chunks * 64 * plane);
  // A group of 16 planes and 16 lanes lags 30 steps, and so one chunk; two of them lag 62 steps, two chunks.
  EXPECT_DOUBLE_EQ(seconds(4, {}), (row_chunks + 3 * (1 + 1)) * 16 * plane);
  EXPECT_DOUBLE_EQ(seconds(2, {}), (row_chunks + 1 * (1 + 2)) * 32 * plane);
  // The first face is sent and transmitted; the second rank receives all faces.
  const model::Network network{.overhead_s = 0.5, .latency_s = 7, .byte_s = 0.25};
  EXPECT_DOUBLE_EQ(seconds(2, network), seconds(2, {}) + 0.5 + 7 + plane * 4 * 0.25 + row_chunks * 0.5);
}

TEST(WavefrontApplication, ProjectsToGpusOnlyFromOneThatIsHere) {
  const harness::Application app = application();
  EXPECT_THROW(app.projector->project(problem({"n=64"}), harness::parse_machine(app, "gpus=4"), {.device = -1}),
               core::Unavailable);
  EXPECT_THROW(row(app, "cuda").predict(problem({"n=64"}), {.device = -1}), core::Unavailable);
}

TEST(WavefrontApplication, ASweepOfASweptGridIsWrongUntilItIsReset) {
  const harness::Application app = application();
  for (const std::string name : {"serial", "openmp"}) {
    const auto run = harness::completed_run(app, row(app, name), problem({"n=20"}));
    EXPECT_TRUE(run->verify().passed) << name;
    run->execute();
    EXPECT_FALSE(run->verify().passed) << name;
    run->reset();
    run->execute();
    EXPECT_TRUE(run->verify().passed) << name;
  }
}

}  // namespace
}  // namespace speedwell::wavefront
