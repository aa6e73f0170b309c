// Operations, ladder and expressions of a user's own on a GPU, bit by bit against the host, on the shapes at which
// indexing goes wrong, with NaN in what must be written.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "speedwell/apps/vector_calculus/cpu/cpu.hpp"
#include "speedwell/apps/vector_calculus/gpu/ladder.hpp"
#include "speedwell/apps/vector_calculus/gpu/operations.hpp"
#include "speedwell/apps/vector_calculus/gpu_vector_calculus.hpp"
#include "speedwell/apps/vector_calculus/verify/verify.hpp"
#include "tests/support/same_bits.hpp"

namespace speedwell::vector_calculus {
namespace {

using test::same_bits;

constexpr Grid shapes[] = {{8, 6, 4, 0.5, 0.25, 0.125},
                           {33, 9, 7, 0.5, 0.25, 0.125},
                           {3, 3, 3, 1, 0.5, 0.25},
                           {70, 5, 11, 0.5, 0.25, 1},
                           {1, 1, 13},
                           {7, 1, 1},
                           {129, 17, 3, 1, 1, 0.5},
                           {64, 8, 8, 0.5, 0.5, 0.5}};

template <class T>
class OnDevice {
 public:
  explicit OnDevice(const Inputs<T>& inputs) : host_(inputs.operands()), out_(inputs.result_words()) {
    const OperationInfo& of = info(inputs.problem().operation);
    const T* const from[] = {host_.f, host_.g, host_.a, host_.b, host_.c, host_.d};
    const T** const to[] = {&fields_.f, &fields_.g, &fields_.a, &fields_.b, &fields_.c, &fields_.d};
    fields_ = host_;
    for (int field = 0; field < 6; ++field) {
      *to[field] = nullptr;
      if (field < 2 ? field >= of.scalars : field - 2 >= of.vectors) continue;
      buffers_[field] = core::DeviceBuffer<T>((field < 2 ? 1 : 3) * host_.grid->size());
      core::copy_async(buffers_[field].data(), from[field], buffers_[field].size(), stream_);
      *to[field] = buffers_[field].data();
    }
    stream_.synchronize();
  }
  Operands<T>& fields() { return fields_; }
  const core::Stream& stream() const { return stream_; }
  /// The content of `out`, first filled with NaN, after run(out).
  template <class Run>
  std::vector<T> result(const Run& run) {
    core::fill_bytes_async(out_, 0xff, stream_);
    run(out_.data());
    return downloaded(out_.data(), out_.size());
  }
  std::vector<T> downloaded(const T* from, std::size_t size) {
    std::vector<T> all(size);
    core::copy_async(all.data(), from, size, stream_);
    stream_.synchronize();
    return all;
  }

 private:
  core::Stream stream_;
  Operands<T> host_, fields_;
  core::DeviceBuffer<T> buffers_[6], out_;
};

template <class T>
std::vector<T> expected(const Inputs<T>& inputs) {
  std::vector<T> all(static_cast<std::size_t>(inputs.result_words()));
  apply_serially(inputs.problem().operation, inputs.problem().layout, inputs.operands(), all.data());
  return all;
}

template <class Visit>
void for_each_problem(const Visit& visit) {
  for (const OperationInfo& of : operations)
    for (const Layout layout : {Layout::aos, Layout::soa})
      for (const Boundary boundary : {Boundary::periodic, Boundary::one_sided})
        for (Grid g : shapes) {
          if (of.reach > 0 && std::min({g.nx, g.ny, g.nz}) < 3) continue;
          g.boundary = boundary;
          visit(Problem{of.operation, layout, g, Values::random, 3});
        }
}

template <class T>
void operations_hold() {
  for_each_problem([](const Problem& problem) {
    const Inputs<T> inputs(problem);
    OnDevice<T> device(inputs);
    const auto got = device.result(
        [&](T* out) { gpu_apply(problem.operation, problem.layout, device.fields(), out, device.stream()); });
    ASSERT_TRUE(same_bits(got, expected(inputs)))
        << info(problem.operation).name << " " << to_string(problem.layout) << " " << problem.grid.nx;
    ASSERT_TRUE(verify<T>(inputs, got).passed);
  });
}

TEST(VectorCalculusOnGpu, EveryOperationHasTheHostsBits) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  operations_hold<double>();
  operations_hold<float>();
}

template <class T>
void steps_hold() {
  for_each_problem([](const Problem& problem) {
    if (problem.layout != Layout::aos || is_chain(problem.operation)) return;
    const Inputs<T> inputs(problem);
    const std::int64_t words = 3 * problem.grid.size();
    for (const Step& step : steps) {
      if (!has_operation(step, problem.operation)) continue;
      OnDevice<T> device(inputs);
      Operands<T> fields = device.fields();
      core::DeviceBuffer<T> numbers(4), back(words);
      core::copy_async(numbers.data(), fields.s, 4, device.stream());
      std::vector<core::DeviceBuffer<T>> rearranged;
      if (step.restructured)
        for (const T** field : {&fields.a, &fields.b, &fields.c, &fields.d}) {
          if (!*field) continue;
          rearranged.emplace_back(words);
          restructure(problem.grid, Layout::aos, *field, rearranged.back().data(), device.stream());
          *field = rearranged.back().data();
        }
      auto got = device.result([&](T* out) {
        study_apply(step.name, problem.operation, StudyOperands<T>{fields, numbers.data()}, out, device.stream());
        if (!step.restructured || info(problem.operation).components == 1) return;
        restructure(problem.grid, Layout::soa, out, back.data(), device.stream());
        core::copy_async(out, back.data(), static_cast<std::size_t>(words), device.stream());
      });
      EXPECT_TRUE(same_bits(got, expected(inputs)))
          << step.name << " " << info(problem.operation).name << " " << problem.grid.nx;
    }
  });
}

TEST(VectorCalculusOnGpu, EveryStepOfTheLadderHasTheHostsBits) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  steps_hold<double>();
  steps_hold<float>();
}

template <class T, Layout layout>
void expressions_hold() {
  core::Stream stream;
  for (const Boundary boundary : {Boundary::periodic, Boundary::one_sided}) {
    const Grid g{37, 11, 6, 0.5, 0.25, 0.125, boundary};
    const Inputs<T> inputs({Operation::momentum, layout, g, Values::random, 9});
    const Operands<T> o = inputs.operands();
    const auto n = static_cast<std::size_t>(g.size());
    GpuScalarField<T> f(g), fused(g), apart(g), scalar(g);
    GpuVectorField<T, layout> a(g), b(g), fused_vector(g), apart_vector(g), t(g), u(g);
    f.upload({o.f, n}, stream), a.upload({o.a, 3 * n}, stream), b.upload({o.b, 3 * n}, stream);
    const auto same = [&](const auto& one, const auto& other) {
      std::vector<T> x(one.size()), y(one.size());
      one.download(x, stream);
      other.download(y, stream);
      stream.synchronize();
      // Bit by bit, although this file is compiled with contraction of products and sums.
      for (std::size_t w = 0; w < x.size(); ++w) ASSERT_EQ(x[w], y[w]) << w << " " << to_string(boundary);
    };
    // The whole, and its parts one after the other.
    assign(fused_vector, 2 * curl(f * a) - cross(a, curl(b)) + grad(dot(a, b)), stream);
    assign(t, f * a, stream);
    assign(apart_vector, curl(t), stream);
    assign(t, curl(b), stream);
    assign(u, cross(a, t), stream);
    assign(scalar, dot(a, b), stream);
    assign(t, grad(scalar), stream);
    assign(apart_vector, 2 * apart_vector - u + t, stream);
    same(fused_vector, apart_vector);
    assign(fused, div(grad(f)) - advect(a, f) * f + norm2(b), stream);
    assign(t, grad(f), stream);
    assign(apart, div(t), stream);
    assign(scalar, dot(a, t), stream);
    assign(apart, apart - scalar * f + norm2(b), stream);
    same(fused, apart);
    assign(apart_vector, cross(a, b) - 0.5 * a, stream);
    assign(a, cross(a, b) - 0.5 * a, stream);  // in place
    same(a, apart_vector);
    std::vector<T> values(n);
    fused.download(values, stream);
    const Totals got = totals(fused, stream);
    Totals expected;
    double magnitude = 0;
    for (const T v : values) expected.take(static_cast<double>(v)), magnitude += std::abs(static_cast<double>(v));
    EXPECT_EQ(got.largest, expected.largest);
    EXPECT_NEAR(got.sum, expected.sum, 1e-12 * magnitude);
    assign(scalar, div(b), stream);
    EXPECT_NEAR(totals(div(b), stream).sum, totals(scalar, stream).sum,
                100 * std::numeric_limits<T>::epsilon() * magnitude);
    EXPECT_THROW(assign(a, curl(a), stream), std::invalid_argument);
    GpuScalarField<T> elsewhere({37, 11, 6, 0.5, 0.25, 0.25, boundary});
    EXPECT_THROW(assign(elsewhere, 2 * f, stream), std::invalid_argument);
    EXPECT_THROW(f.upload({o.a, 3 * n}, stream), std::invalid_argument);
  }
  GpuScalarField<T> flat({5, 5, 1});
  GpuVectorField<T, layout> slope({5, 5, 1});
  EXPECT_THROW(assign(slope, grad(flat), stream), std::invalid_argument);
}

TEST(VectorCalculusOnGpu, ExpressionsOfAUsersOwnAreTheirParts) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  expressions_hold<double, Layout::soa>();
  expressions_hold<double, Layout::aos>();
  expressions_hold<float, Layout::aos>();
}

}  // namespace
}  // namespace speedwell::vector_calculus
