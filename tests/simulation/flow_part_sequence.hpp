// A part of a flow on ranks beside the whole flow in one process, on the cores of the first rank. All ranks call this
// together.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "speedwell/apps/incompressible_flow/cases/case_file.hpp"
#include "speedwell/apps/incompressible_flow/initial.hpp"
#include "speedwell/apps/incompressible_flow/stepper.hpp"
#include "speedwell/simulation/flow/flow_part.hpp"
#include "tests/apps/incompressible_flow/same_statistics.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::simulation {

/// The largest differences to the whole flow: of velocities and convection rates, of pressures, and of forces; all 0
/// for the same bits. A part on GPUs saves the pressure with implicit diffusion only: has_saved_pressure is else false.
struct PartTolerance {
  double velocity = 0, pressure = 0, force = 0;
  bool has_saved_pressure = true;
};

class FlowPartSequence {
  using State = incompressible_flow::State<double>;
  using Stepper = incompressible_flow::Stepper<double>;

 public:
  /// Walls along z, of which the upper one moves.
  static constexpr const char* moving_wall = "[edges]\nz = \"wall\"\nz_high_velocity = [1, 0, 0]\n";

  /// From the first step on until the time that the sequence sets, of a periodic box. Lengths along y shrink to 0.91 of
  /// 1/7.
  static constexpr const char* strain =
      "[strain]\nstretched = \"x\"\ncompressed = \"y\"\nrate = 1\nbegin = 0.005\nend = 0.1\n";
  static constexpr const char* implicit = "diffusion = \"trapezoidal\"\n";
  static constexpr const char* kept = "bulk_velocity_x = 0.8\nbulk_velocity_y = -0.3\n";

  using Make = std::function<std::unique_ptr<FlowPart<double>>(
      const comm::Communicator&, const incompressible_flow::Problem&, const incompressible_flow::Options&)>;

  /// A flow of 8 x 7 x 6 cells in a box of sides 1; `of_edges`, `of_fluid` and `more`, which follows the end of the
  /// run in the table of times, are text of the case file. Widths
  /// may not fall below 1/8, nor velocities much exceed 1, which tolerances are computed with.
  FlowPartSequence(const Make& make, const PartTolerance& tolerance, const std::string& of_edges = moving_wall,
                   const std::string& of_fluid = "", const std::string& more = "")
      : tolerance_(tolerance),
        case_(incompressible_flow::read_case("case.toml", "schema = 1\n[mesh]\ncells = [8, 7, 6]\n" + of_edges +
                                                              "[fluid]\nviscosity = 0.02\n" + of_fluid +
                                                              "[start]\nnoise = 0.3\n[time]\nend = 1\n" + more)),
        begin_(incompressible_flow::initial_state(case_)) {
    incompressible_flow::Options options = case_.options;
    options.threads = 1;
    part_ = make(test::ranks(), case_.problem, options);
    if (test::is_root()) whole_ = incompressible_flow::stepper_on_cpu<double>(case_.problem, options);
  }

  /// Sets, steps, saves and restores both flows, and compares them in between.
  void run() {
    if (test::is_root()) whole_->set(begin_);
    part_->set(test::is_root() ? &begin_ : nullptr);
    expect_same("the beginning", true);
    const auto step = [](auto& flow) { flow.step(0.01); };
    on_both([](auto& flow) { flow.keep_velocity(); });
    on_both(step);
    expect_same("a step", true);
    const incompressible_flow::VelocityChange change = part_->velocity_change();
    EXPECT_EQ(change.change, test::ranks().broadcast(change.change)) << "on this rank and on the first";
    if (whole_) {
      EXPECT_NEAR(change.change, whole_->velocity_change().change, 2 * tolerance_.velocity);
      EXPECT_NEAR(change.largest, whole_->velocity_change().largest, tolerance_.velocity);
    }
    on_both([](auto& flow) { flow.save(); });
    on_both([](auto& flow) { flow.set_acceleration({3, 0, -1}); });
    for (int n = 0; n < 2; ++n) on_both(step);
    on_both([](auto& flow) { flow.set_time(0.25); });
    expect_same("steps with another acceleration", true);
    on_both([](auto& flow) { flow.restore(); });
    expect_same("the saved flow", tolerance_.has_saved_pressure);
    on_both(step);
    expect_same("a step after it", true);
  }

 private:
  template <class Act>
  void on_both(const Act& act) {
    if (whole_) act(*whole_);
    act(*part_);
  }
  void expect_same(const char* what, bool with_pressure) {
    const double rate = part_->convection_rate();
    EXPECT_EQ(rate, test::ranks().broadcast(rate)) << what << ": on this rank and on the first";
    const incompressible_flow::Statistics statistics = part_->statistics();
    EXPECT_EQ(statistics.energy, test::ranks().broadcast(statistics.energy))
        << what << ": on this rank and on the first";
    const incompressible_flow::Extents e = case_.problem.extents();
    const std::vector<incompressible_flow::CellValue> cells = incompressible_flow::some_cells(e);
    const std::vector<double> values = part_->values(cells);
    State got(e), expected(e);
    part_->get(test::is_root() ? &got : nullptr);
    if (!test::is_root()) return;
    EXPECT_EQ(values, incompressible_flow::values_of(got, cells)) << what;
    whole_->get(expected);
    expect_same_statistics(statistics, whole_->statistics(), what);
    // A velocity adds its own difference over its width, of at least 1/8.
    EXPECT_NEAR(rate, whole_->convection_rate(), 3 * 8 * tolerance_.velocity) << what;
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_LE(difference(got.velocity[c], expected.velocity[c]), tolerance_.velocity) << what << ", velocity " << c;
    if (with_pressure) {
      EXPECT_LE(difference(got.pressure, expected.pressure), tolerance_.pressure) << what;
    }
    EXPECT_EQ(got.time, expected.time) << what;
    EXPECT_EQ(part_->time(), expected.time) << what;
    EXPECT_EQ(got.step, expected.step) << what;
    EXPECT_EQ(part_->pressure_iterations(), whole_->pressure_iterations()) << what;
    for (std::size_t d = 0; d < 3; ++d)
      EXPECT_NEAR(part_->force()[d], whole_->force()[d], tolerance_.force) << what << ", force " << d;
  }
  void expect_same_statistics(const incompressible_flow::Statistics& got,
                              const incompressible_flow::Statistics& expected, const char* what) const {
    if (tolerance_.velocity == 0) return incompressible_flow::expect_same_bits(got, expected, what);
    // Velocities u of about 1 that differ by d change means by d and squares by 2 u d. Differences over widths of at
    // least 1/8 are of at most 16 u, and add the change 2 * 16 u * 16 d each, of three components along three axes, of
    // which the viscosity is a part.
    const double d = tolerance_.velocity, u = expected.fastest;
    EXPECT_NEAR(got.fastest, u, d) << what;
    EXPECT_NEAR(got.energy, expected.energy, 3 * u * d) << what;
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(got.mean[c], expected.mean[c], d) << what << ", mean " << c;
    for (std::size_t s = 0; s < 6; ++s)
      EXPECT_NEAR(got.stresses[s], expected.stresses[s], 4 * u * d) << what << ", stress " << s;
    EXPECT_NEAR(got.dissipation, expected.dissipation, case_.problem.viscosity * 9 * 512 * u * d) << what;
  }
  // The largest; infinity if a value is not a number.
  static double difference(const core::HostBuffer<double>& a, const core::HostBuffer<double>& b) {
    double largest = 0;
    for (std::size_t n = 0; n < a.size(); ++n) {
      const double here = std::abs(a[n] - b[n]);
      largest = std::isnan(here) ? HUGE_VAL : std::max(largest, here);
    }
    return largest;
  }

  PartTolerance tolerance_;
  incompressible_flow::FlowCase case_;
  State begin_;
  std::unique_ptr<Stepper> whole_;  // on the first rank
  std::unique_ptr<FlowPart<double>> part_;
};

}  // namespace speedwell::simulation
