#include "speedwell/harness/tables/table.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "speedwell/harness/tables/verdict_colors.hpp"
#include "tests/harness/outcomes.hpp"
#include "tests/support/toy.hpp"

namespace speedwell::harness {
namespace {

// Outcomes of the toy: one for each variant that is added, with an execute of so many seconds in each of six passes.
class Tables : public testing::Test {
 protected:
  void add(const std::string& name, DeviceKind device, double seconds, const std::string& algorithm = "",
           Role role = Role::plain) {
    variants_.push_back({.name = name,
                         .backend = device == DeviceKind::gpu ? Backend::cuda : Backend::openmp,
                         .role = role,
                         .algorithm = algorithm});
    Outcome o = passed_outcome(toy_, variants_.back(), device, seconds, 6);
    o.end_to_end = {2 * seconds};
    o.work = toy_.work(o.problem);
    outcomes_.push_back(o);
  }
  // The cells of the summary's only row, and the lines below the table.
  std::string summary() { return summary_table({outcomes_}, machine_); }

  Application toy_ = test::toy_application();
  std::deque<Variant> variants_;
  std::vector<Outcome> outcomes_;
  machine::Machine machine_;
};

TEST_F(Tables, TheSummaryComparesOneAlgorithmAndNamesTheBestWhereItIsAnother) {
  add("openmp", DeviceKind::cores, 8);
  add("openmp-stored", DeviceKind::cores, 6, "stored");
  add("cuda", DeviceKind::gpu, 2);
  const std::string text = summary();
  EXPECT_NE(text.find("  4.00     4.00    3.00  "), std::string::npos) << text;
  EXPECT_NE(text.find("best of toy: cuda against openmp-stored\n"), std::string::npos) << text;
}

TEST_F(Tables, TheSummaryCountsPeersAmongTheBest) {
  add("openmp", DeviceKind::cores, 8);
  add("cuda", DeviceKind::gpu, 2);
  EXPECT_EQ(summary().find("best of"), std::string::npos) << "the pair that is shown is the best";
  add("cublas", DeviceKind::gpu, 1, "", Role::peer);
  const std::string text = summary();
  EXPECT_NE(text.find("  4.00     4.00    8.00  "), std::string::npos) << text;
  EXPECT_NE(text.find("best of toy: cublas against openmp\n"), std::string::npos) << text;
}

TEST_F(Tables, AnAlgorithmThatOneDeviceLacksHasNoSpeedup) {
  add("openmp", DeviceKind::cores, 8);
  add("cuda", DeviceKind::gpu, 2, "stored");
  const std::string text = summary();
  EXPECT_NE(text.find("  -        -    4.00  "), std::string::npos) << text;
}

TEST_F(Tables, WithoutAGpuTheSummarySetsOneCoreAgainstAll) {
  add("serial", DeviceKind::core, 8);
  add("openmp", DeviceKind::cores, 2);
  const std::string text = summary();
  EXPECT_NE(text.find("one core  all cores  x exec"), std::string::npos) << text;
  EXPECT_NE(text.find("8 s        2 s    4.00"), std::string::npos) << text;
  EXPECT_EQ(text.find("x total"), std::string::npos) << "no column that nothing could be in: " << text;
}

TEST_F(Tables, VariantsAreComparedWithOneCoreUnlessAGpuRan) {
  add("serial", DeviceKind::core, 8);
  add("openmp", DeviceKind::cores, 2);
  EXPECT_NE(comparison_table(outcomes_, machine_).find("speed-ups (x) are over serial"), std::string::npos);
  add("cuda", DeviceKind::gpu, 1);
  EXPECT_NE(comparison_table(outcomes_, machine_).find("speed-ups (x) are over openmp"), std::string::npos);
}

TEST_F(Tables, SkippedRowsAreListedOnceBelow) {
  add("serial", DeviceKind::core, 8);
  for (const char* name : {"cuda-naive", "cuda"}) {
    add(name, DeviceKind::gpu, 1);
    outcomes_.back().status = Status::skipped;
    outcomes_.back().reason = "no GPU here";
  }
  const std::string text = comparison_table(outcomes_, machine_);
  EXPECT_NE(text.find("  cuda-naive, cuda: no GPU here\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("skipped"), std::string::npos) << text;
}

TEST_F(Tables, PlanningHasAColumnOfItsOwnWhereThereIsSome) {
  add("openmp", DeviceKind::cores, 8);
  EXPECT_EQ(comparison_table(outcomes_, machine_).find("plan  "), std::string::npos);
  add("fftw", DeviceKind::cores, 4, "", Role::peer);
  outcomes_.back().plan = {60, 60};
  const std::string text = comparison_table(outcomes_, machine_);
  EXPECT_NE(text.find("variant  plan  execute"), std::string::npos) << text;
  EXPECT_NE(text.find("fftw     60 s      4 s"), std::string::npos) << text;
  EXPECT_NE(text.find("  openmp, fftw: 1 core of"), std::string::npos)
      << "the device is that of the variant's name: " << text;
  EXPECT_NE(text.find("speed-ups (x) are over openmp"), std::string::npos) << text;
}

TEST_F(Tables, EveryNumberOfPassesThatStandsForAnIntervalIsExplained) {
  for (const int passes : {1, 5, 6}) {
    variants_.push_back({.name = "openmp", .backend = Backend::openmp});
    outcomes_ = {passed_outcome(toy_, variants_.back(), DeviceKind::cores, 8, passes)};
    outcomes_[0].end_to_end = {16};
    const std::string text = comparison_table(outcomes_, machine_);
    EXPECT_EQ(text.find("n=" + std::to_string(passes) + " ") != std::string::npos, passes < 6) << text;
    EXPECT_EQ(text.find("n=N: so few passes") != std::string::npos, passes < 6) << text;
  }
}

TEST_F(Tables, EnergyThatWasAskedForIsThereOrHasAReason) {
  add("openmp", DeviceKind::cores, 8);
  outcomes_.back().energy_reason = energy_not_asked;
  EXPECT_EQ(comparison_table(outcomes_, machine_).find("energy"), std::string::npos);
  outcomes_.back().energy_reason = "no RAPL here";
  EXPECT_NE(comparison_table(outcomes_, machine_).find("  openmp: no energy: no RAPL here\n"), std::string::npos);
  outcomes_.back().energy_J = 12.5;
  const std::string text = comparison_table(outcomes_, machine_);
  EXPECT_NE(text.find("12.5 J"), std::string::npos) << text;
  EXPECT_EQ(text.find("RAPL"), std::string::npos) << text;
}

TEST_F(Tables, LinesAreWrapped) {
  EXPECT_EQ(wrapped("one two three", 2, 8), "one two\n  three\n");
  EXPECT_EQ(wrapped("  begins with blanks", 4, 80), "  begins with blanks\n");
  EXPECT_EQ(wrapped("longer-than-the-line", 2, 8), "longer-than-the-line\n");
}

TEST_F(Tables, AShortNameHasWhatDiffers) {
  const auto all = problems(toy_, find_size(toy_, "small"), {}, 1);
  EXPECT_EQ(short_name(all[0], all), "toy n=10 precision=f64");
  EXPECT_EQ(short_name(all[0], {all[0], all[1]}), "toy precision=f64");
  EXPECT_EQ(short_name(all[0], {all[0]}), "toy");
}

TEST(TableColors, AreThoseOfVerdictsAtTheEndsOfRows) {
  EXPECT_EQ(
      with_colors("variant  verdict\nserial        ok\nopenmp  ok, busy\ncuda  FAILED\n  ok is not a verdict here\n"),
      "variant  verdict\nserial        \x1b[32mok\x1b[0m\nopenmp  \x1b[33mok, busy\x1b[0m\ncuda  "
      "\x1b[1;31mFAILED\x1b[0m\n"
      "  ok is not a verdict here\n");
  EXPECT_EQ(with_colors("1 ERROR"), "1 \x1b[1;31mERROR\x1b[0m");
  EXPECT_EQ(with_colors("token\n\n"), "token\n\n");
}

}  // namespace
}  // namespace speedwell::harness
