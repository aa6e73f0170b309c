// speedwell solve of blasts: what it writes, how it continues, how it fails, and what it refuses.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "solve_fixture.hpp"
#include "speedwell/apps/blast_wave/stepper.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/io/checkpoint.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::cli {
namespace {

namespace fs = std::filesystem;

std::string blast_case(const std::string& steps, const std::string& more = "") {
  return "schema = 1\nsolver = \"blast\"\n[mesh]\npoints = [9, 8, 7]\n[time]\nsteps = " + steps +
         "\n[output]\nfields_every = 2\ncheckpoint_every = 2\n" + more;
}

class SolveBlast : public SolveFixture {
 protected:
  StopReason solve(const std::string& file, const std::string& folder, bool resume = false,
                   SolveOptions::Gpu gpu = SolveOptions::Gpu::never) {
    SolveOptions o;
    o.file = file;
    o.folder = root_ + "/" + folder;
    o.resume = resume;
    o.threads = resume ? 3 : 2;  // on which no bit depends
    o.gpu = gpu;
    return run_solve(o, out_, err_);
  }
  void goes_on_with_the_same_bits(SolveOptions::Gpu gpu) {
    EXPECT_EQ(solve(write("a.toml", blast_case("6")), "whole", false, gpu), StopReason::end_reached);
    EXPECT_EQ(solve(write("b.toml", blast_case("2")), "parts", false, gpu), StopReason::end_reached);
    EXPECT_EQ(solve(root_ + "/a.toml", "parts", true, gpu), StopReason::end_reached);
    expect_same_files("whole", "parts",
                      {"history.csv", "flow.pvd", "fields/blast-000006.vti", "checkpoints/step-000000006/q.raw"});
    EXPECT_THROW(solve(write("c.toml", blast_case("8", "[gas]\ngamma = 1.3\n")), "parts", true, gpu), io::InputError);
  }
};

TEST_F(SolveBlast, WritesHistoriesFieldsAndCheckpoints) {
  EXPECT_EQ(solve(write("a.toml", blast_case("4")), "a"), StopReason::end_reached);
  const std::string history = read("a/history.csv");
  EXPECT_EQ(std::count(history.begin(), history.end(), '\n'), 6);
  EXPECT_NE(read("a/flow.pvd").find("fields/blast-000004.vti"), std::string::npos);
  EXPECT_TRUE(fs::exists(root_ + "/a/fields/blast-000002.vti"));
  EXPECT_EQ(io::checkpoints_in(root_ + "/a/checkpoints").front().step(), 4);
  EXPECT_NE(out_.str().find("after 4 steps"), std::string::npos);
}

TEST_F(SolveBlast, ContinuesWithTheSameBits) { goes_on_with_the_same_bits(SolveOptions::Gpu::never); }
TEST_F(SolveBlast, ContinuesWithTheSameBitsOnAGpu) {
  if (const auto lacks = blast_wave::lacks_gpu()) GTEST_SKIP() << *lacks;
  goes_on_with_the_same_bits(SolveOptions::Gpu::always);
}

TEST_F(SolveBlast, KeepsTheStateBeforeAStepThatFails) {
  EXPECT_EQ(solve(write("a.toml", blast_case("3", "[scheme]\niterations = 3\n")), "a"), StopReason::diverged);
  EXPECT_NE(err_.str().find("step 1, residual"), std::string::npos) << err_.str();
  EXPECT_EQ(io::checkpoints_in(root_ + "/a/checkpoints").front().step(), 0);
}

TEST_F(SolveBlast, WarnsOfALargeStep) {
  solve(write("a.toml", blast_case("1", "[scheme]\ncfl = 8\n")), "a");
  EXPECT_NE(err_.str().find("CFL number of 8"), std::string::npos);
}

TEST_F(SolveBlast, RefusesBadCasesAndWritesNothing) {
  const std::string head = "schema = 1\nsolver = \"blast\"\n";
  write("short.raw", "12345678");
  std::ofstream(root_ + "/negative.raw", std::ios::binary) << std::string(5 * 5 * 5 * 5 * 8, '\0');
  const std::vector<BadCase> bad = {
      {"solver = \"blast\"\n", "input.case.schema", "schema = 1"},
      {"schema = 2\nsolver = \"blast\"\n", "input.case.schema", "schema = 1"},
      {head + "[mesh]\npoints = [4, 8, 8]\n", "input.case.value", "mesh.points: 4"},
      {head + "[mesh]\npoints = [8, 8]\n", "input.case.value", "three whole numbers"},
      {head + "[mesh]\npoints = [8, 8, 8.5]\n", "input.case.value", "three whole numbers"},
      {head + "[mesh]\npoints = [4000, 4000, 4000]\n", "input.case.value", "2^31"},
      {head + "[mesh]\ncells = [8, 8, 8]\n", "input.case.key", "cells"},
      {head + "[meshes]\n", "input.case.key", "mesh"},
      {head + "mesh = 3\n", "input.case.value", "a table"},
      {head + "[time]\nsteps = 0\n", "input.case.value", "from 1"},
      {head + "[time]\nsteps = \"ten\"\n", "input.case.value", "whole number"},
      {head + "[time]\nsteps = 99999999999\n", "input.case.value", "2^31"},
      {head + "[scheme]\ncfl = 0\n", "input.case.value", "scheme.cfl: 0; a number above 0"},
      {head + "[scheme]\ncfl = 25\n", "input.case.value", "scheme.cfl: 25; a number above 0 and at most 20"},
      {head + "[scheme]\ncfl = nan\n", "input.case.value", "scheme.cfl: nan"},
      {head + "[scheme]\ntolerance = -1\n", "input.case.value", "scheme.tolerance: -1"},
      {head + "[scheme]\ntheta = 0.3\n", "input.case.value", "scheme.theta: 0.3"},
      {head + "[scheme]\nkappa4 = -0.1\n", "input.case.value", "kappa4"},
      {head + "[gas]\ngamma = 1\n", "input.case.value", "gas.gamma: 1"},
      {head + "[gas]\nreynolds = 0\n", "input.case.value", "gas.reynolds: 0"},
      {head + "[gas]\nprandtl = inf\n", "input.case.value", "prandtl"},
      {head + "[gas]\nviscous = 1\n", "input.case.value", "true or false"},
      {head + "[blast]\npressure = -5\n", "input.case.value", "blast.pressure: -5"},
      {head + "[blast]\nradius = 0.7\n", "input.case.value", "blast.radius: 0.7"},
      {head + "[blast]\nwidth = 0\n", "input.case.value", "blast.width: 0"},
      {head + "[blast]\nstart_file = \"" + root_ + "/none.raw\"\n", "input.case.start", "cannot be read"},
      {head + "[blast]\nstart_file = \"" + root_ + "/short.raw\"\n", "input.case.start", "8 bytes"},
      {head + "[mesh]\npoints = [5, 5, 5]\n[blast]\nstart_file = \"" + root_ + "/negative.raw\"\n", "input.case.start",
       "density is 0"},
      {head + "[output]\nhistory_every = 0\n", "input.case.value", "from 1"},
  };
  // A case that is not a blast is refused by the other solver.
  expect_refused(bad, [&](const std::string& file, const std::string& folder) { solve(file, folder); });
}

}  // namespace
}  // namespace speedwell::cli
