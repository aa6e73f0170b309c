// The part of a flow that collects: beside the part on cores, whose solver computes convection rates and saves flows
// itself. All ranks run the tests together.
#include "speedwell/simulation/collecting_part.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

#include "speedwell/apps/incompressible_flow/case_file.hpp"
#include "speedwell/apps/incompressible_flow/distributed.hpp"
#include "speedwell/apps/incompressible_flow/initial.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::simulation {
namespace {

namespace flow = incompressible_flow;

using test::is_root;
using test::ranks;

// A distributed solver with no more functions than CollectingPart asks for. The last rank alone throws after
// `until_failure` steps, if that is above 0.
class Plain {
 public:
  Plain(const comm::Communicator& ranks, const flow::Problem& problem, const flow::Options& options)
      : ranks_(ranks), solver_(ranks, problem, options) {}
  void scatter(const flow::State<double>* whole) { solver_.scatter(whole); }
  void gather(flow::State<double>* whole) {
    ++gathered;
    solver_.gather(whole);
  }
  void step(double dt) {
    solver_.step(dt);
    if (--until_failure == 0 && ranks_.rank() == ranks_.size() - 1) throw core::DeviceError("a planted failure");
  }
  void set_acceleration(const std::array<double, 3>& acceleration) { solver_.set_acceleration(acceleration); }
  const flow::Choice& choice() const { return solver_.choice(); }

  int gathered = 0, until_failure = 0;

 private:
  const comm::Communicator& ranks_;
  flow::DistributedSolver<double> solver_;
};

constexpr double dt = 0.01;

struct Flow {
  flow::FlowCase flow_case = flow::read_case("case.toml",
                                             "schema = 1\n[mesh]\ncells = [8, 7, 6]\n[edges]\nz = "
                                             "\"wall\"\nz_high_velocity = [1, 0, 0]\n[fluid]\nviscosity = 0.02\n"
                                             "[start]\nnoise = 0.3\n[time]\nend = 1\n");
  flow::Options options = [] {
    flow::Options o;
    o.threads = 1;
    return o;
  }();
  flow::State<double> begin = flow::beginning(flow_case);
  std::unique_ptr<FlowPart<double>> on_core = flow_part_on_core<double>(ranks(), flow_case.problem, options);
  std::unique_ptr<Plain> solver = std::make_unique<Plain>(ranks(), flow_case.problem, options);
  Plain& plain = *solver;
  CollectingPart<double, Plain> collecting{ranks(), flow_case.problem, 2, std::move(solver)};

  // Both parts do the same.
  template <class Act>
  void on_both(const Act& act) {
    act(*on_core);
    act(collecting);
  }
  void expect_same(const char* what) {
    // Three quotients and two sums, each rounded; each part in its own order.
    const double expected = on_core->convection_rate(), got = collecting.convection_rate();
    if (is_root()) EXPECT_NEAR(got, expected, 4 * expected * std::numeric_limits<double>::epsilon()) << what;
    const flow::Extents e = flow_case.problem.extents();
    flow::State<double> one(e), two(e);
    on_core->get(is_root() ? &one : nullptr);
    collecting.get(is_root() ? &two : nullptr);
    if (!is_root()) return;
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_TRUE(std::equal(one.velocity[c].begin(), one.velocity[c].end(), two.velocity[c].begin())) << what;
    EXPECT_TRUE(std::equal(one.pressure.begin(), one.pressure.end(), two.pressure.begin())) << what;
    EXPECT_EQ(on_core->time(), collecting.time()) << what;
    EXPECT_EQ(one.time, two.time) << what;
    EXPECT_EQ(on_core->force(), collecting.force()) << what;
  }
};

TEST(CollectingPart, DoesWhatThePartOnCoresDoes) {
  Flow flow;
  flow.on_both([&](auto& part) { part.set(is_root() ? &flow.begin : nullptr); });
  flow.expect_same("the beginning");
  const auto step = [](auto& part) { part.step(dt); };
  flow.on_both(step);
  flow.expect_same("a step");
  flow.on_both([](auto& part) { part.save(); });
  flow.on_both([](auto& part) { part.set_acceleration({3, 0, -1}); });
  for (int n = 0; n < 2; ++n) flow.on_both(step);
  flow.on_both([](auto& part) { part.set_time(0.25); });
  flow.expect_same("steps with another acceleration");
  flow.on_both([](auto& part) { part.restore(); });
  flow.expect_same("the saved flow");
  flow.on_both(step);
  flow.expect_same("a step after it");
}

TEST(CollectingPart, CollectsOnceAfterAStep) {
  Flow flow;
  flow.collecting.set(is_root() ? &flow.begin : nullptr);
  flow.collecting.save();
  flow.collecting.step(dt);
  flow.plain.gathered = 0;
  flow.collecting.convection_rate();
  flow.collecting.save();
  flow::State<double> whole(flow.flow_case.problem.extents());
  flow.collecting.get(is_root() ? &whole : nullptr);
  EXPECT_EQ(flow.plain.gathered, 1);
}

TEST(CollectingPart, FailsOnAllRanksAndGoesOnFromTheSavedFlow) {
  Flow flow;
  flow.on_both([&](auto& part) { part.set(is_root() ? &flow.begin : nullptr); });
  flow.on_both([](auto& part) { part.save(); });
  flow.plain.until_failure = 2;
  flow.on_both([](auto& part) { part.step(dt); });
  EXPECT_THROW(flow.collecting.step(dt), core::DeviceError);
  flow.on_both([](auto& part) { part.restore(); });
  flow.expect_same("the saved flow after a failure");
}

}  // namespace
}  // namespace speedwell::simulation
