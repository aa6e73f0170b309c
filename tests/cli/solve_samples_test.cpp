// Probes, lines, slices and the end of a steady flow: against exact flows, and through a resume.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "solve_fixture.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::cli {
namespace {

namespace fs = std::filesystem;

class SolveSamples : public SolveFixture {
 protected:
  SolveOptions options(const std::string& text, const std::string& folder) {
    SolveOptions o;
    o.file = write("case.toml", text);
    o.folder = root_ + "/" + folder;
    o.gpu = SolveOptions::Gpu::never;
    return o;
  }
  StopReason run(const SolveOptions& o) {
    out_.str("");
    err_.str("");
    return run_solve(o, out_, err_);
  }
  // Rows of numbers below the header.
  std::vector<std::vector<double>> table(const std::string& path) const {
    std::istringstream in(read(path));
    std::vector<std::vector<double>> rows;
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
      std::istringstream cells(line);
      rows.emplace_back();
      for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::atof(cell.c_str()));
    }
    return rows;
  }
  std::vector<std::string> names(const std::string& folder) const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(root_ + "/" + folder)) all.push_back(entry.path().filename());
    std::sort(all.begin(), all.end());
    return all;
  }
};

constexpr int cells = 16;
const std::string poiseuille =
    "schema = 1\n[mesh]\ncells = [1, 16, 1]\n[edges]\ny = \"wall\"\n[fluid]\nviscosity = 0.5\nacceleration = [1, 0, "
    "0]\n"
    "[time]\nend = 100\nlargest_step = 0.002\nsteady = 1e-6\n[output]\nhistory_every = 1\n"
    "lines = [[0.5, 0.03125, 0.5, 0.5, 0.96875, 0.5], [0.5, 0, 0.5, 0.5, 1, 0.5]]\nlines_points = 16\n"
    "slices_x = [0.5]\n";

// Plane Poiseuille flow: the second difference of the parabola g y (1 - y) / (2 nu) is exact, and walls half a cell
// away add g h^2 / (8 nu) to it everywhere. Of the way there, the slowest mode is what is left: sin(pi y) decays at the
// rate r = nu 4 / h^2 sin^2(pi h / 2), so that max |du/dt| = r |u - steady|, which steady = 1e-6 makes 1e-6 max |u| /
// r.
TEST_F(SolveSamples, PoiseuilleFlowBecomesSteadyAndItsLineIsTheParabola) {
  EXPECT_EQ(run(options(poiseuille, "a")), StopReason::end_reached);
  EXPECT_NE(out_.str().find("steady: max |du/dt| is"), std::string::npos) << out_.str();
  const double nu = 0.5, h = 1.0 / cells, pi = std::numbers::pi,
               rate = nu * 4 / h / h * std::pow(std::sin(pi * h / 2), 2);
  const auto files = names("a/lines");
  ASSERT_EQ(files.size(), 2u);
  const auto rows = table("a/lines/" + files[0]);
  ASSERT_EQ(rows.size(), 16u);
  const double largest = 1 / (8 * nu), tolerance = 1e-6 * largest / rate;
  for (const auto& row : rows) {
    const double y = row[2], exact = (y * (1 - y) + h * h / 4) / (2 * nu);
    EXPECT_NEAR(row[4], exact, 1.01 * tolerance) << y;
    EXPECT_GT(exact - row[4], 0) << y;  // it comes from below
    EXPECT_EQ(row[5], 0);
  }
  // At walls the flow is at rest.
  const auto whole = table("a/lines/" + files[1]);
  EXPECT_EQ(whole.front()[4], 0);
  EXPECT_EQ(whole.back()[4], 0);
  // The first mode of a parabola that is not there yet is 32 / pi^3 of its height (8 / pi^3 g / (2 nu) …): when the run
  // ends follows. Discrete modes differ from that by some h^2.
  const double time = rows[0][0], expected = std::log(32 / std::pow(pi, 3) * rate / 1e-6) / rate;
  EXPECT_NEAR(time, expected, 0.01 * expected);
  const auto history = table("a/history.csv");
  EXPECT_DOUBLE_EQ(history.back()[0], time);
  // A run that continues finds the same.
  SolveOptions more = options(poiseuille, "a");
  more.resume = true;
  EXPECT_EQ(run(more), StopReason::end_reached);
  EXPECT_NE(out_.str().find("steady:"), std::string::npos) << out_.str();
}

TEST_F(SolveSamples, AFlowThatIsNotSteadyRunsToItsEnd) {
  std::string text = poiseuille;
  text.replace(text.find("end = 100"), 9, "end = 0.1");
  EXPECT_EQ(run(options(text, "a")), StopReason::end_reached);
  EXPECT_EQ(out_.str().find("steady"), std::string::npos) << out_.str();
  EXPECT_DOUBLE_EQ(table("a/history.csv").back()[0], 0.1);
}

std::string taylor_green(const std::string& end, int n = 32) {
  const std::string size = std::to_string(n);
  return "schema = 1\n[mesh]\ncells = [" + size + ", " + size +
         ", 1]\nsize = [6.283185307179586, 6.283185307179586, 1]\n[fluid]\nviscosity = 0.1\n[start]\n"
         "flow = \"taylor-green-2d\"\n[time]\nlargest_step = 0.02\nend = " +
         end +
         "\n[output]\nhistory_every = 0.1\ncheckpoint_every = 0.2\nprobes = [[1, 0.5, 0.3], [3.1, 6.2, 0.5]]\n"
         "probes_every = 0.1\nlines = [[0, 1, 0.5, 6.283185307179586, 1, 0.5]]\nlines_every = 0.2\nlines_at = [0.3]\n"
         "slices_z = [0.25]\nslices_y = [1.0]\nslices_every = 0.4\n";
}

// Taylor and Green's vortices, (sin x cos y, -cos x sin y), decay by exp(-2 nu t): linear interpolation is off by h^2 /
// 8 for each of two axes; the mesh's slower decay, 2 nu t h^2 / 12, adds less than a tenth of that here. On the finest
// mesh one order less would be off by 20 times as much.
TEST_F(SolveSamples, ProbesOfTaylorGreenVorticesAreExactToSecondOrder) {
  for (const int n : {16, 32, 64}) {
    const std::string folder = "n" + std::to_string(n);
    EXPECT_EQ(run(options(taylor_green("0.8", n), folder)), StopReason::end_reached);
    const auto rows = table(folder + "/probes.csv");
    ASSERT_EQ(rows.size(), 9u);
    const double h = 2 * std::numbers::pi / n;
    double largest = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      ASSERT_EQ(rows[r].size(), 10u);
      const double t = rows[r][0], decay = std::exp(-0.2 * t);
      EXPECT_NEAR(t, 0.1 * static_cast<double>(r), 1e-12);
      const double points[2][2] = {{1, 0.5}, {3.1, 6.2}};
      for (std::size_t q = 0; q < 2; ++q) {
        const double x = points[q][0], y = points[q][1];
        largest = std::max({largest, std::abs(rows[r][2 + 4 * q] - std::sin(x) * std::cos(y) * decay),
                            std::abs(rows[r][3 + 4 * q] + std::cos(x) * std::sin(y) * decay)});
        EXPECT_EQ(rows[r][4 + 4 * q], 0);
      }
    }
    EXPECT_LE(largest, 1.1 * h * h / 4) << n;
  }
}

TEST_F(SolveSamples, AResumedRunHasTheFilesOfOneThatWasNotInterrupted) {
  EXPECT_EQ(run(options(taylor_green("0.8"), "whole")), StopReason::end_reached);
  EXPECT_EQ(run(options(taylor_green("0.4"), "part")), StopReason::end_reached);
  std::map<std::string, std::string> old;
  for (const char* folder : {"part/lines", "part/slices"})
    for (const std::string& name : names(folder))
      old[std::string(folder) + "/" + name] = read(std::string(folder) + "/" + name);
  EXPECT_EQ(old.size(), 4u + 4u);  // a line at 0, 0.2, 0.3, 0.4; two planes at 0 and 0.4
  SolveOptions more = options(taylor_green("0.8"), "part");
  more.resume = true;
  EXPECT_EQ(run(more), StopReason::end_reached);
  for (const auto& [name, bytes] : old) EXPECT_EQ(read(name), bytes) << name;
  for (const char* folder : {"/lines", "/slices"}) {
    const auto all = names(std::string("whole") + folder);
    EXPECT_EQ(all, names(std::string("part") + folder));
    EXPECT_FALSE(all.empty()) << folder;
    expect_same_files(std::string("whole") + folder, std::string("part") + folder, all);
  }
  expect_same_files("whole", "part", {"probes.csv", "history.csv", "slice-z-1.pvd", "slice-y-1.pvd"});
}

// The first float of a slice's velocity, against the vortices.
TEST_F(SolveSamples, ASliceIsAVtkFileOfItsPlane) {
  EXPECT_EQ(run(options(taylor_green("0.1"), "a")), StopReason::end_reached);
  const auto files = names("a/slices");
  ASSERT_EQ(files.size(), 4u);
  const std::string across_y = read("a/slices/" + files.front());
  EXPECT_NE(across_y.find("WholeExtent=\"0 32 0 1 0 1\""), std::string::npos) << across_y.substr(0, 400);
  const double h = 2 * std::numbers::pi / 32;
  const std::size_t data = across_y.find("\n_") + 2 + sizeof(std::uint64_t);
  std::vector<float> velocity(3 * 32);
  std::memcpy(velocity.data(), across_y.data() + data, velocity.size() * sizeof(float));
  for (int i = 0; i < 32; ++i) {
    const double x = (i + 0.5) * h;
    EXPECT_NEAR(velocity[3 * static_cast<std::size_t>(i)], std::sin(x) * std::cos(1.0), h * h / 4) << i;
    EXPECT_NEAR(velocity[3 * static_cast<std::size_t>(i) + 1], -std::cos(x) * std::sin(1.0), h * h / 4) << i;
  }
}

TEST_F(SolveSamples, OtherProbesAreAnotherCase) {
  EXPECT_EQ(run(options(taylor_green("0.2"), "a")), StopReason::end_reached);
  std::string other = taylor_green("0.4");
  other.replace(other.find("[[1, 0.5, 0.3]"), 14, "[[1, 0.6, 0.3]");
  SolveOptions more = options(other, "a");
  more.resume = true;
  expect_input_error([&] { run(more); }, "input.checkpoint.case", "output.probes");
}

TEST_F(SolveSamples, ACaseThatDoesNotFitIsRefusedBeforeAnythingIsWritten) {
  for (const std::string& text : {taylor_green("0.2"), std::string("schema = 1\nsolver = \"blast_wave\"\n"),
                                  std::string("schema = 1\nsolver = \"binary_fluid\"\n")})
    for (const bool dry : {false, true}) {
      SolveOptions o = options(text, "a");
      o.available_bytes = 1000;
      o.dry_run = dry;
      try {
        run(o);
        ADD_FAILURE() << text;
      } catch (const core::Unavailable& e) {
        EXPECT_NE(std::string(e.what()).find("1000 B available"), std::string::npos) << e.what();
      }
      EXPECT_FALSE(fs::exists(o.folder));
      EXPECT_EQ(out_.str().find("memory:") != std::string::npos, dry) << out_.str();
    }
}

TEST_F(SolveSamples, AStopSaysHowToContinue) {
  SolveOptions o = options(taylor_green("0.2"), "a b");
  o.time_limit = 0;
  EXPECT_EQ(run(o), StopReason::time_limit);
  EXPECT_NE(err_.str().find("saved after step 1; continue with: speedwell solve --resume --output '" + o.folder + "'"),
            std::string::npos)
      << err_.str();
  EXPECT_EQ(run(options(taylor_green("0.2"), "b")), StopReason::end_reached);
  EXPECT_EQ(err_.str().find("continue with"), std::string::npos) << err_.str();
}

TEST_F(SolveSamples, AFlowWithoutViscosityIsNoted) {
  std::string text = taylor_green("0.2");
  EXPECT_EQ(run(options(text, "a")), StopReason::end_reached);
  EXPECT_EQ(err_.str().find("viscosity"), std::string::npos) << err_.str();
  text.replace(text.find("viscosity = 0.1"), 15, "");
  EXPECT_EQ(run(options(text, "b")), StopReason::end_reached);
  EXPECT_NE(err_.str().find("note: fluid.viscosity is 0"), std::string::npos) << err_.str();
}

}  // namespace
}  // namespace speedwell::cli
