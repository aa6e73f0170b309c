// Every key of every solver's case with a value of another type, an unknown word, and values out of range: what refuses
// it names the key, its place, and what is allowed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "solve_fixture.hpp"
#include "speedwell/apps/binary_fluid/case_file.hpp"
#include "speedwell/apps/blast_wave/case_file.hpp"
#include "speedwell/apps/incompressible_flow/cases/case_file.hpp"
#include "speedwell/cli/solve.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::cli {
namespace {

enum class Kind { number, whole, flag, text, word, numbers };

struct Key {
  std::string name;   // "table.key", or "key" of the file itself
  std::string value;  // a good one
  Kind kind;
  std::vector<std::string> bad;      // of the right type
  std::vector<std::string> allowed;  // in the message about each of them; of a word also about another type
};

struct Solver {
  std::string name;
  std::vector<Key> keys;
  std::map<std::string, std::string> (*settings)(const std::string& text);
};

const std::vector<std::string> spacings = {"\"uniform\"", "\"two-sided\"", "\"one-sided\"", "\"wavy\""},
                               edges = {"\"periodic\"", "\"wall\"", "\"slip\""}, axes = {"\"x\"", "\"y\"", "\"z\""};
const std::vector<std::string> no_number = {"nan", "inf", "-inf"};

std::vector<std::string> and_no_number(std::vector<std::string> bad) {
  bad.insert(bad.end(), no_number.begin(), no_number.end());
  return bad;
}

Key above_zero(const std::string& name, const std::string& value) {
  return {name, value, Kind::number, and_no_number({"0", "-1", "-1e308"}), {"above 0"}};
}
Key from_zero(const std::string& name, const std::string& value) {
  return {name, value, Kind::number, and_no_number({"-1e-300", "-1"}), {"at least 0"}};
}
Key finite(const std::string& name, const std::string& value) {
  return {name, value, Kind::number, no_number, {"finite"}};
}
Key from(int least, const std::string& name, const std::string& value) {
  return {name,
          value,
          Kind::whole,
          {std::to_string(least - 1), "2147483648", "-9223372036854775808", "9223372036854775807"},
          {"from " + std::to_string(least) + " to 2^31 - 1"}};
}
Key vector(const std::string& name, const std::string& value = "[0, 0, 0]") {
  return {name,
          value,
          Kind::numbers,
          {"[0, 0]", "[0, 0, 0, 0]", "[]", "[0, nan, 0]", "[inf, 0, 0]"},
          {"three numbers", "finite"}};
}
Key counts(const std::string& name, const std::string& value, const std::string& least, const std::string& most) {
  return {name,
          value,
          Kind::numbers,
          {"[8, 8]", "[8, 8, 8.5]", "[8, 0, 8]", "[8, 8, 2147483648]", "[-8, 8, 8]"},
          {"three", least, most}};
}
Key word(const std::string& name, const std::string& value, const std::vector<std::string>& words) {
  return {name, value, Kind::word, {"\"\"", "\"foo\"", "\"\\u001b\""}, words};
}

const std::vector<Key> flow_keys = [] {
  std::vector<Key> keys = {
      word("solver", "\"incompressible_flow\"", {"\"incompressible_flow\"", "\"binary_fluid\"", "\"blast_wave\""}),
      word("precision", "\"f64\"", {"\"f64\"", "\"f32\""}),
      {"mesh.cells",
       "[16, 16, 16]",
       Kind::numbers,
       {"[8, 8]", "[8, 8, 8.5]", "[8, 0, 8]", "[8, 8, 65537]", "[-8, 8, 8]", "[8, nan, 8]"},
       {"from 1 to 65536"}},
      {"mesh.size",
       "[24, 24, 24]",
       Kind::numbers,
       {"[1, 0, 1]", "[1, 1]", "[1, 1, -1]", "[inf, 1, 1]", "[1, nan, 1]"},
       {"three numbers", "above 0"}},
  };
  for (const std::string axis : {"x", "y", "z"}) {
    keys.push_back(word("mesh." + axis + "_spacing", "\"uniform\"", spacings));
    keys.push_back(finite("mesh." + axis + "_stretching", "2"));
    keys.push_back(word("edges." + axis, "\"periodic\"", edges));
    for (const char* side : {"_low", "_high"}) {
      keys.push_back(word("edges." + axis + side, "\"periodic\"", edges));
      keys.push_back(vector("edges." + axis + side + "_velocity"));
    }
  }
  for (const Key& key : {
           from_zero("fluid.viscosity", "0.5"),
           vector("fluid.acceleration"),
           word("start.flow", "\"rest\"", {"\"rest\"", "\"taylor-green\"", "\"taylor-green-2d\"", "\"channel\""}),
           from_zero("start.noise", "0"),
           Key{"start.seed", "1", Kind::whole, {}, {}},
           Key{"start.spectrum", "[]", Kind::numbers, {"[[1]]", "[[1, 2, 3]]", "[[1, nan]]"}, {"required"}},
           Key{"start.skewness", "0", Kind::number, and_no_number({"0.1", "-1.5"}), {"-1 to 0"}},
           from(1, "start.developments", "2"),
           from(0, "cubes.count", "3"),
           from(1, "cubes.edge", "4"),
           Key{"cubes.seed", "1", Kind::whole, {}, {}},
           word("cubes.link", "\"full\"", {"\"full\"", "\"by-area\""}),
           above_zero("time.end", "0.6"),
           Key{"time.cfl",
               "0.9",
               Kind::number,
               and_no_number({"0", "-1", "1.7320508075688773", "9"}),
               {"above 0", "below 1.73205"}},
           Key{"time.largest_step", "0", Kind::number, and_no_number({"-1", "1e-300", "5e-324"}), {"at least"}},
           word("time.scheme", "\"w3\"", {"\"w3\"", "\"s3\""}),
           word("time.diffusion", "\"explicit\"", {"\"explicit\"", "\"trapezoidal\""}),
           word("pressure.solver", "\"auto\"", {"\"auto\"", "\"direct\"", "\"cg\""}),
           Key{"pressure.tolerance",
               "1e-8",
               Kind::number,
               and_no_number({"1e-16", "1", "-1e-8"}),
               {"from 1e-15", "below 1, or 0"}},
           from_zero("output.profiles_from", "0"),
           from_zero("output.decay_from", "0"),
           Key{"output.fields_at",
               "[0.1, 0.2]",
               Kind::numbers,
               {"[0.2, 0.1]", "[0.1, 0.1]", "[nan]", "[0, 1]", "[-1, 1]"},
               {"required"}},
           from_zero("stirring.acceleration", "80"),
           above_zero("stirring.interval", "0.06"),
           above_zero("stirring.stop", "0.2"),
           Key{"stirring.remove", "0.4", Kind::number, and_no_number({"0.2", "-1"}), {"above 0.2"}},
           Key{"stirring.seed", "1", Kind::whole, {}, {}},
           above_zero("strain.rate", "1.5"),
           word("strain.stretched", "\"x\"", axes),
           word("strain.compressed", "\"y\"", axes),
           Key{"strain.begin", "0.5", Kind::number, and_no_number({"0.3", "-1"}), {"at least 0.4"}},
           Key{"strain.end", "0.6", Kind::number, and_no_number({"0.5", "-1"}), {"above 0.5"}},
       })
    keys.push_back(key);
  keys.push_back(from_zero("time.steady", "0"));
  const std::vector<std::string> no_rows = {"[[0, 0]]", "[[0, 0, nan]]", "[[0, 0, 0, 0]]", "[[0, 0, 25]]",
                                            "[[-1, 0, 0]]"};
  keys.push_back({"output.probes", "[[1, 2, 3]]", Kind::numbers, no_rows, {"required"}});
  keys.push_back({"output.lines",
                  "[[1, 2, 3, 3, 2, 1]]",
                  Kind::numbers,
                  {"[[0, 0, 0]]", "[[0, 0, 0, 0, 0, inf]]", "[[0, 0, 0, 0, 25, 0]]"},
                  {"required"}});
  keys.push_back({"output.lines_points", "5", Kind::whole, {"1", "-1", "1000001", "2147483648"}, {"required"}});
  for (const char* name : {"slices_x", "slices_y", "slices_z"})
    keys.push_back({std::string("output.") + name,
                    "[0, 12, 24]",
                    Kind::numbers,
                    {"[2, 1]", "[1, 1]", "[nan]", "[24.5]", "[-1]"},
                    {"required"}});
  for (const char* name : {"lines_at", "slices_at"})
    keys.push_back({std::string("output.") + name,
                    "[0.1, 0.2]",
                    Kind::numbers,
                    {"[0.2, 0.1]", "[0.1, 0.1]", "[nan]", "[0, 1]", "[-1, 1]"},
                    {"above 0"}});
  for (const char* name : {"history_every", "fields_every", "checkpoint_every", "spectra_every", "profiles_every",
                           "probes_every", "lines_every", "slices_every"})
    keys.push_back({std::string("output.") + name,
                    "0",
                    Kind::number,
                    and_no_number({"-1", "-1e-300", "1e-300", "5e-324"}),
                    {"at least"}});
  return keys;
}();

// Keys that replace others.
const std::vector<Key> flow_keys_of_faces = [] {
  std::vector<Key> keys = {above_zero("time.end", "0.6")};
  for (const std::string axis : {"x", "y", "z"}) {
    keys.push_back({"mesh." + axis + "_faces",
                    "[0, 1, 3]",
                    Kind::numbers,
                    {"[]", "[0]", "[0, 0]", "[0, 2, 1]", "[0, nan]", "[0, inf]"},
                    {"required"}});
    keys.push_back(finite("fluid.bulk_velocity_" + axis, "0"));
  }
  return keys;
}();

const std::vector<Key> fluid_keys = {
    word("solver", "\"binary_fluid\"", {"\"incompressible_flow\"", "\"binary_fluid\"", "\"blast_wave\""}),
    counts("lattice.sites", "[16, 16, 16]", "1", "32768"),
    word("fluid.energy", "\"symmetric\"", {"\"symmetric\"", "\"brazovskii\""}),
    finite("fluid.a", "-0.0625"),
    above_zero("fluid.b", "0.0625"),
    above_zero("fluid.kappa", "0.04"),
    {"fluid.c", "0", Kind::number, and_no_number({"1", "-1"}), {"that is 0"}},
    above_zero("fluid.mobility", "0.15"),
    above_zero("fluid.viscosity", "0.1"),
    from_zero("fluid.bulk_viscosity", "0"),
    vector("fluid.force"),
    word("walls.axes", "\"none\"", {"\"none\"", "\"x\"", "\"yz\"", "\"xyz\""}),
    vector("walls.x_low_velocity"),
    vector("walls.x_high_velocity"),
    vector("walls.y_low_velocity"),
    vector("walls.y_high_velocity"),
    vector("walls.z_low_velocity"),
    vector("walls.z_high_velocity"),
    word("scheme.collision", "\"m10\"", {"\"m10\"", "\"trt\"", "\"bgk\""}),
    word("scheme.order_parameter", "\"relaxed\"", {"\"relaxed\"", "\"projected\""}),
    {"scheme.stencil", "27", Kind::whole, {"0", "19", "-7", "9223372036854775807"}, {"7 or 27"}},
    word("scheme.precision", "\"f64\"", {"\"f64\"", "\"f32\"", "\"mixed\""}),
    word("start.kind", "\"spinodal\"", {"\"spinodal\"", "\"droplet\"", "\"flat\"", "\"wave\"", "\"rest\""}),
    finite("start.phi0", "0"),
    finite("start.noise", "0.05"),
    above_zero("start.radius", "3"),
    word("start.axis", "\"z\"", axes),
    {"start.stirring", "0", Kind::number, and_no_number({"0.2", "-0.2"}), {"from -0.1 to 0.1"}},
    from(0, "start.seed", "1"),
    {"start.file", "\"\"", Kind::text, {}, {}},
    from(1, "time.steps", "40"),
    from(1, "output.history_every", "10"),
    from(0, "output.fields_every", "10"),
    from(0, "output.checkpoint_every", "10"),
};

const std::vector<Key> blast_keys = {
    word("solver", "\"blast\"", {"\"incompressible_flow\"", "\"binary_fluid\"", "\"blast_wave\""}),
    counts("mesh.points", "[7, 6, 8]", "5", "4096"),
    {"gas.gamma", "1.4", Kind::number, and_no_number({"1", "0", "-1"}), {"above 1"}},
    above_zero("gas.reynolds", "1000"),
    above_zero("gas.prandtl", "0.7"),
    {"gas.viscous", "true", Kind::flag, {}, {}},
    above_zero("blast.pressure", "10"),
    above_zero("blast.density", "1"),
    {"blast.radius", "0.2", Kind::number, and_no_number({"-0.1", "0.6"}), {"from 0 to 0.5"}},
    above_zero("blast.width", "0.05"),
    {"blast.start_file", "\"\"", Kind::text, {}, {}},
    {"scheme.cfl", "1", Kind::number, and_no_number({"0", "-1", "20.5"}), {"above 0", "20"}},
    {"scheme.theta", "1", Kind::number, and_no_number({"0.4", "1.1"}), {"from 0.5 to 1"}},
    from_zero("scheme.kappa2", "0"),
    from_zero("scheme.kappa4", "0.01"),
    above_zero("scheme.tolerance", "1e-8"),
    from(1, "scheme.iterations", "100"),
    from(1, "time.steps", "8"),
    from(1, "output.history_every", "2"),
    from(0, "output.fields_every", "2"),
    from(0, "output.checkpoint_every", "2"),
};

const std::vector<Solver> solvers = {
    {"flow", flow_keys,
     [](const std::string& text) { return incompressible_flow::read_case("case.toml", text).settings; }},
    {"flow of faces", flow_keys_of_faces,
     [](const std::string& text) { return incompressible_flow::read_case("case.toml", text).settings; }},
    {"fluid", fluid_keys, [](const std::string& text) { return binary_fluid::read_case("case.toml", text).settings; }},
    {"blast", blast_keys, [](const std::string& text) { return blast_wave::read_case("case.toml", text).settings; }},
};

// A case with a line for every key; one of them with another value, whose line is given back.
std::string case_of(const std::vector<Key>& keys, const std::string& changed, const std::string& value,
                    std::size_t& line) {
  std::map<std::string, std::vector<const Key*>> tables;
  for (const Key& key : keys) {
    const std::size_t dot = key.name.find('.');
    tables[dot == std::string::npos ? "" : key.name.substr(0, dot)].push_back(&key);
  }
  std::string text = "schema = 1\n";
  for (const auto& [table, rows] : tables) {
    if (!table.empty()) text += "[" + table + "]\n";
    for (const Key* key : rows) {
      if (key->name == changed) line = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
      text += key->name.substr(table.empty() ? 0 : table.size() + 1) + " = " +
              (key->name == changed ? value : key->value) + "\n";
    }
  }
  return text;
}

std::vector<std::string> of_other_types(Kind kind) {
  switch (kind) {
    case Kind::number:
      return {"\"1\"", "true", "[1]", "{a = 1}", "[[1]]"};
    case Kind::whole:
      return {"1.5", "1.0", "nan", "\"1\"", "true", "[1]", "{a = 1}"};
    case Kind::flag:
      return {"0", "1", "\"true\"", "[true]", "{a = true}"};
    case Kind::text:
    case Kind::word:
      return {"0", "1.5", "true", "[\"x\"]", "{a = \"x\"}"};
    case Kind::numbers:
      return {"1", "\"1 1 1\"", "true", "{a = 1}", "[\"a\", \"b\", \"c\"]", "[[1], [1], [1]]", "[true, true, true]"};
  }
  return {};
}

class CaseKeyRefusals : public SolveFixture {
 protected:
  // The order of the whole program: the solver's name first.
  void read_case(const std::string& text) {
    SolveOptions options;
    options.file = write("case.toml", text);
    options.folder = root_ + "/run";
    options.dry_run = true;
    run_solve(options, out_, err_);
  }
};

TEST(CaseKeys, TheTableHasEveryKeyAndWorks) {
  std::size_t line = 0;
  for (const Solver& solver : solvers) {
    std::set<std::string> names;
    for (const Key& key : solver.keys) names.insert(key.name);
    if (solver.name == "flow") {
      for (const Key& key : flow_keys_of_faces) names.insert(key.name);
    }
    for (const auto& [key, value] : solver.settings(case_of(solver.keys, "", "", line)))
      if (solver.name != "flow of faces") {
        EXPECT_TRUE(names.contains(key)) << solver.name << " " << key;
      }
  }
}

TEST_F(CaseKeyRefusals, NameTheKeyItsPlaceAndWhatIsAllowed) {
  int refused = 0;
  for (const Solver& solver : solvers)
    for (const Key& key : solver.keys) {
      auto values = of_other_types(key.kind);
      const std::size_t others = values.size();
      values.insert(values.end(), key.bad.begin(), key.bad.end());
      for (std::size_t n = 0; n < values.size(); ++n) {
        std::size_t line = 0;
        const std::string text = case_of(solver.keys, key.name, values[n], line),
                          where = solver.name + ": " + key.name + " = " + values[n];
        try {
          read_case(text);
          ADD_FAILURE() << where << " is taken";
        } catch (const io::InputError& e) {
          ++refused;
          const std::string what = e.message();
          EXPECT_EQ(e.id(), "input.case.value") << where << ": " << e.what();
          EXPECT_EQ(e.line(), line) << where << ": " << e.what();
          EXPECT_GT(e.column(), 0U) << where << ": " << e.what();
          EXPECT_EQ(what.rfind(key.name + ": ", 0), 0U) << where << ": " << what;
          EXPECT_NE(what.find("required"), std::string::npos) << where << ": " << what;
          if (n >= others || key.kind == Kind::word) {
            for (const std::string& allowed : key.allowed)
              EXPECT_NE(what.find(allowed), std::string::npos) << where << ": " << what;
          }
        } catch (const std::exception& e) {
          ADD_FAILURE() << where << ": " << e.what();
        }
      }
    }
  EXPECT_GT(refused, 900);
}

TEST_F(CaseKeyRefusals, NameWhatIsMissing) {
  const std::vector<std::array<std::string, 3>> all = {
      {"schema = 1\n", "[mesh]", "cells"},
      {"schema = 1\n[mesh]\ncells = [8, 8, 8]\n", "time.end", "above 0"},
      {"schema = 1\n[mesh]\ncells = [8, 8, 8]\n[time]\ncfl = 0.5\n", "time.end", "above 0"},
      {"schema = 1\n[mesh]\ncells = [8, 8, 8]\n[time]\nend = 1\n[strain]\n", "strain.rate", "above 0"},
      {"schema = 1\nsolver = \"blast\"\nmesh = 3\n", "mesh", "is not a table"},
      {"schema = 1\nmesh = 3\n", "mesh", "is not a table"},
      {"schema = 1\nsolver = \"binary_fluid\"\n[[lattice]]\nsites = [8, 8, 8]\n", "lattice", "is not a table"},
      {"schema = 1\nsolver = 7\n", "solver", "\"blast_wave\""},
      {"schema = 1\nsolver = \"blats\"\n", "unknown solver 'blats'", "\"blast_wave\""},
  };
  for (const auto& [text, name, allowed] : all) try {
      read_case(text);
      ADD_FAILURE() << text;
    } catch (const io::InputError& e) {
      EXPECT_EQ(e.id(), "input.case.value") << text;
      EXPECT_NE(e.message().find(name), std::string::npos) << text << e.message();
      EXPECT_NE(e.message().find(allowed), std::string::npos) << text << e.message();
    }
}

}  // namespace
}  // namespace speedwell::cli
