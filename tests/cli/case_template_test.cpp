// `speedwell solve --keys`: what it prints is a case with the defaults, and has every key that is accepted.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "solve_fixture.hpp"
#include "speedwell/apps/binary_fluid/case_file.hpp"
#include "speedwell/apps/blast_wave/case_file.hpp"
#include "speedwell/apps/incompressible_flow/cases/case_file.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/solve.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::cli {
namespace {

using Settings = std::map<std::string, std::string>;

struct Kind {
  std::string name;
  const io::CaseSchema& (*schema)();
  Settings (*settings)(const std::string& text);
  std::string smallest;  // a case of what is required alone
};

const std::vector<Kind> kinds = {
    {"incompressible_flow", incompressible_flow::case_schema,
     [](const std::string& text) { return incompressible_flow::read_case("case.toml", text).settings; },
     "schema = 1\n[mesh]\ncells = [32, 32, 32]\n[time]\nend = 1\n"},
    {"blast_wave", blast_wave::case_schema,
     [](const std::string& text) { return blast_wave::read_case("case.toml", text).settings; },
     "schema = 1\nsolver = \"blast_wave\"\n"},
    {"binary_fluid", binary_fluid::case_schema,
     [](const std::string& text) { return binary_fluid::read_case("case.toml", text).settings; },
     "schema = 1\nsolver = \"binary_fluid\"\n"},
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}
std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

const std::regex key_line("(#?)(\\w+) = .*"), table_line("(#?)\\[(\\w+)\\]");

// Every "table.key" with the lines that have to lose their '#' for it to be set.
std::map<std::string, std::vector<std::size_t>> keys_in(const std::vector<std::string>& lines) {
  std::map<std::string, std::vector<std::size_t>> keys;
  std::string table;
  std::vector<std::size_t> of_table;
  std::smatch match;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    if (std::regex_match(lines[n], match, table_line)) {
      table = match[2].str() + ".";
      of_table.clear();
      if (match[1].length() > 0) of_table.push_back(n);
    } else if (std::regex_match(lines[n], match, key_line)) {
      auto& wanted = keys[table + match[2].str()];
      wanted = of_table;
      if (match[1].length() > 0) wanted.push_back(n);
      if (table == "strain." && match[2] == "rate") of_table.push_back(n);  // required in its table
    }
  }
  return keys;
}

using CaseTemplateFiles = SolveFixture;

TEST_F(CaseTemplateFiles, AreDryRunsOfTheSolver) {
  for (const Kind& kind : kinds) {
    SolveOptions options;
    options.file = write("case.toml", solve_keys(kind.name));
    options.folder = root_ + "/run";
    options.dry_run = true;
    std::ostringstream out, err;
    EXPECT_EQ(run_solve(options, out, err), StopReason::end_reached) << kind.name;
    EXPECT_NE(out.str().find("steps:"), std::string::npos) << out.str();
    EXPECT_FALSE(std::filesystem::exists(options.folder));
  }
}

TEST(CaseTemplate, HasTheDefaults) {
  for (const Kind& kind : kinds)
    EXPECT_EQ(kind.settings(solve_keys(kind.name)), kind.settings(kind.smallest)) << kind.name;
}

TEST(CaseTemplate, HasEveryKeyThatIsRead) {
  for (const Kind& kind : kinds) {
    const auto keys = keys_in(lines_of(solve_keys(kind.name)));
    for (const io::CaseKey& key : kind.schema().keys)
      EXPECT_TRUE(keys.contains((key.table.empty() ? "" : key.table + ".") + key.name)) << key.table << "." << key.name;
    for (const auto& [key, value] : kind.settings(kind.smallest)) EXPECT_TRUE(keys.contains(key)) << key;
    EXPECT_EQ(keys.size(), kind.schema().keys.size()) << kind.name;
  }
}

TEST(CaseTemplate, EveryKeyOfItIsAcceptedAlone) {
  for (const Kind& kind : kinds) {
    const std::vector<std::string> lines = lines_of(solve_keys(kind.name));
    int tried = 0;
    for (const auto& [key, wanted] : keys_in(lines)) {
      std::vector<std::string> text = lines;
      for (const std::size_t n : wanted) text[n].erase(0, 1);
      try {
        const Settings settings = kind.settings(joined(text));
        ++tried;
        EXPECT_FALSE(settings.empty());
      } catch (const io::InputError& e) {
        ADD_FAILURE() << key << ": " << e.what();
      }
    }
    EXPECT_GT(tried, 20) << kind.name;
  }
}

TEST(CaseTemplate, AKeyThatItDoesNotHaveIsRefused) {
  for (const Kind& kind : kinds) {
    std::vector<std::string> lines = lines_of(solve_keys(kind.name));
    for (std::size_t n = 0; n < lines.size(); ++n) {
      if (lines[n].empty() || lines[n][0] != '[') continue;
      std::vector<std::string> text = lines;
      text[n] += "\nno_such_key = 1";
      try {
        kind.settings(joined(text));
        ADD_FAILURE() << kind.name << " takes any key in " << lines[n];
      } catch (const io::InputError& e) {
        EXPECT_EQ(e.id(), "input.case.key") << e.what();
      }
    }
  }
}

TEST(CaseTemplate, TheOldNameIsTheSameSolverAndUnknownOnesAreRefused) {
  EXPECT_EQ(solve_keys("blast"), solve_keys("blast_wave"));
  for (const Kind& kind : kinds) EXPECT_NE(solve_keys("").find(solve_keys(kind.name)), std::string::npos);
  try {
    solve_keys("flow");
    ADD_FAILURE();
  } catch (const UsageError& e) {
    for (const Kind& kind : kinds) EXPECT_NE(std::string(e.what()).find(kind.name), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace speedwell::cli
