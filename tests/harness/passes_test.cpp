// How many passes a variant makes, and how many samples each of them has.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "speedwell/harness/rounds.hpp"
#include "tests/harness/experiments.hpp"

namespace speedwell::harness {
namespace {

TEST_F(Experiments, KeepsEverySampleOfEveryPhase) {
  const auto outcomes = run(toy_, "serial,openmp");
  ASSERT_EQ(outcomes.size(), 2u);
  for (const Outcome& o : outcomes) {
    EXPECT_EQ(o.status, Status::passed);
    EXPECT_EQ(o.execute.size(), 12u);
    EXPECT_EQ(o.end_to_end.size(), 6u) << "one sample of end-to-end from each of six passes";
    EXPECT_TRUE(o.verdict->passed);
  }
  EXPECT_EQ(outcomes[0].result_digest, outcomes[1].result_digest) << "the same answer has the same digest";
  EXPECT_EQ(outcomes[0].device, DeviceKind::core);
  EXPECT_EQ(outcomes[1].device, DeviceKind::cores);
}

TEST_F(Experiments, ATracedPassIsNotMeasured) {
  core::Trace trace;
  const auto outcomes = run(toy_, "serial,openmp", {}, &trace);
  for (const Outcome& o : outcomes) {
    EXPECT_EQ(o.status, Status::passed);
    EXPECT_EQ(o.execute.size(), 12u);
    EXPECT_EQ(o.end_to_end.size(), 6u);
  }
  const auto count = [&](std::string_view name) {
    return std::count_if(trace.events().begin(), trace.events().end(), [&](const auto& e) { return e.name == name; });
  };
  for (const char* phase : {"prepare", "allocate", "plan", "upload", "first execute", "execute", "download", "verify"})
    EXPECT_EQ(count(phase), 2) << phase << ": once for each variant";
  for (const char* variant : {": serial", ": openmp"})
    EXPECT_EQ(
        std::count_if(trace.events().begin(), trace.events().end(),
                      [&](const auto& e) { return e.name.starts_with("toy n=100") && e.name.ends_with(variant); }),
        1);
  EXPECT_EQ(core::Trace::active(), nullptr);
}

TEST_F(Experiments, WhatHasFailedIsNotTraced) {
  core::Trace trace;
  const auto outcomes = run(toy_, "drifts", {}, &trace);
  EXPECT_EQ(outcomes.front().status, Status::failed);
  EXPECT_TRUE(trace.events().empty());
}

TEST_F(Experiments, AWrongAnswerOfTheTracedPassFails) {
  // The verdicts of a run that computes the right answer but while it is traced.
  class Treacherous : public test::ToyRun {
   public:
    using ToyRun::ToyRun;
    core::Verdict verify() override {
      core::Verdict verdict = ToyRun::verify();
      if (core::Trace::active()) verdict.passed = false;
      return verdict;
    }
  };
  for (Variant& v : toy_.variants)
    if (v.name == "openmp") v.make = make_run<test::ToyCase, Treacherous>(test::ToyRun::Behaviour::right, 0.0);
  core::Trace trace;
  const auto outcomes = run(toy_, "openmp", {}, &trace);
  EXPECT_EQ(outcomes.front().status, Status::failed);
  EXPECT_TRUE(outcomes.front().execute.empty());
}

TEST_F(Experiments, PlanningIsAPhaseOfItsOwn) {
  class Planning : public test::ToyRun {
   public:
    using ToyRun::ToyRun;
    bool plan() override {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return true;
    }
  };
  for (Variant& v : toy_.variants)
    if (v.name == "openmp") v.make = make_run<test::ToyCase, Planning>(test::ToyRun::Behaviour::right, 0.0);
  const auto outcomes = run(toy_, "serial,openmp");
  EXPECT_TRUE(outcomes[0].plan.empty()) << "nothing to plan";
  ASSERT_EQ(outcomes[1].plan.size(), 6u) << "one of each pass";
  for (std::size_t pass = 0; pass < 6; ++pass) {
    EXPECT_GE(outcomes[1].plan[pass], 20e-3);
    EXPECT_LT(outcomes[1].allocate[pass] + outcomes[1].prepare[pass], outcomes[1].plan[pass]);
    const Outcome& o = outcomes[1];
    std::vector<double> samples;
    for (const Sample& s : o.execute)
      if (s.pass == static_cast<int>(pass)) samples.push_back(s.seconds);
    EXPECT_DOUBLE_EQ(o.end_to_end[pass], o.prepare[pass] + o.allocate[pass] + o.upload[pass] + o.download[pass] +
                                             std::max(o.first_execute[pass], core::median(samples)))
        << "without the planning";
  }
}

TEST_F(Experiments, EndToEndIsNeverBelowExecute) {
  // The first execute of every pass is faster than those after it.
  class Tiring : public test::ToyRun {
   public:
    using ToyRun::ToyRun;
    void execute() override {
      if (executes_++ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ToyRun::execute();
    }

   private:
    int executes_ = 0;
  };
  for (Variant& v : toy_.variants)
    if (v.name == "serial") v.make = make_run<test::ToyCase, Tiring>(test::ToyRun::Behaviour::right, 0.0);
  const auto outcomes = run(toy_, "serial");
  EXPECT_LT(core::median(outcomes[0].first_execute), 2e-3);
  EXPECT_GE(core::median(outcomes[0].end_to_end), median_seconds(outcomes[0].execute));
}

TEST_F(Experiments, OnePassMayBeMadeOfTheQuickVariantsAlone) {
  measurement_.rounds = 8;
  measurement_.all_rounds = true;
  const auto problem = problems(toy_, find_size(toy_, "test"), {}, 1).front();
  Experiment experiment(toy_, problem, select_variants(toy_, "serial,slow"), measurement_, environment());
  experiment.advance(1);
  auto pending = experiment.pending();
  ASSERT_EQ(pending.size(), 2u);
  EXPECT_EQ(pending[0].passes, 1);
  EXPECT_GT(pending[1].pass_seconds, pending[0].pass_seconds) << "slow sleeps for 2 ms in each execute";
  experiment.advance_once(0);
  EXPECT_EQ(experiment.pending()[0].passes, 1) << "no pass takes no time";
  const double quick = pending[0].pass_seconds;
  experiment.advance_once(quick);
  EXPECT_EQ(experiment.pending()[0].passes, 2);
  EXPECT_EQ(experiment.pending()[1].passes, 1);
  experiment.advance_once(1e9);
  EXPECT_EQ(experiment.pending()[0].passes, 3);
  EXPECT_EQ(experiment.pending()[1].passes, 2);
  experiment.advance();
  EXPECT_TRUE(experiment.pending().empty());
  for (const Outcome& o : experiment.conclude()) EXPECT_EQ(pass_count(o.execute), 8u);
}

TEST(Rounds, GiveTheShortPassesTheirIntervalsFirst) {
  const std::vector<PendingVariant> pending = {{5.0, 1}, {0.1, 1}, {0.5, 1}, {2.0, 1}};
  // 5 x (0.1 + 0.5) fits into 10 s, 5 x 2 more does not.
  EXPECT_EQ(longest_pass_of_next_round(pending, 6, 10), 0.5);
  EXPECT_EQ(longest_pass_of_next_round(pending, 6, 13), 2.0);
  EXPECT_EQ(longest_pass_of_next_round(pending, 6, 38), 5.0);
  EXPECT_EQ(longest_pass_of_next_round(pending, 6, 0.6), 0.1);
  EXPECT_EQ(longest_pass_of_next_round(pending, 6, 0.2), 0.1) << "not all five, but one";
  EXPECT_EQ(longest_pass_of_next_round(pending, 6, 0.05), std::nullopt);
  EXPECT_EQ(longest_pass_of_next_round(pending, 6, -1), std::nullopt);
  EXPECT_EQ(longest_pass_of_next_round({}, 6, 100), std::nullopt);
}

TEST(Rounds, GiveWhatIsLeftToTheSlowOnes) {
  // The short ones have their six: a round of all takes 7.6 s, one without the longest 2.6 s.
  const std::vector<PendingVariant> pending = {{5.0, 1}, {0.1, 6}, {0.5, 7}, {2.0, 1}};
  EXPECT_EQ(longest_pass_of_next_round(pending, 6, 8), 5.0);
  EXPECT_EQ(longest_pass_of_next_round(pending, 6, 7), 2.0);
  EXPECT_EQ(longest_pass_of_next_round(pending, 6, 2), 0.5);
  // Until then they are all that is made.
  EXPECT_EQ(longest_pass_of_next_round({{5.0, 1}, {0.1, 5}}, 6, 8), 0.1);
}

TEST_F(Experiments, PassesMayBeMadeAFewAtATime) {
  int prepared = 0;
  toy_.prepare = [&, prepare = toy_.prepare](const Problem& p) {
    ++prepared;
    return prepare(p);
  };
  measurement_.repeat.reset();
  measurement_.precision = 1e9;
  const auto problem = problems(toy_, find_size(toy_, "test"), {}, 1).front();
  Experiment experiment(toy_, problem, select_variants(toy_, "serial,slow"), measurement_, environment());
  EXPECT_EQ(prepared, 0) << "nothing is prepared before it is wanted";
  experiment.advance(1);
  EXPECT_FALSE(experiment.done());
  experiment.advance(1);  // both have one
  experiment.advance(4);
  experiment.advance();
  EXPECT_TRUE(experiment.done());
  EXPECT_EQ(prepared, 1);
  const auto outcomes = experiment.conclude();
  ASSERT_EQ(outcomes.size(), 2u);
  for (const Outcome& o : outcomes) {
    EXPECT_EQ(o.status, Status::passed) << o.reason;
    EXPECT_EQ(pass_count(o.execute), 6u);
    EXPECT_EQ(o.end_to_end.size(), 6u);
  }
}

TEST_F(Experiments, RoundsAreSoManyPassesHoweverFarTheyDiffer) {
  measurement_.repeat.reset();
  measurement_.precision = 1e-9;  // never reached: without rounds there would be passes until the time is over
  measurement_.rounds = passes_of_the_widest_interval;
  measurement_.max_seconds = 0.2;
  const auto problem = problems(toy_, find_size(toy_, "test"), {}, 1).front();
  Experiment experiment(toy_, problem, select_variants(toy_, "serial"), measurement_, environment());
  for (int round = 1; round <= measurement_.rounds; ++round) {
    EXPECT_FALSE(experiment.done()) << "before round " << round;
    experiment.advance(round);
  }
  EXPECT_TRUE(experiment.done());
  const Outcome o = experiment.conclude().front();
  ASSERT_EQ(o.status, Status::passed) << o.reason;
  EXPECT_EQ(pass_count(o.execute), 8u);
  const auto medians = pass_medians(o.execute);
  const auto interval = summarize(o.execute).interval;
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->first, *std::min_element(medians.begin(), medians.end()));
  EXPECT_EQ(interval->second, *std::max_element(medians.begin(), medians.end()))
      << "the widest interval is all of them";
}

TEST_F(Experiments, OneSlowSampleDoesNotMakeAPass) {
  // The first execute after the setup is slow: such a sample once took a pass's whole time, and its median was that
  // sample.
  class Waking : public test::ToyRun {
   public:
    using ToyRun::ToyRun;
    void execute() override {
      ToyRun::execute();
      if (++executes_ == 2) std::this_thread::sleep_for(std::chrono::milliseconds(55));
    }

   private:
    int executes_ = 0;
  };
  toy_.variants.front().make = [](std::shared_ptr<const Workload> prepared,
                                  const Context& context) -> std::unique_ptr<harness::Run> {
    return std::make_unique<Waking>(std::static_pointer_cast<const test::ToyCase>(prepared), context,
                                    Waking::Behaviour::right, 0);
  };
  measurement_.repeat.reset();
  measurement_.rounds = 8;
  measurement_.max_seconds = 0.8;  // 50 ms a pass: others may take 45 ms of a pass without harm
  const Outcome o = run(toy_, "serial").front();
  ASSERT_EQ(o.status, Status::passed) << o.reason;
  EXPECT_GE(o.execute.size(), 8u * 3u) << "three samples of a pass fit into twice its share";
  EXPECT_GE(std::count_if(o.execute.begin(), o.execute.end(), [](const Sample& s) { return s.seconds > 0.055; }), 6)
      << "the slow ones are in the record";
  EXPECT_LT(median_seconds(o.execute), 0.02);
}

}  // namespace
}  // namespace speedwell::harness
