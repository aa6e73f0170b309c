#include "speedwell/harness/report/analysis.hpp"

#include <gtest/gtest.h>

#include "samples.hpp"

namespace speedwell::harness::report {
namespace {

using records::Document;
using records::Phase;
using records::Run;
using samples::Json;

Json variant(const std::string& name, const std::string& role = "plain") {
  return {{"name", name}, {"backend", "cuda"}, {"role", role}};
}
std::vector<Document> parse(const std::vector<Json>& documents) {
  std::vector<Document> read;
  for (const Json& d : documents) read.push_back(records::parse_document(d.dump(), "x"));
  return read;
}
Json with_runs(const std::vector<Json>& runs, const std::string& started = "2026-01-01T00:00:00Z") {
  Json document = samples::machine(true, 16);
  document["session"]["started"] = started;
  for (const Json& run : runs) document["runs"].push_back(run);
  return document;
}

TEST(Analysis, TheIntervalOfARatioPairsTheWorstAndTheBestEnds) {
  const Phase base{10, {{9, 12}}, 0, 0, 9, {}}, now{2, {{1.5, 3}}, 0, 0, 9, {}};
  const auto ratio = speedup(base, now);
  ASSERT_TRUE(ratio && ratio->interval);
  EXPECT_DOUBLE_EQ(ratio->value, 5);
  EXPECT_DOUBLE_EQ(ratio->interval->first, 3);
  EXPECT_DOUBLE_EQ(ratio->interval->second, 8);
  EXPECT_FALSE(speedup(base, Phase{2, {}, 0, 0, 3, {}})->interval) << "one side has none";
  EXPECT_FALSE(speedup(base, std::nullopt));
  EXPECT_FALSE(speedup(base, Phase{0, {{0, 0}}, 0, 0, 9, {}})) << "no ratio over nothing";
}

TEST(Analysis, ARunThatDidNotPassIsNeverTheFastest) {
  Json slow = samples::run("a", {{"n", 1}}, variant("slow"), "gpu", {0, 0, 1, 0});
  Json wrong = samples::run("a", {{"n", 1}}, variant("wrong"), "gpu", {0, 0, 1e-6, 0});
  wrong["status"] = "failed";
  wrong["verdict"]["passed"] = false;
  const auto documents = parse({with_runs({slow, wrong})});
  const auto machines = by_machine(documents);
  EXPECT_EQ(fastest(machines[0].runs, "gpu", Whose::own)->variant.name, "slow");
  EXPECT_TRUE(ladder(machines[0].runs).empty());
  EXPECT_FALSE(merit(*machines[0].runs[1], Merit::time));
}

TEST(Analysis, PeersAreKeptApart) {
  const auto documents =
      parse({with_runs({samples::run("a", {{"n", 1}}, variant("own"), "gpu", {0, 0, 2, 0}),
                        samples::run("a", {{"n", 1}}, variant("cublas", "peer"), "gpu", {0, 0, 1, 0})})});
  const auto machines = by_machine(documents);
  EXPECT_EQ(fastest(machines[0].runs, "gpu", Whose::own)->variant.name, "own");
  EXPECT_EQ(fastest(machines[0].runs, "gpu", Whose::peer)->variant.name, "cublas");
}

TEST(Analysis, ADeviceIsWorthWhatTheSameAlgorithmTakesOnBothAndTheBestIsNamedBeside) {
  const auto run = [](const std::string& name, const std::string& kind, double time, const std::string& algorithm,
                      const std::string& role = "plain") {
    Json v = variant(name, role);
    v["algorithm"] = algorithm;
    return samples::run("a", {{"n", 1}}, v, kind, {0, 0, time, 0});
  };
  const auto documents = parse({with_runs({run("openmp", "cores", 8, ""), run("openmp-stored", "cores", 6, "stored"),
                                           run("library", "cores", 4, "", "peer"), run("cuda", "gpu", 2, ""),
                                           run("cuda-stored", "gpu", 3, "stored"),
                                           run("cublas", "gpu", 1, "", "peer")})});
  const auto runs = by_machine(documents)[0].runs;
  const Comparison same = same_algorithm(runs, &records::Phases::execute);
  EXPECT_EQ(same.host->variant.name, "openmp") << "openmp-stored is faster, and does something else";
  EXPECT_EQ(same.gpu->variant.name, "cuda");
  EXPECT_NEAR(same.ratio->value, 4, 0.2);
  const Comparison best = best_against_best(runs, &records::Phases::execute);
  EXPECT_EQ(best.host->variant.name, "library");
  EXPECT_EQ(best.gpu->variant.name, "cublas");
  EXPECT_NEAR(best.ratio->value, 4, 0.2);
  const auto alone = parse({with_runs({run("openmp", "cores", 8, ""), run("cuda", "gpu", 2, "stored")})});
  const auto alone_runs = by_machine(alone)[0].runs;
  EXPECT_FALSE(same_algorithm(alone_runs, &records::Phases::execute).ratio) << "nothing of that algorithm on the host";
  EXPECT_NEAR(best_against_best(alone_runs, &records::Phases::execute).ratio->value, 4, 0.2);
}

TEST(Analysis, OfSeveralRecordsOfARunTheLatestSessionCounts) {
  const auto run = [](double time) { return samples::run("a", {{"n", 1}}, variant("v"), "gpu", {0, 0, time, 0}); };
  const auto documents =
      parse({with_runs({run(2)}, "2026-03-01T00:00:00Z"), with_runs({run(1)}, "2026-01-01T00:00:00Z")});
  const auto machines = by_machine(documents);
  ASSERT_EQ(machines.size(), 1u);
  ASSERT_EQ(machines[0].runs.size(), 1u);
  EXPECT_NEAR(machines[0].runs[0]->phases.execute->median, 2, 0.1);
  EXPECT_EQ(machines[0].superseded.size(), 1u);
  EXPECT_EQ(machines[0].latest, &documents[0]);
}

// A session that ran on the GPU alone measured nothing of the host: what an earlier one measured stays.
TEST(Analysis, EachCeilingIsOfTheLatestSessionThatMeasuredIt) {
  Json before = samples::h200(), after = samples::h200();
  before["session"]["started"] = "2026-01-01T00:00:00Z";
  after["session"]["started"] = "2026-02-01T00:00:00Z";
  Json gpu_only = Json::array();
  for (Json ceiling : after["machine"]["ceilings"])
    if (ceiling["name"].get<std::string>().starts_with("gpu.")) {
      ceiling["value"] = 2 * ceiling["value"].get<double>();
      gpu_only.push_back(ceiling);
    }
  after["machine"]["ceilings"] = gpu_only;
  for (const bool in_order : {true, false}) {
    std::vector<Document> documents;
    for (const Json* document : {in_order ? &before : &after, in_order ? &after : &before})
      documents.push_back(records::parse_document(document->dump(), "x"));
    const auto machines = by_machine(documents);
    ASSERT_EQ(machines.size(), 1u);
    EXPECT_EQ(machines[0].machine.ceiling("gpu.triad"), 8800);
    EXPECT_EQ(machines[0].machine.ceiling("host.triad"), 290);
  }
}

TEST(Analysis, MachinesOfDifferentKindAreNotMixed) {
  Json other = with_runs({samples::run("a", {{"n", 1}}, variant("v"), "gpu", {0, 0, 1, 0})});
  other["machine"]["id"] = "other";
  const auto documents = parse({with_runs({samples::run("a", {{"n", 1}}, variant("v"), "gpu", {0, 0, 2, 0})}), other});
  EXPECT_EQ(by_machine(documents).size(), 2u);
}

std::vector<Family> families(const std::vector<Json>& problems) {
  static std::vector<Document> documents;
  std::vector<Json> runs;
  for (const Json& problem : problems) runs.push_back(samples::run("a", problem, variant("v"), "gpu", {0, 0, 1, 0}));
  documents = parse({with_runs(runs)});
  return by_machine(documents)[0].applications[0].families;
}

TEST(Analysis, ProblemsThatDifferInOneNumberAreAFamilySmallestFirst) {
  const auto f =
      families({{{"kernel", "copy"}, {"n", 100}}, {{"kernel", "copy"}, {"n", 10}}, {{"kernel", "add"}, {"n", 10}}});
  ASSERT_EQ(f.size(), 2u);
  EXPECT_EQ(f[0].label, "kernel=copy");
  EXPECT_EQ(f[0].sweep, "n");
  ASSERT_EQ(f[0].problems.size(), 2u);
  EXPECT_EQ(f[0].problems[0].abscissa, 10);
  EXPECT_EQ(f[0].largest().label, "kernel=copy n=100");
  EXPECT_EQ(f[1].sweep, "") << "a single problem";
}

TEST(Analysis, NumbersThatGrowTogetherAreOneSweep) {
  const auto f =
      families({{{"columns", 16}, {"rows", 16}}, {{"columns", 64}, {"rows", 64}}, {{"columns", 32}, {"rows", 32}}});
  ASSERT_EQ(f.size(), 1u);
  EXPECT_EQ(f[0].sweep, "columns, rows");
  EXPECT_EQ(f[0].problems[1].abscissa, 32);
}

TEST(Analysis, OfSeveralVaryingNumbersTheOneWithMostValuesIsSwept) {
  const auto f = families({{{"m", 1}, {"n", 10}},
                           {{"m", 1}, {"n", 20}},
                           {{"m", 1}, {"n", 30}},
                           {{"m", 2}, {"n", 10}},
                           {{"m", 2}, {"n", 20}}});
  ASSERT_EQ(f.size(), 2u);
  EXPECT_EQ(f[0].sweep, "n");
  EXPECT_EQ(f[0].label, "m=1");
  EXPECT_EQ(f[0].problems.size(), 3u);
  EXPECT_EQ(f[1].problems.size(), 2u);
}

TEST(Analysis, VariantsStandInTheOrderThatAllRecordsHave) {
  const auto run = [](const char* name, int n) { return samples::run("a", {{"n", n}}, variant(name), "gpu", {0, 0, 1, 0}); };
  const auto names = [](const std::vector<records::Document>& documents) {
    const auto machines = by_machine(documents);
    std::string text;
    for (const ProblemRuns& problem : machines[0].applications[0].families[0].problems) {
      for (const records::Run* r : problem.runs) text += r->variant.name + " ";
      text += "| ";
    }
    return text;
  };
  EXPECT_EQ(names(parse({with_runs({run("one", 1), run("four", 1)}), with_runs({run("two", 1), run("four", 1)}),
                         with_runs({run("one", 2), run("two", 2), run("three", 2), run("four", 2)}),
                         with_runs({run("three", 1)})})),
            "one two three four | one two three four | ");
  EXPECT_EQ(names(parse({with_runs({run("b", 1), run("c", 1)}), with_runs({run("a", 1), run("b", 1)})})), "a b c | ");
  EXPECT_EQ(names(parse({with_runs({run("b", 1), run("a", 1)}), with_runs({run("a", 2), run("b", 2)})})), "b a | b a | ")
      << "where records contradict each other, as first seen";
}

TEST(Analysis, AStepIsHeldAgainstTheStepBeforeThatPassed) {
  Json failed = samples::run("a", {{"n", 1}}, variant("two", "step"), "gpu", {});
  failed["status"] = "error";
  failed["phases"] = failed["verdict"] = nullptr;
  const auto documents =
      parse({with_runs({samples::run("a", {{"n", 1}}, variant("one", "step"), "gpu", {0, 0, 8, 0}), failed,
                        samples::run("a", {{"n", 1}}, variant("three", "best"), "gpu", {0, 0, 2, 0}),
                        samples::run("a", {{"n", 1}}, variant("lib", "peer"), "gpu", {0, 0, 1, 0})})});
  const auto machines = by_machine(documents);
  const auto steps = ladder(machines[0].runs);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_FALSE(steps[0].gain);
  EXPECT_EQ(steps[1].before->variant.name, "one");
  EXPECT_NEAR(steps[1].gain->value, 4, 0.2);
}

TEST(Analysis, TheMeritIsOneThatAllRunsHaveAndItsIntervalIsThatOfTheTimeTurnedOver) {
  Json a = samples::run("a", {{"n", 1}}, variant("x"), "gpu", {0, 0, 1, 0});
  a["phases"]["execute_s"]["median"] = 2.0;
  a["phases"]["execute_s"]["interval"] = {1.0, 4.0};
  a["rates"]["bandwidth_GBps"] = 10;
  Json b = samples::run("a", {{"n", 1}}, variant("y"), "gpu", {0, 0, 1, 0});
  b["rates"] = {{"bandwidth_GBps", 5}, {"rate", 3}, {"rate_name", "GCUPS"}};
  const auto documents = parse({with_runs({a, b})});
  const auto machines = by_machine(documents);
  EXPECT_EQ(merit_of(machines[0].runs), Merit::bandwidth);
  const auto m = merit(*machines[0].runs[0], Merit::bandwidth);
  EXPECT_DOUBLE_EQ(m->value, 10);
  EXPECT_DOUBLE_EQ(m->interval->first, 5);
  EXPECT_DOUBLE_EQ(m->interval->second, 20);
}

}  // namespace
}  // namespace speedwell::harness::report
