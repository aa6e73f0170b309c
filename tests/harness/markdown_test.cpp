#include "speedwell/harness/markdown.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "speedwell/harness/build_info.hpp"
#include "tests/harness/report/samples.hpp"

namespace speedwell::harness {
namespace {

using samples::Json;

std::vector<records::Document> parse(const Json& document) { return {records::parse_document(document.dump(), "x")}; }

// Cells of a row, split at bars that no backslash precedes.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> found(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '|' && (i == 0 || line[i - 1] != '\\'))
      found.emplace_back();
    else
      found.back() += line[i];
  }
  return found;
}

void expect_rectangular(const std::string& table) {
  std::istringstream lines(table);
  std::size_t columns = 0, rows = 0;
  for (std::string line; std::getline(lines, line) && !line.empty(); ++rows) {
    if (rows == 0) columns = cells(line).size();
    EXPECT_EQ(cells(line).size(), columns) << line;
  }
  EXPECT_GT(rows, 2u);
}

TEST(ResultsTable, HasARowForEachVariantOfTheLargestProblem) {
  const std::string table = results_table(parse(samples::h200()), "matvec");
  expect_rectangular(table);
  EXPECT_NE(table.find("columns=16384"), std::string::npos);
  EXPECT_EQ(table.find("columns=8192"), std::string::npos);
  for (const char* text : {"| cuda-naive | one NVIDIA H200 |", "| cublas |", "Speedups are over openmp on all cores",
                           "driver 580.65.06", "commit 0123456789ab", "GNU 12.2.0"})
    EXPECT_NE(table.find(text), std::string::npos) << text;
}

// Rows may be of several sessions.
TEST(ResultsTable, NamesTheCommitsOfAllItsRows) {
  Json early = samples::h200(), late = samples::h200();
  early["build"]["commit"] = "aaaaaaaaaaaa";
  late["build"]["commit"] = "bbbbbbbbbbbb";
  late["session"]["started"] = "2100-01-01T00:00:00Z";
  Json runs = Json::array();
  for (const Json& run : late["runs"])
    if (run["application"] != "matvec") runs.push_back(run);
  late["runs"] = runs;
  std::vector<records::Document> both = parse(early);
  both.push_back(parse(late).front());
  EXPECT_NE(results_table(both, "matvec").find("commit aaaaaaaaaaaa."), std::string::npos);
  EXPECT_EQ(results_table(both, "matvec").find("bbbbbbbbbbbb"), std::string::npos) << "none of its rows";
  EXPECT_NE(results_table(both, "stream").find("commit bbbbbbbbbbbb."), std::string::npos) << "the later one counts";
  EXPECT_NE(summary_table(both).find("aaaaaaaaaaaa"), std::string::npos);
  EXPECT_NE(summary_table(both).find("bbbbbbbbbbbb"), std::string::npos);
}

TEST(ResultsTable, TakesOnlyRecordsOfCleanBuilds) {
  Json document = samples::h200();
  document["build"]["dirty"] = true;
  EXPECT_EQ(results_table(parse(document), "matvec"), "");
  EXPECT_EQ(summary_table(parse(document)), "");
}

// Two cards of one kind differ by some percent: their rows do not stand in one table, and each table says which it was.
TEST(ResultsTable, IsOfOneCard) {
  const auto on_card = [](const std::string& uuid, const std::string& application, const std::string& started) {
    Json document = samples::h200();
    document["session"]["started"] = started;
    Json runs = Json::array();
    for (Json run : document["runs"])
      if (application.empty() || run["application"] == application) {
        if (run["device"]["kind"] == "gpu") run["device"]["uuid"] = uuid;
        runs.push_back(run);
      }
    document["runs"] = runs;
    return parse(document).front();
  };
  const std::vector<records::Document> both = {on_card("GPU-first", "", "2100-01-01T00:00:00Z"),
                                               on_card("GPU-second", "matvec", "2100-01-02T00:00:00Z")};
  const std::string summary = summary_table(both);
  EXPECT_NE(summary.find("card GPU-first"), std::string::npos);
  EXPECT_NE(summary.find("card GPU-second"), std::string::npos);
  const std::string matvec = results_table(both, "matvec");
  EXPECT_EQ(matvec.find("GPU-first"), std::string::npos) << "made again on another card: the latest counts";
  EXPECT_NE(matvec.find("card GPU-second"), std::string::npos);
}

TEST(ResultsTable, MarksFiguresOfFewPassesAndOfOlderSources) {
  Json document = samples::h200();
  for (Json& run : document["runs"])
    if (run["application"] == "matvec" && run["phases"].is_object()) {
      run["source_digest"] = "of other sources";
      run["phases"]["execute_s"]["passes"] = 2;
      run["phases"]["execute_s"]["interval"] = nullptr;
    }
  const std::string table = results_table(parse(document), "matvec");
  EXPECT_NE(table.find("| n=2 |"), std::string::npos);
  EXPECT_NE(table.find("n: passes, where there are fewer than 5."), std::string::npos);
  if (source_digest("matvec").empty()) GTEST_SKIP() << "this build knows no digest of matvec";
  EXPECT_NE(table.find(" † |"), std::string::npos);
  EXPECT_NE(table.find("†: measured with older sources."), std::string::npos);
}

// What all problems of a table have in common stands once under it.
TEST(ResultsTable, RowsNameWhatTellsTheirProblemsApart) {
  Json document = samples::h200();
  for (Json& run : document["runs"])
    if (run["application"] == "stream") run["problem"]["precision"] = "f64";
  const std::string table = results_table(parse(document), "stream");
  const std::size_t end = table.find("\n\n");
  ASSERT_NE(end, std::string::npos);
  EXPECT_NE(table.find("kernel=triad"), std::string::npos);
  EXPECT_EQ(table.substr(0, end).find("precision"), std::string::npos);
  EXPECT_NE(table.find("Everywhere precision=f64. ", end), std::string::npos);
}

TEST(ResultsTable, RunsThatDidNotPassHaveTheirOutcomeAndNoFigures) {
  const std::string table = results_table(parse(samples::failures()), "matvec");
  expect_rectangular(table);
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);)
    if (line.find("cuda-shared") != std::string::npos) {
      EXPECT_NE(line.find("**FAILED**"), std::string::npos);
      EXPECT_EQ(line.find("×"), std::string::npos);
    }
  EXPECT_NE(table.find("skipped: not built: cuBLAS was not found"), std::string::npos);
}

TEST(ResultsTable, HostileTextStaysInItsCell) {
  Json hostile = samples::hostile();
  std::string name = hostile["runs"][0]["application"];
  std::erase(name, ' ');  // which parts a name from sizes
  for (Json& run : hostile["runs"]) run["application"] = name;
  const std::string table = results_table(parse(hostile), name);
  expect_rectangular(table);
  EXPECT_EQ(table.find('<'), std::string::npos);
  EXPECT_EQ(table.find('\x1b'), std::string::npos);
}

// Two problems of one size and one of another: times made up, so that ratios are known.
Json two_sizes() {
  Json document = samples::h200();
  const Json of_core = *std::find_if(document["runs"].begin(), document["runs"].end(),
                                     [](const Json& run) { return run["status"] == "passed"; });
  document["runs"] = Json::array();
  const auto add = [&](const char* size, int n, const char* variant, double seconds) {
    Json run = of_core;
    run["application"] = "toy";
    run["size"] = size;
    run["problem"] = {{"n", n}};
    run["key"] = "toy n=" + std::to_string(n);
    run["variant"]["name"] = variant;
    run["phases"]["execute_s"]["median"] = seconds;
    run["phases"]["end_to_end_s"] = run["phases"]["execute_s"];
    run["phases"]["end_to_end_s"]["median"] = 10 * seconds;
    document["runs"].push_back(run);
  };
  add("a", 1, "serial", 3e-3);
  add("a", 1, "cuda", 1e-3);
  add("a", 2, "serial", 8e-3);
  add("b", 3, "serial", 1.0);
  return document;
}

TEST(ResultsTable, IsOfTheSizesThatItIsToldOrOfAll) {
  const std::string some = results_table(parse(two_sizes()), "toy a"), all = results_table(parse(two_sizes()), "toy");
  expect_rectangular(some);
  EXPECT_NE(some.find("| n=2 |"), std::string::npos) << some;
  EXPECT_EQ(some.find("| n=3 |"), std::string::npos) << "of another size";
  EXPECT_NE(all.find("| n=3 |"), std::string::npos) << all;
  EXPECT_NE(results_table(parse(two_sizes()), "toy b").find("| b |"), std::string::npos)
      << "a single problem has its size's name";
  EXPECT_NE(results_table(parse(two_sizes()), "toy b").find("Everywhere n=3."), std::string::npos);
}

TEST(SummaryTable, IsOfTheSizesThatItIsTold) {
  Json document = two_sizes();
  for (Json& run : document["runs"])
    if (run["problem"]["n"] == 2) run["device"]["kind"] = "gpu";
  const std::string some = summary_table(parse(document), "summary a");
  expect_rectangular(some);
  EXPECT_NE(some.find("| toy | n=2 |"), std::string::npos) << some;
  EXPECT_EQ(summary_table(parse(document)), "") << "the largest of all sizes ran on the host alone";
}

// A document may be ahead of its records.
TEST(TableOf, IsEmptyWhereNoRecordHasSuchRuns) {
  for (const char* name : {"nothing", "toy c", "summary c", "columns toy c execute serial",
                           "columns no a execute serial", "figures toy c iterations"})
    EXPECT_EQ(table_of(parse(two_sizes()), name), "") << name;
  EXPECT_EQ(table_of(parse(two_sizes()), "toy a"), results_table(parse(two_sizes()), "toy a"));
  EXPECT_EQ(table_of(parse(two_sizes()), "summary"), summary_table(parse(two_sizes())));
  EXPECT_EQ(table_of(parse(two_sizes()), "columns toy a execute serial"),
            columns_table(parse(two_sizes()), "columns toy a execute serial"));
  EXPECT_EQ(table_of(parse(two_sizes()), "figures toy a x"), figures_table(parse(two_sizes()), "figures toy a x"));
}

TEST(TableOf, WordsThatItCannotReadAreAnError) {
  for (const char* name : {"", "toy a b", "summary a b", "columns", "columns toy a execute",
                           "columns toy a upload serial", "figures toy a"})
    EXPECT_THROW(table_of(parse(two_sizes()), name), std::invalid_argument) << name;
}

TEST(ColumnsTable, HasMediansAndHowManyTimesAsFast) {
  const std::string table = columns_table(parse(two_sizes()), "columns toy a execute serial cuda/serial");
  expect_rectangular(table);
  EXPECT_NE(table.find("| Problem | serial | cuda over serial |"), std::string::npos) << table;
  EXPECT_NE(table.find("| n=1 | 3 ms | 3.00× |"), std::string::npos) << table;
  EXPECT_NE(table.find("| n=2 | 8 ms | – |"), std::string::npos) << table;
  EXPECT_EQ(table.find("n=3"), std::string::npos) << "of another size";
  const std::string whole = columns_table(parse(two_sizes()), "columns toy a,b end_to_end serial");
  EXPECT_NE(whole.find("| n=1 | 30 ms |"), std::string::npos) << whole;
  EXPECT_NE(whole.find("| n=3 | 10 s |"), std::string::npos) << whole;
}

TEST(FiguresTable, HasWhatRunsSaidOfThemselves) {
  Json document = two_sizes();
  for (Json& run : document["runs"])
    if (run["variant"]["name"] == "serial") run["choices"] = {{"iterations", "21"}, {"norm|", "x"}};
  const std::string table = figures_table(parse(document), "figures toy a iterations lhs_s");
  expect_rectangular(table);
  EXPECT_NE(table.find("| Execute, median | iterations | lhs\\_s |"), std::string::npos) << table;
  EXPECT_NE(table.find("| 21 | – |"), std::string::npos) << table;
  EXPECT_NE(table.find("| – | – |"), std::string::npos) << table;
  EXPECT_EQ(figures_table(parse(document), "figures toy c iterations"), "") << "no such size";
  EXPECT_EQ(figures_table(parse(document), "figures other a iterations"), "") << "no such application";
  EXPECT_THROW(figures_table(parse(document), "figures toy a"), std::invalid_argument);
}

TEST(MarkerNames, AreThoseOutsideCode) {
  EXPECT_EQ(marker_names("<!-- results:x -->\n<!-- /results -->\n```\n<!-- results:y -->\n```\n"
                         "<!-- results:columns toy a execute serial -->\n<!-- /results -->\n"),
            (std::vector<std::string>{"x", "columns toy a execute serial"}));
}

TEST(UpdateMarkers, ReplacesWhatStandsBetweenThemAndNothingElse) {
  const std::string text =
      "a\n<!-- results:x -->\nold\nold\n<!-- /results -->\nb\r\n<!-- results:y -->\nkeep\n<!-- /results -->";
  const std::string once = update_markers(text, {{"x", "new\n"}});
  EXPECT_EQ(once, "a\n<!-- results:x -->\nnew\n<!-- /results -->\nb\r\n<!-- results:y -->\nkeep\n<!-- /results -->");
  EXPECT_EQ(update_markers(once, {{"x", "new"}}), once) << "again changes nothing";
  EXPECT_EQ(update_markers(text, {}), text);
}

TEST(UpdateMarkers, CodeBlocksAreLeftAlone) {
  const std::string text = "```\n<!-- results:x -->\n```\n<!-- results:x -->\n<!-- /results -->\n";
  EXPECT_EQ(update_markers(text, {{"x", "t"}}),
            "```\n<!-- results:x -->\n```\n<!-- results:x -->\nt\n<!-- /results -->\n");
}

TEST(UpdateMarkers, BrokenMarkersAreErrors) {
  for (const char* text :
       {"<!-- results:x -->\n", "<!-- /results -->\n", "<!-- results:x -->\n<!-- results:y -->\n<!-- /results -->\n",
        "<!-- results:x -->\n<!-- /results -->\n<!-- results:x -->\n<!-- /results -->\n",
        "<!-- results: -->\n<!-- /results -->\n", "nothing here\n"})
    EXPECT_THROW(update_markers(text, {{"x", "t"}}), std::invalid_argument) << text;
}

}  // namespace
}  // namespace speedwell::harness
