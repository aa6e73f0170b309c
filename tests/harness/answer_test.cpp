#include "speedwell/harness/report/answer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <sstream>
#include <string>

#include "speedwell/harness/problems.hpp"
#include "tests/harness/outcomes.hpp"
#include "tests/support/toy.hpp"

namespace speedwell::harness {
namespace {

class Answers : public testing::Test {
 protected:
  Answers() {
    machine_.cpu.name = "a processor";
    machine_.cpu.cores = 4;
    machine_.gpus.push_back({});
    machine_.gpus.front().name = "NVIDIA T";
  }
  Outcome& add(const std::string& name, DeviceKind device, double seconds, double total) {
    variants_.push_back({.name = name, .backend = device == DeviceKind::gpu ? Backend::cuda : Backend::openmp});
    Outcome o = passed_outcome(toy_, variants_.back(), device, seconds, passes_);
    o.threads = device == DeviceKind::cores ? 4 : 1;
    o.gpu = device == DeviceKind::gpu ? 0 : -1;
    o.end_to_end = {total};
    rows_.back().outcomes.push_back(o);
    return rows_.back().outcomes.back();
  }
  static void limit(Outcome& o, double seconds, const char* bound) {
    o.limit.limit = Limit{seconds, bound, "ceiling", 1, "GB/s"};
  }
  std::string text() const { return report::answer(rows_, machine_); }

  Application toy_ = test::toy_application();
  std::deque<Variant> variants_;
  std::vector<report::HeadlineRow> rows_ = {{"a toy's problem", {}}};
  machine::Machine machine_;
  int passes_ = 6;
};

TEST_F(Answers, OneRowHasAllDevicesAndBothRatiosAndSaysWhy) {
  add("serial", DeviceKind::core, 16, 17);
  limit(add("openmp", DeviceKind::cores, 8, 10), 7.2, "memory");
  limit(add("cuda", DeviceKind::gpu, 0.5, 20), 0.4, "memory");
  const std::string all = text();
  EXPECT_NE(all.find("toy          a toy's problem      16 s        8 s  500 ms  16.0     0.50  80 % mem\n"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("toy: memory-bound on both sides, at 90 % and 80 % of the limits: the ratio is about that of the\n"
                     "  bandwidths, 18.0; with allocation and transfers it pays from 3 executes per upload on\n"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("faster in 0 of 1."), std::string::npos) << all;
  EXPECT_EQ(all.find('*'), std::string::npos) << all;
}

TEST_F(Answers, OnlyALimitThatIsCloseIsSaidToBound) {
  limit(add("openmp", DeviceKind::cores, 8, 10), 1, "memory");
  limit(add("cuda", DeviceKind::gpu, 0.5, 0.6), 0.4, "arithmetic");
  const std::string all = text();
  EXPECT_NE(
      all.find("toy: the host is at 12 % of its memory limit and the GPU at 80 % of its arithmetic limit; the limits\n"
               "  alone would give 2.50\n"),
      std::string::npos)
      << all;
  EXPECT_EQ(all.find("-bound"), std::string::npos) << all;
}

TEST_F(Answers, FewPassesAreMarked) {
  passes_ = 2;
  add("serial", DeviceKind::core, 16, 17);
  add("openmp", DeviceKind::cores, 8, 10);
  const std::string all = text();
  EXPECT_NE(all.find("16 s*"), std::string::npos) << all;
  EXPECT_NE(all.find("*: of fewer than 5 passes"), std::string::npos) << all;
}

TEST_F(Answers, WithoutAGpuThereIsNoColumnOfOneAndReasonsStandOnce) {
  machine_.gpus.clear();
  add("serial", DeviceKind::core, 16, 17);
  limit(add("openmp", DeviceKind::cores, 8, 10), 4, "arithmetic");
  for (const char* name : {"cuda", "cuda-a", "cuda-b", "cuda-c"}) {
    Outcome& o = add(name, DeviceKind::gpu, 1, 1);
    o.status = Status::skipped;
    o.execute.clear();
    o.reason = "no NVIDIA driver here";
  }
  const std::string all = text();
  EXPECT_EQ(all.find("x total"), std::string::npos) << all;
  EXPECT_NE(all.find("all cores  cores x"), std::string::npos) << all;
  EXPECT_NE(all.find("toy: arithmetic-bound; openmp"), std::string::npos) << all;
  EXPECT_NE(all.find("left out: 4 rows: no NVIDIA driver here\n"), std::string::npos) << all;
  EXPECT_EQ(all.find("no NVIDIA driver here"), all.rfind("no NVIDIA driver here")) << all;
  EXPECT_NE(all.find("openmp on 4 threads is at 50 % of the limit and 2.00 times as fast as serial"), std::string::npos)
      << all;
}

TEST_F(Answers, ARecordOfOlderSourcesIsMarked) {
  machine_.gpus.clear();
  add("openmp", DeviceKind::cores, 8, 10);
  const std::string key = key_of(rows_.front().outcomes.front().problem);
  for (const char* digest : {"", "0123456789abcdef"}) {  // the toy has none
    const report::RecordedRun run{key, 2, 3, digest};
    const std::string all = report::answer(rows_, machine_, {"one NVIDIA T", "2026-01-01", {&run, 1}});
    EXPECT_NE(all.find(*digest ? " 2 s+    4.00\n" : " 2 s    4.00\n"), std::string::npos) << all;
    EXPECT_EQ(all.find("+: measured with older sources") != std::string::npos, *digest != 0) << all;
  }
}

TEST_F(Answers, AFailedRowHasNoFigureAndSaysSo) {
  add("openmp", DeviceKind::cores, 8, 10);
  Outcome& o = add("cuda", DeviceKind::gpu, 1, 1);
  o.status = Status::failed;
  o.execute.clear();
  o.reason = "off by one";
  const std::string all = text();
  EXPECT_NE(all.find("toy cuda: failed: off by one\n"), std::string::npos) << all;
}

TEST_F(Answers, ADisturbedHostIsReportedAndIsNoBase) {
  add("serial", DeviceKind::core, 8, 9);
  add("openmp", DeviceKind::cores, 80, 81);  // threads that waited for each other
  add("cuda", DeviceKind::gpu, 2, 3);
  const std::string all = text();
  EXPECT_NE(all.find("toy          a toy's problem       8 s       80 s  2 s  4.00     3.00"), std::string::npos)
      << all;
  EXPECT_NE(all.find("All cores take a quarter longer than one, or more, in 1 of 1 row:"), std::string::npos) << all;
}

TEST_F(Answers, ABusyHostIsMarked) {
  add("serial", DeviceKind::core, 8, 9);
  add("openmp", DeviceKind::cores, 4, 5).host_load = machine::HostLoad{2, 0.3, 0, 10};
  add("cuda", DeviceKind::gpu, 2, 3).host_load = machine::HostLoad{2, 0.3, 0, 10};
  const std::string all = text();
  EXPECT_NE(all.find(" 8 s       4 s!  2 s "), std::string::npos) << all;
  EXPECT_NE(all.find("!: other processes used a tenth of the processors"), std::string::npos) << all;
  EXPECT_NE(all.find("In 1 of 1 row a time of the host was too brief to be watched"), std::string::npos) << all;
}

TEST_F(Answers, TheLimitIsThatOfTheVariantThatIsNamed) {
  machine_.gpus.clear();
  limit(add("serial", DeviceKind::core, 8, 9), 2, "memory");
  limit(add("openmp", DeviceKind::cores, 10, 11), 1, "memory");
  const std::string all = text();
  EXPECT_NE(all.find("toy: serial is at 25 % of its memory limit; openmp on 4 threads is 0.80 times as fast\n"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("over the time of the faster of the two"), std::string::npos) << all;
}

TEST_F(Answers, WithoutLimitsThereIsNoColumnOfThemAndUnstableCeilingsAreListedOnce) {
  machine_.gpus.clear();
  add("openmp", DeviceKind::cores, 8, 10).limit.reason = "the ceiling host.copy was not stable: 7 to 75 GB/s";
  rows_.push_back({"another problem", {}});
  add("openmp", DeviceKind::cores, 8, 10).limit.reason = "the ceiling host.read was not stable: 8 to 80 GB/s";
  const std::string all = text();
  EXPECT_EQ(all.find("of limit"), std::string::npos) << all;
  EXPECT_NE(all.find("toy, toy: no limit, as the bandwidths and rates"), std::string::npos) << all;
  EXPECT_EQ(all.find("no limit"), all.rfind("no limit")) << all;
}

TEST_F(Answers, NoLineIsLongerThanAHundredColumns) {
  rows_.front().problem = "a headline, 1234x567";
  toy_.name = "incompressible_flow";
  limit(add("serial", DeviceKind::core, 1.2345, 17), 1, "memory");
  limit(add("openmp", DeviceKind::cores, 0.12345, 10), 0.1, "memory");
  limit(add("cuda", DeviceKind::gpu, 0.0123, 20), 0.01, "arithmetic");
  std::istringstream lines(text());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST(Recorded, HasProblemsOfSeveralApplications) {
  const report::Recorded known = report::recorded();
  EXPECT_EQ(known.gpu, "one NVIDIA H200");
  EXPECT_GE(known.runs.size(), 10u);
  for (const report::RecordedRun& run : known.runs) {
    EXPECT_FALSE(run.key.empty());
    EXPECT_GT(run.execute_seconds, 0);
    EXPECT_GE(run.end_to_end_seconds, run.execute_seconds) << run.key;
    EXPECT_EQ(run.source_digest.size(), 16u) << run.key;
  }
}

TEST(Recorded, KeysOfTheFormerStencilAreTheOnesOfToday) {
  EXPECT_EQ(
      report::current_key("stencil kernel=e n=0 nx=8 boundary=default precision=f64 values=dyadic steps=36 tolerance=0 "
                          "preconditioner=none omega=0.8 matrix=7-point seed=1"),
      "stencil kernel=e n=0 nx=8 boundary=periodic precision=f64 values=dyadic steps=36 seed=1");
  const std::string other = "cg n=0 nx=8 tolerance=0 preconditioner=none omega=0.8 matrix=7-point seed=1";
  EXPECT_EQ(report::current_key(other), other);
}

}  // namespace
}  // namespace speedwell::harness
