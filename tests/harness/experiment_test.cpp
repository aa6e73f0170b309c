#include "speedwell/harness/measurement/experiment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "speedwell/core/error.hpp"
#include "speedwell/core/statistics.hpp"
#include "speedwell/harness/problems.hpp"
#include "tests/harness/experiments.hpp"
#include "tests/support/faulty_run.hpp"
#include "tests/support/toy.hpp"

namespace speedwell::harness {
namespace {

using test::toy_application;

TEST_F(Experiments, SeesAnErrorThatStrikesOneExecuteOfTwenty) {
  // The answers of the first and the last sample are right: the error is in between, in an execute that is not timed.
  int executes = 0;
  class Rare : public test::ToyRun {
   public:
    Rare(std::shared_ptr<const test::ToyCase> prepared, const Context& context, int* executes)
        : ToyRun(std::move(prepared), context, Behaviour::right, 0), executes_(executes) {}
    void execute() override {
      ToyRun::execute();
      if (++*executes_ % 20 == 19) static_cast<double*>(outputs().front().data)[7] += 1e-9;
    }

   private:
    int* executes_;
  };
  toy_.variants.front().make = [&](std::shared_ptr<const Workload> prepared,
                                   const Context& context) -> std::unique_ptr<harness::Run> {
    return std::make_unique<Rare>(std::static_pointer_cast<const test::ToyCase>(prepared), context, &executes);
  };
  measurement_.repeat = 1;
  const Outcome o = run(toy_, "serial").front();
  EXPECT_EQ(o.status, Status::failed);
  EXPECT_EQ(o.exit_status, 1);
  EXPECT_TRUE(o.execute.empty()) << "a wrong answer has no figures";
}

TEST_F(Experiments, ChecksTwentyExecutesInARowWhereThereIsTime) {
  measurement_.repeat = 6;
  EXPECT_EQ(run(toy_, "serial").front().checked_executes, 1 + 20 + 5 + 6 + 1)
      << "the first sample, twenty more, the first execute of five later passes, the last sample of each of six, and "
         "the "
         "last one against the oracle";
  measurement_.check_seconds = 0.011;  // five executes of 2 ms
  const int checked = run(toy_, "slow").front().checked_executes;
  EXPECT_GE(checked, 13);
  EXPECT_LE(checked, 13 + 5);
}

TEST_F(Experiments, AWrongFirstExecuteOfALaterPassIsSeen) {
  // Each pass sets the variant up anew; the second one's first execute is wrong, and no other.
  class WrongOnce : public test::ToyRun {
   public:
    WrongOnce(std::shared_ptr<const test::ToyCase> prepared, const Context& context, bool wrong)
        : ToyRun(std::move(prepared), context, Behaviour::right, 0), wrong_(wrong) {}
    void execute() override {
      ToyRun::execute();
      if (std::exchange(wrong_, false)) static_cast<double*>(outputs().front().data)[7] += 1e-9;
    }

   private:
    bool wrong_;
  };
  int made = 0;
  toy_.variants.front().make = [&](std::shared_ptr<const Workload> prepared,
                                   const Context& context) -> std::unique_ptr<harness::Run> {
    return std::make_unique<WrongOnce>(std::static_pointer_cast<const test::ToyCase>(prepared), context, ++made == 2);
  };
  measurement_.repeat = 6;
  const Outcome o = run(toy_, "serial").front();
  EXPECT_EQ(made, 2) << "it ends there";
  EXPECT_EQ(o.status, Status::failed);
  EXPECT_TRUE(o.execute.empty()) << "a wrong answer has no figures";
}

TEST_F(Experiments, ARunThatEndsIsNotAskedHowFarItIs) {
  // The watch asks every second; the end of this run takes longer.
  std::atomic<bool> ending{false}, asked{false};
  class SlowEnd : public test::ToyRun {
   public:
    SlowEnd(std::shared_ptr<const test::ToyCase> prepared, const Context& context, std::atomic<bool>* ending,
            std::atomic<bool>* asked)
        : ToyRun(std::move(prepared), context, Behaviour::right, 0), ending_(ending), asked_(asked) {}
    ~SlowEnd() override {
      *ending_ = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1200));
      *ending_ = false;
    }
    std::optional<double> updates_so_far() const override {
      if (*ending_) *asked_ = true;
      return std::nullopt;
    }

   private:
    std::atomic<bool>*ending_, *asked_;
  };
  toy_.variants.front().make = [&](std::shared_ptr<const Workload> prepared,
                                   const Context& context) -> std::unique_ptr<harness::Run> {
    return std::make_unique<SlowEnd>(std::static_pointer_cast<const test::ToyCase>(prepared), context, &ending, &asked);
  };
  measurement_.repeat = 1;
  progress_ = [](const std::string&) {};
  EXPECT_EQ(run(toy_, "serial").front().status, Status::passed);
  EXPECT_FALSE(asked);
}

TEST_F(Experiments, AVariantOnSeveralGpusWaitsToBeAskedFor) {
  toy_.variants.front().backend = Backend::multi;
  const std::vector<Outcome> outcomes = run(toy_, "serial");
  EXPECT_EQ(outcomes.front().status, Status::skipped);
  EXPECT_EQ(outcomes.front().reason, "runs on several GPUs: --gpus N, or name it (--variant) for one");
  EXPECT_EQ(outcomes.front().device, DeviceKind::gpu);
  EXPECT_EQ(outcomes.front().threads, 1);
}

TEST_F(Experiments, WorkThatDependsOnTheDataReplacesThePlan) {
  EXPECT_EQ(run(toy_, "serial").front().work.updates, 100);
  toy_.work_of = [](const Workload& prepared) {
    return Work{.updates = 7.0 * static_cast<double>(static_cast<const test::ToyCase&>(prepared).x.size())};
  };
  EXPECT_EQ(run(toy_, "serial").front().work.updates, 700);
}

TEST_F(Experiments, AVariantWhoseAlgorithmDoesMoreHasALimitOfItsOwnBesideTheBest) {
  toy_.variants.front().work = [](const Problem& p) {
    Work work = test::toy_application().work(p);
    work.bytes_read *= 3;
    return work;
  };
  const Outcome serial = run(toy_, "serial").front();
  ASSERT_EQ(serial.status, Status::passed) << serial.reason;
  EXPECT_EQ(serial.work.bytes_read, 2400);
  ceilings_.entries = {{"host.core.triad", 1e-6, "GB/s", 1e-6, 1e-6, {}},
                       {"host.core.copy", 1e-6, "GB/s", 1e-6, 1e-6, {}},
                       {"host.core.fma.f64", 1e-6, "Gflop/s", 1e-6, 1e-6, {}}};
  toy_.variants.front().make = toy_.variants[2].make;  // 2 ms
  toy_.variants.front().work = [](const Problem&) {
    return Work{.bytes_read = 1.9, .updates = 1, .working_set = 1e12};
  };
  toy_.work = [](const Problem&) {
    return Work{.bytes_read = 1, .bytes_written = 0.5, .updates = 1, .working_set = 1e12};
  };
  ceilings_.entries.push_back({"host.core.read", 1e-6, "GB/s", 1e-6, 1e-6, {}});
  const Outcome limited = run(toy_, "serial").front();
  ASSERT_TRUE(limited.limit.limit) << limited.limit.reason;
  ASSERT_TRUE(limited.best_limit.limit) << limited.best_limit.reason;
  EXPECT_DOUBLE_EQ(limited.limit.limit->seconds, 1.9e-3);
  EXPECT_DOUBLE_EQ(limited.best_limit.limit->seconds, 1.5e-3);
}

TEST_F(Experiments, StopsWhenThePrecisionIsReachedOrTimeIsUp) {
  const auto seconds_of = [&](std::size_t min_samples) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_GE(run(toy_, "slow").front().execute.size(), min_samples);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  measurement_.repeat.reset();
  measurement_.max_seconds = 120;
  measurement_.precision = 1e9;  // any interval will do
  EXPECT_LT(seconds_of(6), 60);
  measurement_.max_seconds = 0.2;
  measurement_.precision = 0;  // none will do
  const double until_time_was_up = seconds_of(1);
  EXPECT_GT(until_time_was_up, 0.1);
  EXPECT_LT(until_time_was_up, 60);
}

TEST_F(Experiments, AThrowingVariantIsAnErrorAndTheOthersContinue) {
  const auto outcomes = run(toy_, "throws,serial");
  EXPECT_EQ(outcomes[0].status, Status::passed);  // table order: serial first
  EXPECT_EQ(outcomes[1].status, Status::error);
  EXPECT_EQ(outcomes[1].exit_status, 70);
  EXPECT_EQ(outcomes[1].reason, "planted");
}

TEST_F(Experiments, AModelForeseesWhatHasPassedAfterItWasTimed) {
  int asked = 0;
  const auto predict = [&](const Problem& problem, const Context& context) {
    ++asked;
    return Prediction{static_cast<double>(problem.get<std::int64_t>("n") * context.threads), "toy's model"};
  };
  for (Variant& v : toy_.variants) v.predict = predict;
  const auto o = run(toy_, "serial").front();
  EXPECT_EQ(asked, 1) << "not in every pass";
  ASSERT_TRUE(o.prediction);
  EXPECT_EQ(o.prediction->seconds, 200);
  EXPECT_EQ(o.prediction->model, "toy's model");
  EXPECT_FALSE(run(toy_, "drifts").front().prediction) << "a wrong answer has no time to compare with";
  EXPECT_FALSE(run(toy_, "throws").front().prediction);
  EXPECT_EQ(asked, 1);
}

TEST_F(Experiments, AModelWithoutAPredictionLeavesTheRunAsItIs) {
  for (Variant& v : toy_.variants)
    v.predict = [](const Problem&, const Context&) -> Prediction { throw std::runtime_error("nothing to measure"); };
  const auto o = run(toy_, "serial").front();
  EXPECT_EQ(o.status, Status::passed);
  EXPECT_FALSE(o.prediction);
  EXPECT_EQ(o.prediction_reason, "nothing to measure");
  EXPECT_EQ(o.exit_status, 0);
}

// A host that counts a joule a reading, and is throttled as a test sets it.
class ToySensors : public machine::Sensors {
 public:
  machine::Reading read() override {
    machine::Reading reading;
    reading.clock_MHz = 1234;
    reading.throttled = throttled.load();
    reading.energy_J = ++readings;
    return reading;
  }
  std::string energy_source() const override { return "a toy's counter"; }
  std::atomic<bool> throttled{false};
  std::atomic<int> readings{0};
};

TEST_F(Experiments, SamplesOfAThrottledDeviceAreRepeatedAndKeptWithTheirMarks) {
  ToySensors sensors;
  sensors.throttled = true;
  sensors_ = &sensors;
  measurement_.repeat = 6;
  const Outcome o = run(toy_, "slow").front();
  ASSERT_EQ(o.status, Status::passed);
  EXPECT_EQ(o.throttled, true);
  EXPECT_EQ(pass_count(o.execute), 6u);
  EXPECT_GT(o.execute.size(), 6u) << "a throttled sample is taken again";
  EXPECT_GT(throttled_count(o.execute), 0u);
  EXPECT_EQ(o.execute.back().clock_MHz, 1234);
}

TEST_F(Experiments, AFailedRunHasNoFigureOfAnyKind) {
  ToySensors sensors;
  sensors_ = &sensors;
  measurement_.energy = true;
  measurement_.repeat = 2;
  const Outcome right = run(toy_, "serial").front();
  EXPECT_TRUE(right.energy_J) << right.energy_reason;
  // The toy's counter advances by a joule at each reading: one in the second half of the window at rest.
  EXPECT_GE(right.energy_executes.value_or(0), 1);
  EXPECT_GT(right.idle_W.value_or(0), 0.5);
  EXPECT_LE(right.idle_W.value_or(0), 1);
  const Outcome wrong =
      run(toy_, "drifts").front();  // right at first, so that energy is measured before the last verdict
  ASSERT_EQ(wrong.status, Status::failed);
  EXPECT_FALSE(wrong.energy_J);
  EXPECT_FALSE(wrong.energy_window);
  EXPECT_FALSE(wrong.idle_W);
  EXPECT_FALSE(wrong.limit.limit);
  EXPECT_FALSE(wrong.prediction);
  EXPECT_TRUE(wrong.execute.empty() && wrong.end_to_end.empty() && wrong.first_execute.empty());
}

TEST_F(Experiments, OnlyTimedPhasesCountUntilThereAreEnoughPassesForAnInterval) {
  class SlowToReset : public test::ToyRun {
   public:
    using ToyRun::ToyRun;
    void reset() override { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }
  };
  toy_.variants = {{.name = "slow-reset",
                    .description = "a row",
                    .make = make_run<test::ToyCase, SlowToReset>(test::ToyRun::Behaviour::right, 0.0)}};
  measurement_.repeat.reset();
  measurement_.max_seconds = 0.002;  // less than one reset
  const Outcome o = run(toy_, "slow-reset").front();
  EXPECT_EQ(pass_count(o.execute), 6u);
  EXPECT_TRUE(summarize(o.execute).interval);
}

TEST_F(Experiments, ALongRunHasFewPassesUnlessTheyAreAskedFor) {
  measurement_.repeat.reset();
  measurement_.max_seconds = 0.001;
  EXPECT_EQ(pass_count(run(toy_, "slow").front().execute), 1u);
  measurement_.passes = 5;
  EXPECT_EQ(pass_count(run(toy_, "slow").front().execute), 5u);
}

TEST_F(Experiments, ConstructionAndTheColdExecuteArePhasesOfTheWhole) {
  class SlowToMake : public test::ToyRun {
   public:
    SlowToMake(std::shared_ptr<const test::ToyCase> prepared, const Context& context)
        : ToyRun(std::move(prepared), context, Behaviour::right, 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(4));
    }
    void execute() override {
      if (!warm_) std::this_thread::sleep_for(std::chrono::milliseconds(8));
      warm_ = true;
      ToyRun::execute();
    }
    bool warm_ = false;
  };
  toy_.variants = {{.name = "cold", .description = "a row", .make = make_run<test::ToyCase, SlowToMake>()}};
  const Outcome o = run(toy_, "cold").front();
  ASSERT_EQ(o.status, Status::passed);
  for (std::size_t i = 0; i < o.end_to_end.size(); ++i) {
    EXPECT_GE(o.prepare[i], 4e-3);
    EXPECT_GE(o.first_execute[i], 8e-3);
    EXPECT_GE(o.end_to_end[i], o.prepare[i] + o.first_execute[i]);
  }
  EXPECT_LT(median_seconds(o.execute), 4e-3) << "later executes are warm";
}

TEST_F(Experiments, AnAnswerThatDriftsWhileItIsTimedFails) {
  const auto o = run(toy_, "drifts").front();
  EXPECT_EQ(o.status, Status::failed);
  EXPECT_EQ(o.exit_status, 1);
  EXPECT_TRUE(o.execute.empty()) << "a wrong answer has no speed";
}

TEST_F(Experiments, EveryPlantedFaultIsRejectedAndTheControlPasses) {
  const auto prepared = toy_.prepare(problems(toy_, find_size(toy_, "test"), {}, 99).front());
  toy_.variants = {with_fault(toy_.variants[0], test::Fault::none, nullptr)};
  EXPECT_EQ(run(toy_, "*").front().status, Status::passed);
  for (const test::Fault fault : test::all_faults()) {
    Application faulty = toy_application();
    faulty.variants = {with_fault(faulty.variants[0], fault, prepared)};
    EXPECT_EQ(run(faulty, "*").front().status, Status::failed) << test::to_string(fault);
  }
}

TEST_F(Experiments, WhatIsNotBuiltOrNotHereIsSkippedWithTheReason) {
  const auto o = run(toy_, "cuda").front();
  EXPECT_EQ(o.status, Status::skipped);
  EXPECT_EQ(o.reason, "built without CUDA");
  Application bound = toy_;
  bound.variants.back().make = bound.variants.front().make;
  EXPECT_EQ(run(bound, "cuda").front().reason, "no GPU in this test");
  bound.variants.front().unsupported_reason = [](const Problem&) {
    return std::optional<std::string>("it is too long");
  };
  EXPECT_EQ(run(bound, "serial").front().reason, "it is too long");
  bound.variants[1].footprint = [](const Problem&) { return Footprint{1e18, 0}; };
  EXPECT_NE(run(bound, "openmp").front().reason.find("needs 888 PiB of host memory, "), std::string::npos)
      << run(bound, "openmp").front().reason;
}

TEST_F(Experiments, AProblemThatDoesNotFitIsRefusedBeforeItIsMade) {
  toy_.footprint = [](const Problem&) { return Footprint{1e18, 0}; };
  toy_.prepare = [](const Problem&) -> std::shared_ptr<const Workload> { throw std::logic_error("was made"); };
  const Outcome o = run(toy_, "serial").front();
  EXPECT_EQ(o.status, Status::skipped);
  EXPECT_NE(o.reason.find("the problem needs "), std::string::npos) << o.reason;
}

TEST_F(Experiments, AStopKeepsWhatThereIs) {
  stop_ = true;
  const auto o = run(toy_, "serial").front();
  EXPECT_TRUE(o.execute.empty());
  EXPECT_EQ(o.status, Status::skipped);
}

TEST_F(Experiments, TheHarnessItselfTakesLessThanTwoMillisecondsARun) {
  measurement_.repeat = 100;
  std::vector<double> overheads;
  for (int i = 0; i < 9; ++i) overheads.push_back(run(toy_, "serial").front().overhead);
  EXPECT_LT(core::median(overheads), 2e-3);
}

TEST_F(Experiments, LimitsAreOfTheDeviceAndTheTraffic) {
  const Outcome o = run(toy_, "serial").front();
  ASSERT_TRUE(o.limit.limit) << o.limit.reason;
  EXPECT_EQ(o.limit.limit->ceiling, "host.core.copy");
  EXPECT_DOUBLE_EQ(o.limit.limit->seconds, 1600.0 / 1e13);
}

}  // namespace
}  // namespace speedwell::harness
