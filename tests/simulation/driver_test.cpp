// The time loop of run() with a solver made for this test: an oscillator whose exact solution is known.
#include "speedwell/simulation/driver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/core/error.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/checkpoint.hpp"
#include "speedwell/io/error.hpp"
#include "tests/support/folder_fixture.hpp"

namespace speedwell::simulation {
namespace {

namespace fs = std::filesystem;

// x'' = -x from x = 1, by the leapfrog method in steps of at most 0.01. advance() fails in the step `bad_step` (if that
// is 0, it succeeds without taking a step); the solver has converged after the step `last_step`. It counts the
// executions of an output that is due at t = 0.5, and the count belongs to its checkpoints.
class Oscillator : public TimeDependentSolver {
 public:
  Oscillator(std::string folder, double end) : folder_(std::move(folder)), end_(end) {}
  std::int64_t bad_step = -1, last_step = -1;
  std::string stiffness = "1", friction;
  int preparations = 0;             // steps of prepare()
  std::string preparation_failure;  // after these

  std::int64_t step() const override { return step_; }
  double time() const override { return time_; }
  double end() const override { return end_; }
  bool converged() const override { return step_ == last_step; }
  Preparation prepare(const std::function<bool(const std::string&)>& go_on) override {
    for (; preparations > 0; --preparations)
      if (!go_on("preparation " + std::to_string(preparations))) return {false, {}};
    return {preparation_failure.empty(), preparation_failure};
  }
  void start() override {
    state_ = {1, 0};
    kept_ = state_;
  }
  void load(const io::Checkpoint& from, const CheckpointDetails& details) override {
    from.read(fields().front(), std::as_writable_bytes(std::span(state_)));
    time_ = details.time();
    step_ = from.step();
    events_ = details.count("events");
  }
  std::vector<io::CheckpointField> save(DetailsWriter& details) override {
    details.add("time", time_);
    details.add("events", events_);
    return fields();
  }
  std::map<std::string, std::string> settings() const override {
    if (friction.empty()) return {{"stiffness", stiffness}};
    return {{"stiffness", stiffness}, {"friction", friction}};
  }
  bool advance(double until) override {
    if (bad_step == 0) return true;
    if (step_ + 1 == bad_step) {
      state_ = {NAN, NAN};
      return false;
    }
    kept_ = state_;
    const double dt = std::min(0.01, until - time_);
    state_[1] -= dt / 2 * state_[0];
    state_[0] += dt * state_[1];
    state_[1] -= dt / 2 * state_[0];
    time_ = dt < 0.01 ? until : time_ + dt;
    ++step_;
    return true;
  }
  std::string recover() override {
    state_ = kept_;
    return "the state is not finite";
  }
  std::vector<History> histories() const override { return {{"history.csv", "t,step,x"}}; }
  std::vector<Output> outputs() override {
    return {{.schedule = Schedule(0.25),
             .write = [this] { io::append_line(folder_ + "/history.csv", line()); },
             .at_start = true,
             .at_end = Output::AtEnd::always},
            {.schedule = Schedule(0, {0.5}), .write = [this] { ++events_; }},
            {.write = [this] { io::write_file(folder_ + "/latest.txt", line()); }, .with_checkpoint = true}};
  }
  Schedule checkpoints() const override { return Schedule(0.4); }
  std::string description() const override { return "an oscillator"; }
  std::string progress(double) const override { return "step " + std::to_string(step_); }
  std::string summary() const override { return "events: " + std::to_string(events_) + "\n"; }
  double x() const { return state_[0]; }

 private:
  std::string line() const {
    std::ostringstream text;
    text.precision(17);
    text << time_ << "," << step_ << "," << state_[0];
    return text.str();
  }
  std::vector<io::CheckpointField> fields() const { return {{"x", "f64", {2}, std::as_bytes(std::span(state_))}}; }

  std::string folder_;
  double end_, time_ = 0;
  std::int64_t step_ = 0, events_ = 0;
  std::array<double, 2> state_{}, kept_{};
};

class SimulationDriver : public test::FolderFixture {
 protected:
  SimulationOptions options(const std::string& folder, bool resume = false) {
    SimulationOptions o;
    o.folder = root_ + "/" + folder;
    o.resume = resume;
    o.on_message = [this](const Message& m) { messages_.push_back(m); };
    o.on_progress = [this](const Progress& p) { progress_.push_back(p); };
    o.progress_interval = 0;
    return o;
  }
  Oscillator oscillator(const std::string& folder, double end) { return {root_ + "/" + folder, end}; }
  std::vector<std::string> messages_of(Message::Kind kind) const {
    std::vector<std::string> all;
    for (const Message& m : messages_)
      if (m.kind == kind) all.push_back(m.text);
    return all;
  }

  std::vector<Message> messages_;
  std::vector<Progress> progress_;
};

TEST_F(SimulationDriver, PreparesTheInitialStateOfNewRunsAlone) {
  Oscillator solver = oscillator("a", 1);
  solver.preparations = 3;
  EXPECT_EQ(run(solver, options("a"), "the case").reason, StopReason::end_reached);
  EXPECT_EQ(solver.preparations, 0);
  ASSERT_GE(progress_.size(), 3u);
  EXPECT_EQ(progress_[0].text, "preparation 3");
  EXPECT_FALSE(progress_[0].last);
  Oscillator resumed = oscillator("a", 1);
  resumed.preparations = 3;
  run(resumed, options("a", true));
  EXPECT_EQ(resumed.preparations, 3);
}

TEST_F(SimulationDriver, SavesNothingOfARunThatEndsInItsPreparation) {
  const std::atomic<bool> stop{true};
  SimulationOptions stopped = options("stopped");
  stopped.stop = &stop;
  Oscillator solver = oscillator("stopped", 1);
  solver.preparations = 3;
  const SimulationEnd end = run(solver, stopped, "the case");
  EXPECT_EQ(end.reason, StopReason::interrupted);
  EXPECT_FALSE(end.saved);
  EXPECT_EQ(solver.preparations, 3);

  Oscillator failing = oscillator("failed", 1);
  failing.preparation_failure = "it does not get ready";
  const SimulationEnd failed = run(failing, options("failed"), "the case");
  EXPECT_EQ(failed.reason, StopReason::diverged);
  EXPECT_FALSE(failed.saved);
  EXPECT_EQ(messages_of(Message::Kind::error), std::vector<std::string>{"it does not get ready"});
  for (const char* folder : {"stopped", "failed"}) {
    EXPECT_FALSE(fs::exists(root_ + "/" + folder + "/checkpoints")) << folder;
    EXPECT_FALSE(fs::exists(root_ + "/" + folder + "/history.csv")) << folder;
  }
}

TEST_F(SimulationDriver, RunsAnySolverWithOutputsAndCheckpoints) {
  Oscillator solver = oscillator("a", 1);
  const SimulationEnd end = run(solver, options("a"), "the case");
  EXPECT_EQ(end.reason, StopReason::end_reached);
  EXPECT_EQ(end.time, 1);
  EXPECT_EQ(end.summary, "events: 1\n");
  EXPECT_NEAR(solver.x(), std::cos(1.0), 1e-5);  // the phase error is dt^2 t / 24
  const std::string history = read("a/history.csv");
  EXPECT_EQ(std::count(history.begin(), history.end(), '\n'), 6) << history;  // header, 0, 0.25, 0.5, 0.75, 1
  EXPECT_EQ(history.substr(0, history.find('\n')), "t,step,x");
  EXPECT_NE(history.find("\n0.75,"), std::string::npos) << history;
  const auto checkpoints = io::checkpoints_in(root_ + "/a/checkpoints");
  ASSERT_EQ(checkpoints.size(), 2u);  // those of t = 1 and 0.8; that of 0.4 has been removed
  EXPECT_EQ(checkpoints.front().step(), end.step);
  EXPECT_EQ(read("a/latest.txt").substr(0, 2), "1,");
  EXPECT_EQ(read("a/case.toml"), "the case");
  EXPECT_EQ(messages_of(Message::Kind::status), std::vector<std::string>{"an oscillator"});
  ASSERT_EQ(progress_.size(), static_cast<std::size_t>(end.step));
  EXPECT_TRUE(progress_.back().last);
  EXPECT_FALSE(progress_.front().last);
}

TEST_F(SimulationDriver, AResumedRunEndsWithTheSameBits) {
  Oscillator whole = oscillator("whole", 1), first = oscillator("parts", 0.8), second = oscillator("parts", 1);
  run(whole, options("whole"));
  run(first, options("parts"));
  std::ofstream(root_ + "/parts/history.csv", std::ios::app) << "0.9,99,0\n";  // as a killed run leaves it
  const SimulationEnd end = run(second, options("parts", true));
  EXPECT_EQ(end.reason, StopReason::end_reached);
  EXPECT_EQ(end.summary, "events: 1\n");  // the one of the first part
  EXPECT_EQ(second.step(), whole.step());
  EXPECT_EQ(second.x(), whole.x());
  const std::string history = read("parts/history.csv");
  EXPECT_EQ(history.find(",99,"), std::string::npos) << history;
  EXPECT_EQ(std::count(history.begin(), history.end(), '\n'), 7) << history;  // and one at t = 0.8
}

TEST_F(SimulationDriver, StopsOnASignalAndAtATimeLimitAndSaves) {
  const std::atomic<bool> stop{true};
  SimulationOptions signalled = options("a");
  signalled.stop = &stop;
  Oscillator solver = oscillator("a", 1);
  const SimulationEnd end = run(solver, signalled);
  EXPECT_EQ(end.reason, StopReason::interrupted);
  EXPECT_EQ(end.step, 1);
  EXPECT_EQ(io::checkpoints_in(root_ + "/a/checkpoints").front().step(), 1);
  EXPECT_TRUE(progress_.back().last);
  SimulationOptions late = options("b");
  late.time_limit = 0;
  Oscillator other = oscillator("b", 1);
  EXPECT_EQ(run(other, late).reason, StopReason::time_limit);
}

TEST_F(SimulationDriver, KeepsTheLastGoodStateOfARunThatDiverges) {
  Oscillator solver = oscillator("a", 1);
  solver.bad_step = 30;
  const SimulationEnd end = run(solver, options("a"));
  EXPECT_EQ(end.reason, StopReason::diverged);
  EXPECT_EQ(end.step, 29);
  EXPECT_EQ(io::checkpoints_in(root_ + "/a/checkpoints").front().step(), 29);
  EXPECT_EQ(messages_of(Message::Kind::error), std::vector<std::string>{"the state is not finite"});
  EXPECT_FALSE(fs::exists(root_ + "/a/latest.txt"));
  EXPECT_TRUE(std::isfinite(solver.x()));
}

TEST_F(SimulationDriver, EndsWhereTheSolverHasConverged) {
  Oscillator solver = oscillator("a", 1);
  solver.last_step = 10;
  const SimulationEnd end = run(solver, options("a"));
  EXPECT_EQ(end.reason, StopReason::end_reached);
  EXPECT_EQ(end.step, 10);
  const std::string history = read("a/history.csv");
  EXPECT_EQ(std::count(history.begin(), history.end(), '\n'), 3) << history;  // header, 0, the end
}

TEST_F(SimulationDriver, RefusesOtherSettingsAndFoldersThatAreNotEmpty) {
  Oscillator solver = oscillator("a", 0.5), again = oscillator("a", 0.5), other = oscillator("a", 1);
  run(solver, options("a"));
  const std::string before = read("a/history.csv");
  EXPECT_THROW(run(again, options("a")), FolderNotEmpty);
  other.stiffness = "2";
  try {
    run(other, options("a", true));
    ADD_FAILURE();
  } catch (const io::InputError& e) {
    EXPECT_EQ(e.id(), "input.checkpoint.case");
    EXPECT_NE(std::string(e.what()).find("stiffness = '1', and the case says '2'"), std::string::npos) << e.what();
  }
  EXPECT_EQ(read("a/history.csv"), before);
}

// As a case from which an optional table has been removed.
TEST_F(SimulationDriver, RefusesACaseThatLacksASettingOfTheRun) {
  Oscillator solver = oscillator("a", 0.5), other = oscillator("a", 1);
  solver.friction = "0.1";
  run(solver, options("a"));
  try {
    run(other, options("a", true));
    ADD_FAILURE();
  } catch (const io::InputError& e) {
    EXPECT_EQ(e.id(), "input.checkpoint.case");
    EXPECT_NE(std::string(e.what()).find("friction = '0.1', and the case has no such setting"), std::string::npos)
        << e.what();
  }
}

TEST_F(SimulationDriver, RefusesAFolderWithoutANameAndASolverThatTakesNoStep) {
  Oscillator solver = oscillator("a", 1);
  EXPECT_THROW(run(solver, SimulationOptions{}), std::invalid_argument);
  solver.bad_step = 0;
  EXPECT_THROW(run(solver, options("a")), std::logic_error);
  EXPECT_FALSE(fs::exists(root_ + "/a/case.toml"));  // run() got no text of a case
}

TEST_F(SimulationDriver, GoesBackToTheCheckpointBeforeOneThatIsDamaged) {
  Oscillator solver = oscillator("a", 1), resumed = oscillator("a", 1);
  run(solver, options("a"));
  const auto checkpoints = io::checkpoints_in(root_ + "/a/checkpoints");
  fs::resize_file(checkpoints.front().path() + "/x.raw", 3);
  run(resumed, options("a", true));
  EXPECT_EQ(resumed.x(), solver.x());
  const auto warnings = messages_of(Message::Kind::warning);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("going back to the checkpoint before"), std::string::npos) << warnings[0];
}

TEST_F(SimulationDriver, PlansAndRunsACaseFile) {
  SimulationOptions o = options("a");
  o.gpu = SimulationOptions::Gpu::never;
  o.file = write("case.toml",
                 "schema = 1\nsolver = \"binary_fluid\"\n[lattice]\nsites = [6, 6, 6]\n[time]\nsteps = 12\n"
                 "[output]\nfields_every = 4\ncheckpoint_every = 5\n");
  const RunPlan planned = plan(o);
  EXPECT_EQ(planned.what, "6 x 6 x 6 sites");
  EXPECT_EQ(planned.steps, "12");
  EXPECT_GT(planned.seconds.value(), 0);
  EXPECT_FALSE(fs::exists(o.folder));
  o.available_bytes = planned.bytes / 2;
  EXPECT_THROW(run(o), core::Unavailable);
  EXPECT_FALSE(fs::exists(o.folder));
  o.available_bytes = planned.bytes;
  const SimulationEnd end = run(o);
  EXPECT_EQ(end.step, 12);
  EXPECT_EQ(end.time, 12);
  EXPECT_EQ(end.summary.substr(0, 9), "12 steps:");
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& file : fs::directory_iterator(o.folder + "/fields")) ++files;
  ASSERT_EQ(planned.files[0].one, "file of fields");
  EXPECT_EQ(static_cast<double>(files), planned.files[0].count);  // those of steps 0, 4, 8 and 12
  EXPECT_EQ(files, 4u);
}

}  // namespace
}  // namespace speedwell::simulation
