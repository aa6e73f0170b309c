// speedwell solve of binary fluids: what it writes, how it continues, how it fails, and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "solve_fixture.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/io/checkpoint.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::cli {
namespace {

namespace fs = std::filesystem;

class SolveFluid : public SolveFixture {
 protected:
  std::string write_values(const std::string& name, const std::vector<double>& values) {
    std::ofstream(root_ + "/" + name, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * 8));
    return root_ + "/" + name;
  }
  std::vector<double> column(const std::string& folder, std::size_t which) {
    std::istringstream in(read(folder + "/history.csv"));
    std::string line;
    std::getline(in, line);
    std::vector<double> all;
    while (std::getline(in, line)) {
      std::istringstream cells(line);
      std::string cell;
      for (std::size_t n = 0; n <= which; ++n) std::getline(cells, cell, ',');
      all.push_back(std::atof(cell.c_str()));
    }
    return all;
  }
  StopReason solve(const std::string& file, const std::string& folder, bool resume = false,
                   const std::atomic<bool>* stop = nullptr) {
    SolveOptions o;
    o.file = file;
    o.folder = root_ + "/" + folder;
    o.resume = resume;
    o.gpu = SolveOptions::Gpu::never;
    o.stop = stop;
    return run_solve(o, out_, err_);
  }
};

const std::string head = "schema = 1\nsolver = \"binary_fluid\"\n";

std::string spinodal(const std::string& steps, const std::string& more = "") {
  return head + "[lattice]\nsites = [9, 8, 7]\n[time]\nsteps = " + steps +
         "\n[output]\nhistory_every = 2\nfields_every = 4\ncheckpoint_every = 4\n" + more;
}

TEST_F(SolveFluid, WritesHistoriesFieldsAndCheckpoints) {
  EXPECT_EQ(solve(write("a.toml", spinodal("8")), "a"), StopReason::end_reached);
  EXPECT_EQ(column("a", 1), (std::vector<double>{0, 2, 4, 6, 8}));
  const std::vector<double> phi = column("a", 6);
  for (const double total : phi) EXPECT_NEAR(total, phi.front(), 1e-12);
  EXPECT_NE(read("a/flow.pvd").find("fields/fluid-00000008.vti"), std::string::npos);
  EXPECT_NE(read("a/fields/fluid-00000004.vti").find("Name=\"phi\""), std::string::npos);
  EXPECT_EQ(io::checkpoints_in(root_ + "/a/checkpoints").front().step(), 8);
  EXPECT_NE(out_.str().find("8 steps: phi"), std::string::npos);
  EXPECT_NE(err_.str().find("an interface 1.13137 sites wide"), std::string::npos);
}

TEST_F(SolveFluid, ContinuesWithTheSameBits) {
  for (const std::string precision : {"f64", "f32", "mixed"}) {
    const std::string scheme = "[scheme]\nprecision = \"" + precision + "\"\n";
    EXPECT_EQ(solve(write("a.toml", spinodal("12", scheme)), "whole" + precision), StopReason::end_reached);
    EXPECT_EQ(solve(write("b.toml", spinodal("5", scheme)), "parts" + precision), StopReason::end_reached);
    EXPECT_EQ(solve(root_ + "/a.toml", "parts" + precision, true), StopReason::end_reached);
    expect_same_files("whole" + precision, "parts" + precision,
                      {"flow.pvd", "fields/fluid-00000012.vti", "checkpoints/step-000000012/g.raw"});
    EXPECT_EQ(column("whole" + precision, 13).back(), column("parts" + precision, 13).back());
  }
  EXPECT_THROW(solve(write("c.toml", spinodal("14", "[fluid]\nviscosity = 0.2\n")), "partsf64", true), io::InputError);
}

TEST_F(SolveFluid, StopsAtASignalAndContinues) {
  const std::atomic<bool> stop = true;
  EXPECT_EQ(solve(write("a.toml", spinodal("12")), "stopped", false, &stop), StopReason::interrupted);
  EXPECT_EQ(io::checkpoints_in(root_ + "/stopped/checkpoints").front().step(), 2);
  EXPECT_EQ(solve("", "stopped", true), StopReason::end_reached);
  EXPECT_EQ(solve(root_ + "/a.toml", "whole"), StopReason::end_reached);
  expect_same_files("whole", "stopped",
                    {"history.csv", "flow.pvd", "fields/fluid-00000012.vti", "checkpoints/step-000000012/g.raw"});
}

// Phases thirty times too strong: the chemical potential blows up within a few steps.
TEST_F(SolveFluid, KeepsTheLastGoodStateOfAFluidThatBlowsUp) {
  std::vector<double> phi(9 * 8 * 7);
  for (std::size_t n = 0; n < phi.size(); ++n) phi[n] = n % 3 == 0 ? 30 : -15;
  const std::string file = write_values("phi.raw", phi);
  EXPECT_EQ(solve(write("a.toml", spinodal("400", "[start]\nfile = \"" + file + "\"\n")), "a"), StopReason::diverged);
  EXPECT_NE(err_.str().find("the fluid is not finite"), std::string::npos) << err_.str();
  const auto kept = io::checkpoints_in(root_ + "/a/checkpoints").front().step();
  EXPECT_EQ(column("a", 1).back(), static_cast<double>(kept));
  // The step that it names is the first after which something is not finite.
  const std::size_t at = err_.str().find("error: step ");
  const auto failed = std::atoll(err_.str().c_str() + at + 12);
  EXPECT_GT(failed, kept);
  EXPECT_LE(failed, kept + 2);
}

TEST_F(SolveFluid, TakesPhiOrBothDistributionsFromAFile) {
  std::vector<double> phi(9 * 8 * 7), both(38 * phi.size());
  for (std::size_t n = 0; n < phi.size(); ++n)
    phi[n] = both[19 * phi.size() + n] = 0.1 * std::sin(static_cast<double>(n));
  for (const char* name : {"phi", "both"}) {
    const std::string file = write_values(std::string(name) + ".raw", name[0] == 'p' ? phi : both);
    EXPECT_EQ(solve(write("a.toml", spinodal("4", "[start]\nfile = \"" + file + "\"\n")), name),
              StopReason::end_reached);
  }
  expect_same_files("phi", "both", {"history.csv"});
}

// The four cases of the documentation, small: each does what it is about.
TEST_F(SolveFluid, DoesPoiseuilleFlowDropsAndFlatInterfaces) {
  EXPECT_EQ(solve(write("p.toml", head + "[lattice]\nsites = [1, 1, 8]\n[walls]\naxes = \"z\"\n[fluid]\n"
                                         "viscosity = 0.125\nforce = [1e-6, 0, 0]\n[start]\nkind = \"rest\"\n"
                                         "[time]\nsteps = 4000\n"),
                  "p"),
            StopReason::end_reached);
  EXPECT_NEAR(column("p", 12).back(), 1e-6 / 0.25 * 3.5 * 4.5, 1e-13);  // at the sites next to the middle
  EXPECT_EQ(solve(write("d.toml", head + "[lattice]\nsites = [32, 32, 1]\n[start]\nkind = \"droplet\"\nradius = 8\n"
                                         "[time]\nsteps = 200\n"),
                  "d"),
            StopReason::end_reached);
  EXPECT_NEAR(column("d", 14).back(), 2 * 3.14159 * 8, 4);  // what its edge is long
  EXPECT_EQ(solve(write("f.toml", head + "[lattice]\nsites = [64, 4, 4]\n[start]\nkind = \"flat\"\naxis = \"x\"\n"
                                         "[time]\nsteps = 200\n"),
                  "f"),
            StopReason::end_reached);
  EXPECT_NEAR(column("f", 14).back(), 2 * 16, 1.5);
}

TEST_F(SolveFluid, RefusesBadCasesAndWritesNothing) {
  write_values("short.raw", {1});
  write_values("nan.raw", std::vector<double>(27, NAN));
  const std::string small = "[lattice]\nsites = [3, 3, 3]\n";
  const std::vector<BadCase> bad = {
      {"solver = \"binary_fluid\"\n", "input.case.schema", "schema = 1"},
      {"schema = 3\nsolver = \"binary_fluid\"\n", "input.case.schema", "schema = 1"},
      {head + "[lattice]\nsites = [2, 8, 8]\n", "input.case.value", "nx is 2"},
      {head + "[lattice]\nsites = [8, 0, 8]\n", "input.case.value", "lattice.sites: 0"},
      {head + "[lattice]\nsites = [8, 8]\n", "input.case.value", "three"},
      {head + "[lattice]\nsites = [8, 8, 8.5]\n", "input.case.value", "three"},
      {head + "[lattice]\nsites = [4000, 4000, 4000]\n", "input.case.value", "2^31"},
      {head + "[latice]\n", "input.case.key", "lattice"},
      {head + "lattice = 3\n", "input.case.value", "table"},
      {head + "[fluid]\nviscosty = 0.1\n", "input.case.key", "viscosity"},
      {head + "[fluid]\nviscosity = 0\n", "input.case.value", "fluid.viscosity: 0"},
      {head + "[fluid]\nviscosity = -0.1\n", "input.case.value", "fluid.viscosity: -0.1; a number above 0"},
      {head + "[fluid]\nviscosity = \"0.1 Pa s\"\n", "input.case.value", "viscosity"},
      {head + "[fluid]\nviscosity = nan\n", "input.case.value", "viscosity"},
      {head + "[fluid]\nmobility = 0\n", "input.case.value", "fluid.mobility: 0"},
      {head + "[fluid]\nb = -1\n", "input.case.value", "fluid.b: -1"},
      {head + "[fluid]\nkappa = 0\n", "input.case.value", "fluid.kappa: 0"},
      {head + "[fluid]\nkappa = 0.001\n", "input.case.value", "width"},
      {head + "[fluid]\nc = 1\n", "input.case.value", "fluid.c: 1"},
      {head + "[fluid]\nenergy = \"brazovskii\"\n", "input.case.value", "fluid.c: 0"},
      {head + "[fluid]\nenergy = \"landau\"\n", "input.case.value", "energy"},
      {head + "[fluid]\nforce = [1, 0, 0]\n", "input.case.value", "force is 1"},
      {head + "[fluid]\nforce = 0.1\n", "input.case.value", "array of three numbers"},
      {head + "[fluid]\nbulk_viscosity = -1\n", "input.case.value", "fluid.bulk_viscosity: -1"},
      {head + "[walls]\naxes = \"w\"\n", "input.case.value", "axes"},
      {head + "[walls]\nz_low_velocity = [0.1, 0, 0]\n", "input.case.value", "on a periodic axis"},
      {head + "[walls]\naxes = \"z\"\nz_low_velocity = [0, 0, 0.1]\n", "input.case.value", "along its normal"},
      {head + "[walls]\naxes = \"z\"\nz_low_velocity = [0.4, 0, 0]\n", "input.case.value", "speed of a wall is 0.4"},
      {head + "[scheme]\nstencil = 19\n", "input.case.value", "7 or 27"},
      {head + "[scheme]\ncollision = \"srt\"\n", "input.case.value", "collision"},
      {head + "[scheme]\nprecision = \"f16\"\n", "input.case.value", "precision"},
      {head + "[scheme]\ncollision = \"bgk\"\n[fluid]\nbulk_viscosity = 1\n", "input.case.value",
       "bulk_viscosity is 1"},
      {head + "[start]\nkind = \"drop\"\n", "input.case.value", "kind"},
      {head + "[start]\nkind = \"droplet\"\nradius = 40\n", "input.case.value", "half the box"},
      {head + "[start]\nkind = \"droplet\"\nradius = -1\n", "input.case.value", "start.radius: -1"},
      {head + "[start]\nkind = \"flat\"\n[fluid]\na = 0.1\n", "input.case.value", "a below 0"},
      {head + "[start]\nstirring = 0.3\n", "input.case.value", "start.stirring: 0.3"},
      {head + "[start]\naxis = \"t\"\n", "input.case.value", "axis"},
      {head + "[start]\nseed = -1\n", "input.case.value", "seed"},
      {head + "[start]\nfile = \"" + root_ + "/none.raw\"\n", "input.case.start", "cannot be read"},
      {head + "[start]\nfile = \"" + root_ + "/short.raw\"\n", "input.case.start", "8 bytes"},
      {head + small + "[start]\nfile = \"" + root_ + "/nan.raw\"\n", "input.case.start", "not finite"},
      {head + "[time]\nsteps = 0\n", "input.case.value", "from 1"},
      {head + "[time]\nsteps = 1.5\n", "input.case.value", "whole number"},
      {head + "[output]\nhistory_every = 0\n", "input.case.value", "from 1"},
  };
  expect_refused(bad, [&](const std::string& file, const std::string& folder) { solve(file, folder); });
}

}  // namespace
}  // namespace speedwell::cli
