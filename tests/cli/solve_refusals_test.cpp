// Case files that speedwell solve refuses: the message, the position, and that nothing has been written.
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "solve_fixture.hpp"
#include "speedwell/cli/solve.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::cli {
namespace {

namespace fs = std::filesystem;

struct Bad {
  const char* name;
  const char* change;                   // what is put in place of …
  const char* instead;                  // … this line of the good case (or at its end, if empty)
  std::size_t line;                     // 0: of the file as a whole
  const char* words;                    // in the message
  const char* id = "input.case.value";  // of nearly all
};

constexpr const char* good =
    "schema = 1\n"            // 1
    "[mesh]\n"                // 2
    "cells = [16, 16, 16]\n"  // 3
    "size = [24, 24, 24]\n"   // 4
    "[fluid]\n"               // 5
    "viscosity = 0.5\n"       // 6
    "[cubes]\n"               // 7
    "count = 3\n"             // 8
    "edge = 4\n"              // 9
    "[stirring]\n"            // 10
    "interval = 0.06\n"       // 11
    "stop = 0.2\n"            // 12
    "remove = 0.4\n"          // 13
    "[strain]\n"              // 14
    "rate = 1.5\n"            // 15
    "begin = 0.5\n"           // 16
    "[time]\n"                // 17
    "end = 0.6\n"             // 18
    "[output]\n"              // 19
    "history_every = 0.1\n";  // 20

const std::vector<Bad> bad_cases = {
    {"empty", nullptr, nullptr, 1, "schema = 1", "input.case.schema"},
    {"schema of the future", "schema = 2", "schema = 1", 1, "schema = 1", "input.case.schema"},
    {"not TOML", "cells = [16, 16, 16", "cells = [16, 16, 16]", 4, "is no number", "input.case.syntax"},
    {"unclosed text", "cells = \"16", "cells = [16, 16, 16]", 3, "does not end on its line", "input.case.syntax"},
    {"key twice", "size = [1, 1, 1]\nsize = [24, 24, 24]", "size = [24, 24, 24]", 5, "cannot redefine",
     "input.case.syntax"},
    {"unknown table", "[meshes]", "[mesh]", 0, "[mesh]"},
    {"unknown table beside the others", "[cube]", "[cubes]", 7, "the nearest is 'cubes'", "input.case.key"},
    {"spectrum of one point", "[start]\nspectrum = [[1, 2]]\n[cubes]", "[cubes]", 8, "at least 2"},
    {"spectrum that falls back", "[start]\nspectrum = [[2, 2], [1, 2]]\n[cubes]", "[cubes]", 8, "have to increase"},
    {"spectrum beside cubes", "[start]\nspectrum = [[1, 2], [2, 1]]\n[cubes]", "[cubes]", 8, "without cubes"},
    {"spectrum beside noise", "[start]\nspectrum = [[1, 2], [2, 1]]\nnoise = 1\n[cubes]", "[cubes]", 9,
     "random by itself"},
    {"spectrum and another flow", "[start]\nspectrum = [[1, 2], [2, 1]]\nflow = \"taylor-green\"\n[cubes]", "[cubes]",
     8, "one of them"},
    {"skewness of no spectrum", "[start]\nskewness = -0.4\n[cubes]", "[cubes]", 8, "no start.spectrum"},
    {"skewness above 0", "[start]\nspectrum = [[1, 2], [2, 1]]\nskewness = 0.4\n[cubes]", "[cubes]", 9, "0.4"},
    {"no developments", "[start]\nspectrum = [[1, 2], [2, 1]]\ndevelopments = 0\n[cubes]", "[cubes]", 9, "0"},
    {"channel without walls", "[start]\nflow = \"channel\"\n[cubes]", "[cubes]", 8, "walls along y"},
    {"misspelt key", "viscosty = 0.5", "viscosity = 0.5", 6, "viscosity", "input.case.key"},
    {"unknown key at the top", "schema = 1\nprecission = \"f32\"", "schema = 1", 2, "precision", "input.case.key"},
    {"table that is a number", "fluid = 3\n[cubes]", "[cubes]", 7, "unknown key 'fluid'", "input.case.key"},
    {"unknown precision", "schema = 1\nprecision = \"f16\"", "schema = 1", 2, "f16"},
    {"two numbers for three", "cells = [16, 16]", "cells = [16, 16, 16]", 3, "2 numbers; an array of three"},
    {"half a cell", "cells = [16, 16.5, 16]", "cells = [16, 16, 16]", 3, "16.5"},
    {"no cells", "cells = [16, 0, 16]", "cells = [16, 16, 16]", 3, "mesh.cells: 0"},
    {"cells below 0", "cells = [-4, 16, 16]", "cells = [16, 16, 16]", 3, "mesh.cells: -4"},
    {"far too many cells", "cells = [65537, 1, 1]", "cells = [16, 16, 16]", 3, "65536"},
    {"more cells than can be counted", "cells = [65536, 65536, 65536]", "cells = [16, 16, 16]", 3, "2^40"},
    {"box without an edge", "size = [24, 0, 24]", "size = [24, 24, 24]", 4, "mesh.size: 0"},
    {"size that is no number", "size = [24, nan, 24]", "size = [24, 24, 24]", 4, "mesh.size: nan"},
    {"faces that go back", "y_faces = [0, 2, 1, 3]\nsize = [24, 24, 24]", "size = [24, 24, 24]", 4, "1 is not above 2"},
    {"one face", "y_faces = [0]\nsize = [24, 24, 24]", "size = [24, 24, 24]", 4, "1 faces"},
    {"faces of words", "y_faces = [\"a\"]\nsize = [24, 24, 24]", "size = [24, 24, 24]", 4, "array of finite numbers"},
    {"unknown spacing", "y_spacing = \"tanh\"\nsize = [24, 24, 24]", "size = [24, 24, 24]", 4, "tanh"},
    {"stretching without end", "y_spacing = \"two-sided\"\ny_stretching = 99\nsize = [24, 24, 24]",
     "size = [24, 24, 24]", 5, "y_stretching: 99"},
    {"periodic on one side", "[edges]\ny_low = \"wall\"\n[fluid]", "[fluid]", 6, "periodic"},
    {"unknown edge", "[edges]\ny = \"inflow\"\n[fluid]", "[fluid]", 6, "inflow"},
    {"wall that moves through itself", "[edges]\ny = \"wall\"\ny_high_velocity = [0, 1, 0]\n[fluid]", "[fluid]", 7,
     "along themselves"},
    {"cubes between walls", "[edges]\ny = \"wall\"\n[fluid]", "[fluid]", 10, "periodic along every axis"},
    {"viscosity below 0", "viscosity = -0.5", "viscosity = 0.5", 6, "viscosity: -0.5"},
    {"viscosity without end", "viscosity = inf", "viscosity = 0.5", 6, "viscosity: inf"},
    {"viscosity in words", "viscosity = \"low\"", "viscosity = 0.5", 6, "a number at least 0 is required"},
    {"bulk velocity around cubes", "bulk_velocity_x = 1\nviscosity = 0.5", "viscosity = 0.5", 9, "bulk velocity"},
    {"count below 0", "count = -3", "count = 3", 8, "cubes.count: -3"},
    {"part of a cube", "count = 2.5", "count = 3", 8, "whole number"},
    {"cube larger than the box", "edge = 17", "edge = 4", 8, "17 cells in a box of 16"},
    {"cubes without end", "count = 2147483647", "count = 3", 8, "at most 4096 are allowed"},
    {"viscosity without a step", "viscosity = 1e308", "viscosity = 0.5", 6, "fluid.viscosity: 1e+308"},
    {"viscosity with tiny steps", "viscosity = 1e12", "viscosity = 0.5", 6, "more than 10^9"},
    {"no fluid", "edge = 16", "edge = 4", 8, "no cell has fluid"},
    {"interval of 0", "interval = 0", "interval = 0.06", 11, "above 0"},
    {"removal before the end", "remove = 0.1", "remove = 0.4", 13, "above 0.2"},
    {"strain of 0", "rate = 0", "rate = 1.5", 15, "above 0"},
    {"strain among cubes", "begin = 0.3", "begin = 0.5", 16, "at least 0.4"},
    {"strain along one axis", "compressed = \"x\"\nrate = 1.5", "rate = 1.5", 15, "stretched"},
    {"too much strain", "rate = 31", "rate = 1.5", 15, "at most 3"},
    {"no end", "", "end = 0.6", 17, "above 0"},
    {"end in the past", "end = -1", "end = 0.6", 18, "above 0"},
    {"CFL beyond the scheme", "end = 0.6\ncfl = 1.8", "end = 0.6", 19, "time.cfl: 1.8"},
    {"CFL beyond the other scheme", "end = 0.6\nscheme = \"s3\"\ncfl = 2", "end = 0.6", 20, "time.cfl: 2"},
    {"unknown scheme", "end = 0.6\nscheme = \"rk4\"", "end = 0.6", 19, "rk4"},
    {"tolerance below rounding", "end = 0.6\n[pressure]\ntolerance = 1e-16", "end = 0.6", 20,
     "pressure.tolerance: 1e-16"},
    {"direct solver among solids", "end = 0.6\n[pressure]\nsolver = \"direct\"", "end = 0.6", 20,
     "does not support solids"},
    {"implicit diffusion on a moving mesh", "end = 0.6\ndiffusion = \"trapezoidal\"", "end = 0.6", 19,
     "explicit diffusion"},
    {"history in the past", "history_every = -0.1", "history_every = 0.1", 20, "at least 0"},
    {"profiles without walls", "profiles_every = 0.1", "history_every = 0.1", 20, "between two walls"},
};

std::string changed(const Bad& bad) {
  if (!bad.change) return "";
  std::string text = good;
  const std::string instead = bad.instead;
  const std::size_t at = text.find(instead);
  if (at == std::string::npos) throw std::logic_error(std::string("no line ") + bad.instead);
  return text.replace(at, instead.size(), bad.change);
}

using SolveRefusals = SolveFixture;

TEST_F(SolveRefusals, EveryBadCaseIsOneLineAtItsPlaceAndWritesNothing) {
  const auto solve = [&](const std::string& text) {
    SolveOptions options;
    options.file = write("case.toml", text);
    options.folder = root_ + "/run";
    options.quiet = true;
    return run_solve(options, out_, err_);
  };
  for (const Bad& bad : bad_cases) {
    try {
      solve(changed(bad));
      ADD_FAILURE() << bad.name << ": was taken";
      fs::remove_all(root_ + "/run");
    } catch (const io::InputError& e) {
      EXPECT_EQ(e.id(), bad.id) << bad.name << ": " << e.what();
      EXPECT_EQ(e.line(), bad.line) << bad.name << ": " << e.what();
      const std::string what = e.what();
      EXPECT_NE(what.find(bad.words), std::string::npos) << bad.name << ": " << what;
      EXPECT_EQ(what.find('\n'), std::string::npos) << bad.name << ": " << what;
    }
    EXPECT_FALSE(fs::exists(root_ + "/run")) << bad.name;
  }
  EXPECT_EQ(solve(good), StopReason::end_reached);  // the table changes a case that works
}

}  // namespace
}  // namespace speedwell::cli
