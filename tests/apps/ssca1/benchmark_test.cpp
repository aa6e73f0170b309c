// The whole benchmark, and that its verification rejects every kind of wrong result.
#include "speedwell/apps/ssca1/benchmark.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace speedwell::ssca1 {
namespace {

Problem problem_of(std::int64_t main, std::int64_t match) {
  Problem problem;
  problem.data.main_length = main;
  problem.data.match_length = match;
  return problem;
}

TEST(Ssca1Benchmark, PassesWithEveryPresetAlphabetAndVariant) {
  for (const TableVariant& variant : table_variants())
    for (const Preset preset : {Preset::dissertation, Preset::ssca1, Preset::ornl})
      for (const Alphabet alphabet : {Alphabet::codons, Alphabet::nucleotides}) {
        Problem problem =
            problem_of(alphabet == Alphabet::codons ? 1000 : 150, alphabet == Alphabet::codons ? 512 : 100);
        problem.preset = preset;
        problem.data.alphabet = alphabet;
        problem.data.validation_strings = alphabet == Alphabet::codons;
        problem.similar.count = 20;
        const Data data = make_data(problem.data);
        const Report report = verify(problem, data, run(problem, data, {.threads = 3}, variant.find));
        EXPECT_TRUE(report.passed()) << variant.name << "\n" << to_text(report);
        EXPECT_TRUE(report.verdict().passed);
        int found = 0;
        for (const StringReport& s : report.strings) found += s.found;
        EXPECT_EQ(found, alphabet == Alphabet::nucleotides ? 0 : preset == Preset::dissertation ? 3 : 6);
      }
}

TEST(Ssca1Benchmark, ReportsTheGoldenProblem) {
  const Problem problem = problem_of(2048, 2048);
  const Data data = make_data(problem.data);
  const Report report = verify(problem, data, run(problem, data));
  EXPECT_TRUE(report.passed()) << to_text(report);
  EXPECT_EQ(report.n, 2211);
  EXPECT_EQ(report.cells, 2211.0 * 2211.0);
  EXPECT_EQ(report.candidates, 208);
  EXPECT_EQ(report.accepted, 88);
  EXPECT_EQ(report.best.size(), 10u);
  EXPECT_EQ(report.alignments, 13);
  EXPECT_EQ(report.sets, 13);
  EXPECT_EQ(report.differences, 4);
  EXPECT_EQ(report.sum_of_differences, 720);
  EXPECT_EQ(report.sum_of_pairs, 720);  // of two members the alignment is the best one
  const std::string text = to_text(report);
  EXPECT_NE(text.find("*STARTGAPMIDST---END*"), std::string::npos) << text;
  EXPECT_NE(text.find("string 6, score 52: found"), std::string::npos) << text;
  EXPECT_NE(text.find("golden values"), std::string::npos) << text;
  EXPECT_EQ(text.substr(text.size() - 5), "PASS\n");
}

TEST(Ssca1Benchmark, RejectsWrongResults) {
  Problem problem = problem_of(9000, 1000);
  problem.similar.minimum_score = 0;
  problem.similar.count = 30;
  const Data data = make_data(problem.data);
  const Results right = run(problem, data);
  ASSERT_GE(right.traced.alignments.size(), 6u);
  ASSERT_GE(right.regions[0].size(), 3u);
  using Change = std::function<void(Results&)>;
  const std::pair<const char*, Change> seen_always[] = {
      {"string lost", [](Results& r) { r.traced.alignments.erase(r.traced.alignments.begin() + 2); }},
      {"endpoint order", [](Results& r) { std::swap(r.endpoints.accepted[0], r.endpoints.accepted[1]); }},
      {"endpoint moved", [](Results& r) { ++r.endpoints.accepted[0].main; }},
      {"endpoint doubled", [](Results& r) { r.endpoints.accepted[1] = r.endpoints.accepted[0]; }},
      {"endpoint outside", [](Results& r) { r.endpoints.accepted.back().main = 1 << 20; }},
      {"score of an alignment", [](Results& r) { ++r.traced.alignments[3].score; }},
      {"CIGAR of an alignment", [](Results& r) { r.traced.alignments[4].cigar[1].operation = 'I'; }},
      {"begin of an alignment", [](Results& r) { --r.traced.alignments[1].main_begin; }},
      {"alignment of nothing, nowhere",
       [](Results& r) { r.traced.alignments[1] = {0, 1 << 30, (1 << 30) - 1, 1, 0, {}}; }},
      {"score of a region", [](Results& r) { --r.regions[0][1].score; }},
      {"begin of a region", [](Results& r) { ++r.regions[0][0].begin; }},
      {"regions swapped", [](Results& r) { std::swap(r.regions[0][0], r.regions[0][1]); }},
      {"a difference", [](Results& r) { ++r.differences[0].upper[0]; }},
      {"differences missing", [](Results& r) { r.differences[0].upper.pop_back(); }},
      {"a symbol of a row", [](Results& r) { r.stars[0].rows[0][0] ^= 1; }},
      {"a space of a row", [](Results& r) { r.stars[0].rows[1].insert(r.stars[0].rows[1].begin(), space_symbol); }},
      {"sum of pairs", [](Results& r) { --r.stars[0].sum_of_pairs; }},
      {"rows missing", [](Results& r) { r.stars[0].rows.pop_back(); }},
      {"sets missing", [](Results& r) { r.regions.pop_back(); }},
  };
  const std::pair<const char*, Change> seen_by_references[] = {
      {"candidates", [](Results& r) { ++r.endpoints.candidates; }},
      {"endpoint lost", [](Results& r) { r.endpoints.accepted.erase(r.endpoints.accepted.begin() + 6); }},
      {"score of an endpoint", [](Results& r) { --r.endpoints.accepted.back().score; }},
      {"last alignment lost", [](Results& r) { r.traced.alignments.pop_back(); }},
      {"region lost", [](Results& r) { r.regions[0].pop_back(); }},
  };
  EXPECT_TRUE(verify(problem, data, right).passed()) << to_text(verify(problem, data, right));
  EXPECT_TRUE(verify(problem, data, right, {.table_cells = 0}).passed());
  for (const auto& [what, change] : seen_always) {
    Results wrong = right;
    change(wrong);
    const Report report = verify(problem, data, wrong, {.table_cells = 0});
    EXPECT_FALSE(report.passed()) << what;
    EXPECT_FALSE(report.verdict().passed) << what;
    EXPECT_NE(to_text(report).find("FAIL\n"), std::string::npos) << what;
  }
  for (const auto& [what, change] : seen_by_references) {
    Results wrong = right;
    change(wrong);
    EXPECT_FALSE(verify(problem, data, wrong).passed()) << what;
  }
}

}  // namespace
}  // namespace speedwell::ssca1
