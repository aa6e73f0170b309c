// Every GPU product against the oracle, on shapes that reveal indexing errors, with outputs initialised to NaN.
#include <gtest/gtest.h>

#include <limits>
#include <tuple>

#include "speedwell/apps/stencil/gpu_stencil.hpp"
#include "speedwell/apps/stencil/ladder.hpp"
#include "speedwell/apps/stencil/verify/reference.hpp"
#include "speedwell/apps/stencil/verify/verify.hpp"
#include "tests/apps/stencil/expect_vectors.hpp"

namespace speedwell::stencil {
namespace {

// The last has so many rows that a block of the best product has more planes than its ring buffer.
constexpr Grid shapes[] = {{8, 8, 8},  {17, 5, 9}, {3, 3, 3},    {68, 9, 20}, {65, 3, 7},
                           {1, 1, 13}, {13, 1, 1}, {130, 33, 4}, {1, 1, 1},   {34, 1500, 33}};

template <class T>
class OnDevice {
 public:
  explicit OnDevice(const Fields<T>& fields) : a_(fields.op(), stream_), x_(fields.x().size()), y_(fields.x().size()) {
    core::copy_async(x_.data(), fields.x().data(), x_.size(), stream_);
    stream_.synchronize();
  }
  const Operator<T>& op() const { return a_.op(); }
  const core::Stream& stream() const { return stream_; }
  const T* x() const { return x_.data(); }
  /// y after run(x, y), initialised to NaN.
  template <class Run>
  std::vector<T> result(const Run& run) {
    core::fill_bytes_async(y_, 0xff, stream_);
    run(x_.data(), y_.data());
    std::vector<T> y(y_.size());
    core::copy_async(y.data(), y_.data(), y.size(), stream_);
    stream_.synchronize();
    return y;
  }

 private:
  core::Stream stream_;
  DeviceOperator<T> a_;
  core::DeviceBuffer<T> x_, y_;
};

class StencilOnGpu : public testing::TestWithParam<std::tuple<Form, Boundary, Values>> {
 protected:
  template <class T>
  void holds() {
    if (!core::have_device()) GTEST_SKIP() << "no GPU";
    const auto [form, boundary, values] = GetParam();
    for (const Grid& g : shapes) {
      if (boundary == Boundary::periodic && std::min({g.nx, g.ny, g.nz}) < 3) continue;
      if (boundary == Boundary::none && form != Form::face_metric && form != Form::face_coefficient) continue;
      const Fields<T> fields({.form = form, .boundary = boundary, .grid = g, .values = values, .seed = 5});
      OnDevice<T> device(fields);
      for (const Step& step : steps) {
        const auto y =
            device.result([&](const T* x, T* out) { product_of<T>(step.name)(device.op(), x, out, device.stream()); });
        const core::Verdict verdict = verify_product<T>(fields, y);
        EXPECT_TRUE(verdict.passed) << step.name << " " << g.nx << "x" << g.ny << "x" << g.nz << ": " << verdict.error;
      }
      Sums sums(g, device.stream());
      for (int pass = 0; pass < 2; ++pass) {
        const auto y = device.result(
            [&](const T* x, T* out) { gpu_multiply_and_dot(device.op(), x, out, sums.space(), device.stream()); });
        EXPECT_TRUE(verify_product<T>(fields, y).passed);
        long double dot = 0, magnitude = 0;
        for (std::size_t c = 0; c < y.size(); ++c) {
          const double term = static_cast<double>(y[c]) * static_cast<double>(fields.x()[c]);
          dot += term;
          magnitude += std::abs(term);
        }
        EXPECT_NEAR(sums.value(device.stream()), static_cast<double>(dot), 1e-13 * static_cast<double>(magnitude));
      }
    }
  }
};

TEST_P(StencilOnGpu, EveryStepGivesTheOraclesAnswerInDouble) { holds<double>(); }
TEST_P(StencilOnGpu, EveryStepGivesTheOraclesAnswerInFloat) { holds<float>(); }
INSTANTIATE_TEST_SUITE_P(Stencil, StencilOnGpu,
                         testing::Combine(testing::Values(Form::cell_metric, Form::constant, Form::face_metric,
                                                          Form::face_coefficient, Form::general),
                                          testing::Values(Boundary::periodic, Boundary::zero, Boundary::none),
                                          testing::Values(Values::dyadic, Values::random)));

TEST(StencilOnGpuVectors, AreThePublishedOnes) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const Vector& v : vectors) {
    const Fields<double> fields(published_problem(v.n, Form::cell_metric, v.boundary));
    OnDevice<double> device(fields);
    for (const Step& step : steps)
      expect_vector(v, device
                           .result([&](const double* x, double* out) {
                             product_of<double>(step.name)(device.op(), x, out, device.stream());
                           })
                           .data());
  }
}

TEST(StencilSweepsOnGpu, GiveEveryAxisItsOwnWeight) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const Fields<double> fields({.form = Form::constant, .grid = {70, 44, 9}});
  Operator<double> weighted = fields.op();
  const double weights[] = {0.5, 0.25, -0.125, 2};
  std::copy(weights, weights + 4, weighted.weight);
  OnDevice<double> device(fields);
  core::DeviceBuffer<double> scratch(fields.x().size());
  for (const Step& step : steps)
    EXPECT_EQ(device.result(
                  [&](const double* x, double* y) { product_of<double>(step.name)(weighted, x, y, device.stream()); }),
              reference_product(weighted, fields.x().data()))
        << step.name;
  const GpuSweeps<double> sweeps(weighted);
  for (const int count : {1, 2, 3, 4})
    EXPECT_EQ(
        device.result([&](const double* x, double* y) { sweeps.run(x, y, scratch.data(), count, device.stream()); }),
        reference_sweeps(weighted, fields.x().data(), count))
        << count;
}

TEST(StencilSweepsOnGpu, GiveThePublishedVectors) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const SweepVector& v : sweep_vectors) {
    const Fields<double> fields(published_problem(v.n, Form::constant, Boundary::periodic));
    OnDevice<double> device(fields);
    core::DeviceBuffer<double> scratch(fields.x().size());
    for (const int depth : {0, 1, 2, 3}) {
      const GpuSweeps<double> sweeps(device.op(), depth);
      expect_sweep_vector(v, device
                                 .result([&](const double* x, double* y) {
                                   sweeps.run(x, y, scratch.data(), v.sweeps, device.stream());
                                 })
                                 .data());
    }
  }
}

template <class T>
void every_tile_sweeps() {
  for (const Grid& g : {Grid{8, 8, 8}, Grid{17, 5, 9}, Grid{3, 3, 3}, Grid{132, 50, 21}, Grid{65, 43, 33}})
    for (int depth = 1; depth <= 8; ++depth)
      for (int tile = 0; tile < 17 * 3; ++tile) {
        const int rows = tile % 17, chunks = tile / 17 + 1;
        const TemporalPlan plan{depth, rows, chunks};
        if (!has_plan<T>(plan)) continue;
        const Fields<T> fields({.form = Form::constant, .grid = g, .values = Values::random, .seed = 8});
        OnDevice<T> device(fields);
        const auto y =
            device.result([&](const T* x, T* out) { temporal_pass(device.op(), x, out, plan, device.stream()); });
        const core::Verdict verdict =
            verify_sweeps<T>(fields, depth, reference_sweeps(fields.op(), fields.x().data(), depth), y);
        EXPECT_TRUE(verdict.passed) << "depth " << depth << " rows " << rows << " pieces " << chunks << " of " << g.nx
                                    << "x" << g.ny << "x" << g.nz << ": " << verdict.error;
      }
}

TEST(StencilSweepsOnGpu, AreRightInEveryTileInDouble) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  every_tile_sweeps<double>();
}
TEST(StencilSweepsOnGpu, AreRightInEveryTileInFloat) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  every_tile_sweeps<float>();
}

}  // namespace
}  // namespace speedwell::stencil
