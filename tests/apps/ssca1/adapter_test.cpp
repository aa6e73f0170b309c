// The work that SSCA#1 counts, its verdicts on samples, its results as numbers, and what it refuses.
#include "speedwell/apps/ssca1/adapter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "speedwell/apps/ssca1/adapter_workload.hpp"
#include "speedwell/apps/ssca1/verify/reference.hpp"
#include "speedwell/harness/problems.hpp"
#include "tests/apps/lifecycle.hpp"

namespace speedwell::ssca1 {
namespace {

using harness::problem_with;
using harness::row;
using harness::Setting;

/// With several regions for every query.
std::vector<Setting> little(std::int64_t kernel, std::vector<Setting> more = {}) {
  std::vector<Setting> settings = {{"kernel", std::to_string(kernel)},
                                   {"main_length", std::int64_t{1500}},
                                   {"match_length", std::int64_t{700}},
                                   {"similar_score", std::int64_t{0}},
                                   {"places", std::int64_t{6}}};
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}
std::shared_ptr<const Ssca1Workload> case_of(const harness::Problem& problem) {
  return std::static_pointer_cast<const Ssca1Workload>(application().prepare(problem));
}

// The windows and the boxes, where the whole table is too large for its reference.
TEST(Ssca1Verdict, ASampleOfWindowsSeesWhatChangesInThem) {
  Problem problem;
  problem.data.main_length = 60000;
  problem.data.match_length = 40;
  const Data data = make_data(problem.data);
  const OracleEffort effort{.whole = 0, .sample = 5e6};
  const EndpointOracle oracle = endpoint_oracle(problem, data, effort);
  ASSERT_EQ(oracle.windows.size(), 8u);
  EXPECT_FALSE(oracle.whole);
  EXPECT_EQ(oracle.windows.front().first, 1);
  EXPECT_EQ(oracle.windows.back().last, 60163);
  EXPECT_NE(oracle.text.find("in 8 windows with"), std::string::npos) << oracle.text;

  // The windows have the values of the whole table there.
  const auto all = reference::candidates(data.main.span(), data.match.span(), problem.scoring(), problem.endpoints);
  std::vector<Endpoint> inside;
  for (const Endpoint& e : all)
    for (const Window& window : oracle.windows)
      if (window.holds(e.main)) inside.push_back(e);
  EXPECT_EQ(oracle.candidates, inside);

  const Endpoints right = pairwise_align(data.main.span(), data.match.span(), problem.scoring());
  const auto passes = [&](const Endpoints& found) {
    Findings findings;
    verify_kernel1(problem, data, oracle, found, findings);
    return findings.failures() == 0;
  };
  EXPECT_TRUE(passes(right));
  int lost_and_seen = 0;
  for (std::size_t k = 0; k < right.accepted.size(); k += 3) {
    for (const int change : {-1, 1}) {
      Endpoints wrong = right;
      wrong.accepted[k].score += change;
      EXPECT_FALSE(passes(wrong)) << "score of endpoint " << k;
    }
    Endpoints wrong = right;
    wrong.accepted.erase(wrong.accepted.begin() + static_cast<std::ptrdiff_t>(k));
    bool seen = false;
    for (const Window& window : oracle.windows) seen = seen || window.holds(right.accepted[k].main);
    if (seen) {
      EXPECT_FALSE(passes(wrong)) << "endpoint " << k << " lost";
    }
    lost_and_seen += seen;
  }
  EXPECT_GT(lost_and_seen, 3);
  Endpoints uncounted = right;
  uncounted.candidates = 1;
  EXPECT_FALSE(passes(uncounted));
}

TEST(Ssca1Verdict, RegionsAreComparedWithWindowsToo) {
  Problem problem;
  problem.data.main_length = 30000;
  problem.data.match_length = 500;
  problem.similar.minimum_score = 5;
  const Data data = make_data(problem.data);
  const Scoring scoring = problem.scoring();
  const Codes main = data.main.span(), match = data.match.span();
  const std::vector<Codes> queries = {match.subspan(70, 12), match.subspan(200, 7), match.subspan(400, 30)};
  const SimilarOracle oracle = similar_oracle(problem, data, queries, {.whole = 0, .sample = 5e5});
  ASSERT_GT(oracle.windows.size(), 2u);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    std::size_t inside = 0;
    for (const SimilarRegion& region : reference::regions(main, queries[q], scoring, problem.similar))
      for (const Window& window : oracle.windows) {
        if (!window.holds(region.end)) continue;
        ++inside;
        EXPECT_NE(std::find(oracle.candidates[q].begin(), oracle.candidates[q].end(), region),
                  oracle.candidates[q].end());
      }
    EXPECT_EQ(inside, oracle.candidates[q].size());
  }
  const auto right = locate_similar(main, queries, scoring, problem.similar);
  const auto passes = [&](const std::vector<std::vector<SimilarRegion>>& found) {
    Findings findings;
    verify_kernel3(problem, data, queries, oracle, found, findings);
    return findings.failures() == 0;
  };
  EXPECT_TRUE(passes(right));
  int lost_and_seen = 0;
  for (std::size_t q = 0; q < right.size(); ++q)
    for (std::size_t p = 0; p < right[q].size(); ++p) {
      auto wrong = right;
      ++wrong[q][p].score;
      EXPECT_FALSE(passes(wrong));
      wrong = right;
      wrong[q].erase(wrong[q].begin() + static_cast<std::ptrdiff_t>(p));
      for (const Window& window : oracle.windows)
        if (window.holds(right[q][p].end)) {
          EXPECT_FALSE(passes(wrong)) << "region " << p << " of query " << q << " lost";
          ++lost_and_seen;
        }
    }
  EXPECT_GT(lost_and_seen, 3);
}

TEST(Ssca1Result, EveryKernelReadsItsOwnNumbersBackAndNoOthers) {
  const harness::Application app = application();
  for (std::int64_t kernel = 1; kernel <= 5; ++kernel) {
    const auto run = completed_run(app, row(app, "openmp"), problem_with(app, little(kernel)));
    const harness::Output output = run->outputs().at(0);
    const std::span<const std::int64_t> numbers(static_cast<const std::int64_t*>(output.data), output.count);
    const auto k = static_cast<int>(kernel);
    EXPECT_EQ(flatten(unflatten(k, numbers)), std::vector<std::int64_t>(numbers.begin(), numbers.end()));
    EXPECT_THROW(unflatten(k, numbers.first(numbers.size() - 1)), std::invalid_argument);
    EXPECT_THROW(unflatten(k, {}), std::invalid_argument);
    std::vector<std::int64_t> wrong(numbers.begin(), numbers.end());
    wrong.push_back(0);
    EXPECT_THROW(unflatten(k, wrong), std::invalid_argument);
    for (std::int64_t& number : wrong) number = INT64_MAX;
    EXPECT_THROW(unflatten(k, wrong), std::invalid_argument);
  }
}

TEST(Ssca1Application, WorkCountsTheCellsThatTheDefinitionsNeed) {
  const harness::Application app = application();
  std::array<double, 5> updates{};
  for (std::int64_t kernel = 1; kernel <= 5; ++kernel) {
    const auto c = case_of(problem_with(app, little(kernel)));
    const harness::Work work = c->work();
    updates[static_cast<std::size_t>(kernel - 1)] = work.updates;
    EXPECT_GT(work.bytes_read, 0);
    EXPECT_GT(work.bytes_written, 0);
    const double of_cell[] = {1.75, 2.5, 0.25, 3, 3}, on_all_cores[] = {2.5, 2.5, 2.5, 3, 3};
    EXPECT_EQ(work.operations, of_cell[kernel - 1] * work.updates);
    EXPECT_EQ(c->work_of("cuda").operations, work.operations);
    EXPECT_EQ(c->work_of("openmp").operations, on_all_cores[kernel - 1] * work.updates);
    EXPECT_EQ(c->work_of("serial").operations, (kernel == 1 ? 10 : on_all_cores[kernel - 1]) * work.updates);
    EXPECT_EQ(work.no_limit.empty(), kernel != 2 && kernel != 5);
    if (kernel == 1) {
      const harness::Work rows = c->work_of("cuda-rows"), sections = c->work_of("cuda-sections");
      EXPECT_EQ(rows.bytes_read, 9 * work.updates);
      EXPECT_EQ(rows.bytes_written, 8 * work.updates);
      EXPECT_EQ(rows.operations, 4.5 * work.updates);
      EXPECT_GT(rows.working_set, 12 * 1663);
      EXPECT_EQ(sections.bytes_read, work.bytes_read);
      EXPECT_EQ(sections.operations, 4.5 * work.updates);
    }
    if (kernel == 3) {
      double symbols = 0;
      for (const Codes query : c->queries) symbols += static_cast<double>(query.size());
      EXPECT_EQ(work.updates, 1663 * symbols);
    }
  }
  EXPECT_EQ(updates[0], 1663.0 * 863.0);
  EXPECT_EQ(app.work(problem_with(app, little(1))).updates, updates[0]);
  // The rectangles of the strings alone: 14 x 14 three times, 11 x 11, 18 x 18, 20 x 20.
  EXPECT_GE(updates[1], 3 * 196 + 121 + 324 + 400);
  EXPECT_LT(updates[1], 5000);
  EXPECT_GT(updates[3], updates[4]);
  EXPECT_GT(updates[4], 0);
}

TEST(Ssca1Application, SeedsGiveOtherDataAndTheFirstTheBenchmarks) {
  const harness::Application app = application();
  const auto first = case_of(problem_with(app, little(1))), second = case_of(problem_with(app, little(1), 2));
  EXPECT_EQ(first->problem.data.main_seed, 314159265u);
  EXPECT_EQ(first->problem.data.match_seed, 271828183u);
  EXPECT_FALSE(std::equal(first->main().begin(), first->main().end(), second->main().begin()));
}

TEST(Ssca1Application, TestSizeIsTheGoldenProblem) {
  const harness::Application app = application();
  const auto all = harness::problems(app, harness::find_size(app, "test"), {}, 1);
  ASSERT_EQ(all.size(), 5u);
  for (const int kernel : {1, 2}) {
    const core::Verdict verdict =
        completed_run(app, row(app, "openmp"), all[static_cast<std::size_t>(kernel - 1)])->verify();
    EXPECT_TRUE(verdict.passed);
    EXPECT_NE(verdict.oracle.find("golden values"), std::string::npos) << verdict.oracle;
  }
}

TEST(Ssca1Application, RefusesProblemsBeforeAnythingIsAllocated) {
  const harness::Application app = application();
  // 5 * 863 - 8 - 20 = 4287 symbols of main without partner, and 863 with one.
  const std::int64_t minimum = 863 + 4287 - 1;
  const auto with = [&](std::int64_t overlap, std::int64_t sections) {
    return problem_with(app, little(1, {{"overlap", overlap}, {"sections", sections}}));
  };
  EXPECT_THROW(app.footprint(with(minimum - 1, 0)), std::invalid_argument);
  EXPECT_THROW(app.work(with(59, 4)), std::invalid_argument);
  EXPECT_NO_THROW(app.footprint(with(0, 1)));  // one section overlaps nothing
  EXPECT_TRUE(completed_run(app, row(app, "overlap"), with(minimum, 3))->verify().passed);

  const auto sized = [&](std::int64_t kernel, std::int64_t main, std::int64_t match) {
    return problem_with(app, {{"kernel", std::to_string(kernel)}, {"main_length", main}, {"match_length", match}});
  };
  for (const std::string name : {"serial", "row-scan", "anti-diagonal", "overlap", "tiles"})
    EXPECT_TRUE(row(app, name).unsupported_reason(sized(1, std::int64_t{1} << 30, 1000))) << name;
  EXPECT_FALSE(row(app, "serial").unsupported_reason(sized(1, 1 << 20, 1000)));
  EXPECT_FALSE(row(app, "serial").unsupported_reason(sized(3, std::int64_t{1} << 30, 1000)));
  for (const std::string name : {"tiles", "cuda-diagonals", "cuda-sweeps", "cuda-rows", "cuda-sections"}) {
    EXPECT_TRUE(row(app, name).unsupported_reason(sized(1, std::int64_t{1} << 30, 1000))) << name;
    EXPECT_FALSE(row(app, name).unsupported_reason(sized(1, 1 << 24, 1024))) << name;
    EXPECT_NE(row(app, name).unsupported_reason(sized(4, 1000, 1000)).value_or("").find("kernel 1"), std::string::npos)
        << name;
  }
  EXPECT_NE(row(app, "cuda-diagonals").unsupported_reason(sized(1, 1 << 26, 100)).value_or("").find("67e6 kernel"),
            std::string::npos);
  EXPECT_TRUE(row(app, "cuda-rows").unsupported_reason(sized(1, 10, 100'000'000)));
  EXPECT_GT(row(app, "cuda-rows").footprint(sized(1, 1 << 24, 1024)).device_bytes, 13.0 * (1 << 24));
}

TEST(Ssca1Application, TakesNucleotidesPlainCellsAndEveryPreset) {
  const harness::Application app = application();
  const auto text = [](std::string value) { return harness::Value(std::move(value)); };
  const std::vector<std::vector<Setting>> all = {
      {{"preset", text("dissertation")}},
      {{"preset", text("ornl")}, {"strings", text("no")}},
      {{"mode", text("plain")}, {"count", std::int64_t{50}}},
      {{"alphabet", text("letters")}, {"main_length", std::int64_t{150}}, {"match_length", std::int64_t{100}}},
  };
  for (const auto& settings : all)
    for (std::int64_t kernel = 1; kernel <= 5; ++kernel) {
      std::vector<Setting> set = settings;  // before those of little(), which they replace
      for (const Setting& s : little(kernel)) set.push_back(s);
      const core::Verdict verdict = completed_run(app, row(app, "openmp"), problem_with(app, set))->verify();
      EXPECT_TRUE(verdict.passed) << harness::to_string(settings[0].value) << ", kernel " << kernel << ": "
                                  << verdict.oracle;
    }
}

}  // namespace
}  // namespace speedwell::ssca1
