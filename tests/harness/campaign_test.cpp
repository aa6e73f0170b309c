// Campaigns of the toy application: rounds, what the observer is asked and told, and the records and the end of a run.
#include "speedwell/harness/campaign.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "speedwell/harness/records/run_log.hpp"
#include "tests/harness/experiments.hpp"

namespace speedwell::harness {
namespace {

class Campaigns : public Experiments {
 protected:
  std::vector<Job> jobs(std::string_view variants, std::vector<Setting> set = {}) {
    std::vector<Job> all;
    for (Problem& problem : problems(toy_, find_size(toy_, "test"), set, 1))
      all.push_back({&toy_, problem, select_variants(toy_, variants)});
    return all;
  }
  // The outcomes of one job that is run in so many rounds, with the messages of its progress.
  std::vector<Outcome> run_campaign(const std::vector<Job>& all, int rounds) {
    Campaign campaign(machine_, measurement_, nullptr);
    std::vector<Outcome> found;
    CampaignObserver observer{.stop = &stop_};
    observer.is_unwanted = [this] { return unwanted_; };
    observer.progress = [this](const std::string& message) { progress_ += message + "\n"; };
    observer.done = [&](std::size_t, const std::vector<Outcome>& outcomes) {
      found.insert(found.end(), outcomes.begin(), outcomes.end());
    };
    campaign.run(all, rounds, std::nullopt, observer);
    return found;
  }

  bool unwanted_ = false;
  std::string progress_;
};

TEST_F(Campaigns, MakeOnePassOfEachJobInEachRound) {
  const auto outcomes = run_campaign(jobs("serial"), 3);
  ASSERT_FALSE(outcomes.empty());
  EXPECT_EQ(outcomes.front().status, Status::passed) << outcomes.front().reason;
  EXPECT_EQ(pass_count(outcomes.front().execute), 3);
  EXPECT_NE(progress_.find("measuring the host's ceilings\n"), std::string::npos) << progress_;
}

TEST_F(Campaigns, BeginNoJobThatNobodyWants) {
  unwanted_ = true;
  EXPECT_TRUE(run_campaign(jobs("serial"), 1).empty());
  unwanted_ = false;
  stop_ = true;
  EXPECT_TRUE(run_campaign(jobs("serial"), 1).empty());
}

TEST_F(Campaigns, ArePlannedWithoutBeingRun) {
  const PlanText plan = Campaign(machine_, measurement_, nullptr).plan_text(jobs("serial"), 60.0);
  const std::string& text = plan.text;
  EXPECT_EQ(plan.runs, jobs("serial").size());
  EXPECT_NE(text.find("problem  variants"), std::string::npos) << text;
  EXPECT_NE(text.find("no pass begins after about 60 s"), std::string::npos) << text;
}

TEST_F(Campaigns, ArePlannedWithoutATimeWhereNothingCanRun) {
  for (Variant& variant : toy_.variants) variant.make = nullptr;
  for (const std::optional<int> repeat : {std::optional<int>{}, std::optional<int>{3}})
    for (const std::optional<double> budget : {std::optional<double>{}, std::optional<double>{60.0}}) {
      measurement_.repeat = repeat;
      const PlanText plan = Campaign(machine_, measurement_, nullptr).plan_text(jobs("serial"), budget);
      EXPECT_TRUE(plan.text.ends_with(" of host memory\n")) << plan.text;
      EXPECT_EQ(plan.runs, 0u);
    }
}

TEST_F(Campaigns, AreNotPlannedWhereTheProblemDoesNotFitIntoMemory) {
  toy_.footprint = [](const Problem&) { return Footprint{.host_bytes = 1e18}; };
  const std::string text = Campaign(machine_, measurement_, nullptr).plan_text(jobs("serial"), std::nullopt).text;
  EXPECT_NE(text.find("left out: the problem needs "), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with(" of host memory\n")) << text;
}

using RunLogs = Experiments;

TEST_F(RunLogs, HaveRecordsAndAStatus) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / ("speedwell-run-log-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  RunLog log({"speedwell run toy", "2026-01-01T00:00:00Z", 1}, "serial", folder.string());
  const auto outcomes = run(toy_, "serial");
  log.add(outcomes, machine_, ceilings_);
  const RunEnd end = log.end(machine_, ceilings_, 0);
  EXPECT_EQ(end.status, 0);
  EXPECT_TRUE(end.errors.empty());
  EXPECT_EQ(end.document["runs"].size(), outcomes.size());
  EXPECT_TRUE(end.document["error"].is_null());
  std::ifstream lines(folder / "records.jsonl");
  const std::string text{std::istreambuf_iterator<char>(lines), {}};
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), outcomes.size());
  EXPECT_EQ(log.end(machine_, ceilings_, 130).status, 130) << "stopped by a signal";
  fs::remove_all(folder);
}

TEST_F(RunLogs, TellOfWrongAnswersAndOfVariantsThatCannotRun) {
  auto outcomes = run(toy_, "serial");
  ASSERT_FALSE(outcomes.empty());
  Outcome wrong = outcomes.front();
  wrong.status = Status::failed;
  wrong.reason = "the answer is wrong";
  RunLog failed({}, "", "");
  failed.add({wrong}, machine_, ceilings_);
  const RunEnd end = failed.end(machine_, ceilings_, 0);
  EXPECT_EQ(end.status, 1);
  ASSERT_EQ(end.errors.size(), 1u);
  EXPECT_NE(end.errors.front().find("serial: the answer is wrong"), std::string::npos) << end.errors.front();
  EXPECT_EQ(end.document["error"]["id"], "verdict");
  Outcome skipped = outcomes.front();
  skipped.status = Status::skipped;
  skipped.reason = "there is no such device";
  skipped.execute.clear();
  RunLog nothing({}, "serial", "");
  nothing.add({skipped}, machine_, ceilings_);
  const RunEnd none = nothing.end(machine_, ceilings_, 0);
  EXPECT_EQ(none.status, 4);
  EXPECT_NE(none.unavailable.find("serial: there is no such device"), std::string::npos) << none.unavailable;
  EXPECT_EQ(none.document["error"]["id"], "unavailable");
}

}  // namespace
}  // namespace speedwell::harness
