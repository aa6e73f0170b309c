// speedwell solve: what it writes, how it continues, and what it refuses.
#include "speedwell/cli/solve.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "solve_fixture.hpp"
#include "speedwell/io/checkpoint.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::cli {
namespace {

namespace fs = std::filesystem;

class Solve : public SolveFixture {
 protected:
  // Fields are named by their step, which is that of the last checkpoint where both end a run.
  static std::string last_field(const std::string& folder) {
    char name[48];
    std::snprintf(name, sizeof name, "fields/flow-%08lld.vti",
                  static_cast<long long>(io::checkpoints_in(folder + "/checkpoints").at(0).step()));
    return name;
  }
  SolveOptions options(const std::string& file, const std::string& folder) {
    SolveOptions o;
    o.file = file;
    o.folder = root_ + "/" + folder;
    return o;
  }
  StopReason run(const SolveOptions& o) { return run_solve(o, out_, err_); }
};

std::string stirred(const std::string& end) {
  return "schema = 1\n[mesh]\ncells = [16, 16, 16]\nsize = [24, 24, 24]\n[fluid]\nviscosity = 0.5\n[cubes]\ncount = 3\n"
         "edge = 4\n[stirring]\nacceleration = 80\ninterval = 0.06\nstop = 0.2\nremove = 0.4\n[time]\nscheme = \"s3\"\n"
         "largest_step = 0.02\nend = " +
         end + "\n[output]\nhistory_every = 0.1\nfields_every = 0.2\ncheckpoint_every = 0.1\n";
}

TEST_F(Solve, WritesHistoriesFieldsAndCheckpoints) {
  EXPECT_EQ(run(options(write("a.toml", stirred("0.6")), "a")), StopReason::end_reached);
  const std::string folder = root_ + "/a";
  const std::string last = last_field(folder);
  EXPECT_NE(read(folder + "/flow.pvd").find("timestep=\"0.6\" file=\"" + last + "\""), std::string::npos);
  const std::string image = read(folder + "/" + last);
  EXPECT_EQ(image.rfind("<?xml", 0), 0u);
  EXPECT_NE(image.find("WholeExtent=\"0 16 0 16 0 16\""), std::string::npos);
  EXPECT_GT(image.size(), 16u * 16 * 16 * 16);
  const std::string history = read(folder + "/history.csv");
  EXPECT_EQ(std::count(history.begin(), history.end(), '\n'), 8);  // the header and 0 … 0.6
  EXPECT_EQ(io::checkpoints_in(folder + "/checkpoints").size(), 2u);
  EXPECT_EQ(read(folder + "/case.toml"), stirred("0.6"));
}

TEST_F(Solve, ContinuesWithTheSameBits) {
  run(options(write("a.toml", stirred("0.6")), "whole"));
  for (const char* end : {"0.1", "0.3", "0.5"}) {
    const std::string folder = std::string("part") + end;
    run(options(write("b.toml", stirred(end)), folder));
    SolveOptions more = options(write("c.toml", stirred("0.6")), folder);
    more.resume = true;
    EXPECT_EQ(run(more), StopReason::end_reached);
    const auto whole = io::checkpoints_in(root_ + "/whole/checkpoints"),
               part = io::checkpoints_in(root_ + "/" + folder + "/checkpoints");
    ASSERT_EQ(whole.front().step(), part.front().step());
    expect_same_files(whole.front().path(), part.front().path(), {"u.raw", "v.raw", "w.raw", "p.raw"});
    expect_same_files("whole", folder, {"history.csv"});
  }
}

TEST_F(Solve, StepsBackFromADamagedCheckpointAndSaysSo) {
  run(options(write("a.toml", stirred("0.3")), "a"));
  const auto all = io::checkpoints_in(root_ + "/a/checkpoints");
  std::string bytes = read(all.front().path() + "/v.raw");
  bytes[777] ^= 1;
  std::ofstream(all.front().path() + "/v.raw", std::ios::binary) << bytes;
  SolveOptions more = options("", "a");
  more.resume = true;
  EXPECT_EQ(run(more), StopReason::end_reached);
  EXPECT_NE(err_.str().find("going back"), std::string::npos) << err_.str();
  fs::resize_file(io::checkpoints_in(root_ + "/a/checkpoints")[0].path() + "/u.raw", 5);
  fs::resize_file(io::checkpoints_in(root_ + "/a/checkpoints")[1].path() + "/u.raw", 5);
  EXPECT_THROW(run(more), io::InputError);
}

TEST_F(Solve, AStopAndATimeLimitLeaveACheckpoint) {
  const std::atomic<bool> stop{true};
  SolveOptions stopped = options(write("a.toml", stirred("0.6")), "a");
  stopped.stop = &stop;
  EXPECT_EQ(run(stopped), StopReason::interrupted);
  EXPECT_EQ(io::checkpoints_in(root_ + "/a/checkpoints").front().step(), 1);
  SolveOptions late = options(write("a.toml", stirred("0.6")), "b");
  late.time_limit = 0;
  EXPECT_EQ(run(late), StopReason::time_limit);
}

TEST_F(Solve, RefusesAnotherCaseAndAFolderThatIsNotEmpty) {
  const std::string file = write("a.toml", stirred("0.1"));
  run(options(file, "a"));
  EXPECT_THROW(run(options(file, "a")), std::invalid_argument);
  std::string other = stirred("0.1");
  other.replace(other.find("viscosity = 0.5"), 15, "viscosity = 0.4");
  SolveOptions more = options(write("b.toml", other), "a");
  more.resume = true;
  expect_input_error([&] { run(more); }, "input.checkpoint.case", "fluid.viscosity");
  SolveOptions nothing = options(file, "empty");
  nothing.resume = true;
  EXPECT_THROW(run(nothing), io::InputError);
}

TEST_F(Solve, KeepsTheLastGoodFlowWhenOneIsNotFinite) {
  // Far beyond the explicit limit of no viscosity: a field of noise with a CFL number that is stable only in theory.
  const std::string text =
      "schema = 1\nprecision = \"f32\"\n[mesh]\ncells = [8, 8, 8]\n[start]\nnoise = 1e30\n[time]\nend = 1\ncfl = 1.7\n"
      "[fluid]\nacceleration = [3e38, 0, 0]\n";
  EXPECT_EQ(run(options(write("a.toml", text), "a")), StopReason::diverged);
  EXPECT_NE(err_.str().find("last flow known to be good"), std::string::npos) << err_.str();
  EXPECT_EQ(io::checkpoints_in(root_ + "/a/checkpoints").size(), 1u);
}

}  // namespace
}  // namespace speedwell::cli
