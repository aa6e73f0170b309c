// Every operation on all cores against the oracle and against one point after the other, on the shapes at which
// indexing goes wrong; and the oracle's verdicts themselves.
#include "speedwell/apps/vector_calculus/cpu/cpu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "speedwell/apps/vector_calculus/cpu/cpu_rows.hpp"
#include "speedwell/apps/vector_calculus/verify/verify.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/simd/isa_choice.hpp"

namespace speedwell::vector_calculus {

SPEEDWELL_IN_EACH_ISA(RowCallOf row_call_f64, row_call_f32;)

namespace {

constexpr Grid shapes[] = {{8, 6, 4, 0.5, 0.25, 0.125}, {17, 5, 3, 0.5, 0.25, 0.125}, {3, 3, 3, 1, 0.5, 0.25},
                           {37, 3, 8, 0.125, 1, 0.5},   {4, 31, 3, 1, 1, 1},          {32, 32, 5, 0.5, 0.5, 0.5}};
constexpr Grid thin[] = {{1, 1, 1}, {1, 1, 13}, {7, 1, 1}, {1, 33, 2}};

template <class T>
std::vector<T> nans(const Inputs<T>& inputs) {
  return std::vector<T>(static_cast<std::size_t>(inputs.result_words()), std::numeric_limits<T>::quiet_NaN());
}

template <class T>
void holds(const Problem& problem) {
  const Inputs<T> inputs(problem);
  auto serial = nans(inputs), parallel = nans(inputs);
  apply_serially(problem.operation, problem.layout, inputs.operands(), serial.data());
  const auto verdict = verify<T>(inputs, serial);
  const Grid& g = problem.grid;
  ASSERT_TRUE(verdict.passed) << info(problem.operation).name << " " << to_string(problem.layout) << " "
                              << to_string(g.boundary) << " " << g.nx << "x" << g.ny << "x" << g.nz << ": "
                              << verdict.error << " > " << verdict.tolerance;
  for (const int threads : {1, 2, 3}) {
    parallel = nans(inputs);
    apply(problem.operation, problem.layout, inputs.operands(), parallel.data(), threads);
    ASSERT_EQ(std::memcmp(serial.data(), parallel.data(), serial.size() * sizeof(T)), 0)
        << info(problem.operation).name << " " << to_string(problem.layout) << " " << to_string(g.boundary) << " "
        << g.nx << "x" << g.ny << "x" << g.nz << " on " << threads << " threads";
  }
}

TEST(VectorCalculusOnCores, EveryOperationGivesTheOraclesAnswerAndTheSameBits) {
  for (const OperationInfo& of : operations)
    for (const Layout layout : {Layout::aos, Layout::soa})
      for (const Boundary boundary : {Boundary::periodic, Boundary::one_sided})
        for (const Values values : {Values::integers, Values::random})
          for (Grid g : shapes) {
            g.boundary = boundary;
            holds<double>({of.operation, layout, g, values, 2});
            holds<float>({of.operation, layout, g, values, 2});
          }
}

TEST(VectorCalculusOnCores, WhatTakesNoDerivativesHoldsOnThinGrids) {
  for (const OperationInfo& of : operations)
    for (const Layout layout : {Layout::aos, Layout::soa})
      for (const Grid& g : thin) {
        if (of.reach > 0) {
          std::vector<double> out(3 * g.size());
          const Operands<double> none{&g};
          EXPECT_THROW(apply(of.operation, layout, none, out.data()), std::invalid_argument);
          continue;
        }
        holds<double>({of.operation, layout, g, Values::random, 2});
      }
}

// Long enough for stores past the caches, at addresses that are and are not multiples of a vector.
TEST(VectorCalculusOnCores, FieldsBeyondTheCachesHaveTheSameBits) {
  for (const Operation operation : {Operation::cross, Operation::grad, Operation::axpy})
    for (const Layout layout : {Layout::aos, Layout::soa}) {
      const Inputs<double> inputs({operation, layout, {129, 127, 67}, Values::random, 5});
      const std::size_t size = static_cast<std::size_t>(inputs.result_words());
      std::vector<double> serial(size), parallel(size + 3, -7.0);
      apply_serially(operation, layout, inputs.operands(), serial.data());
      apply(operation, layout, inputs.operands(), parallel.data() + 1);
      EXPECT_EQ(std::memcmp(serial.data(), parallel.data() + 1, size * sizeof(double)), 0) << info(operation).name;
      EXPECT_EQ(parallel[0], -7);
      EXPECT_EQ(parallel[size + 1], -7);
    }
}

// Rows that are stored past the caches, from the first to the last vector and beside them, for every instruction set.
template <class T>
void streamed_rows_have_the_bits_of_points(core::Isa isa, const Problem& problem, std::int64_t offset) {
  const Inputs<T> inputs(problem);
  const auto size = static_cast<std::size_t>(inputs.result_words());
  std::vector<T> serial(size);
  apply_serially(problem.operation, problem.layout, inputs.operands(), serial.data());
  core::HostBuffer<T> streamed(size + 32);
  std::fill(streamed.begin(), streamed.end(), T(-7));
  const Grid& g = problem.grid;
  const RowJob<T> job{inputs.operands(), host_frame_of<T>(g), streamed.data() + offset, true, 0, g.nx};
  RowCallOf* calls = nullptr;
  if constexpr (std::is_same_v<T, double>)
    calls = SPEEDWELL_OF_ISA(isa, row_call_f64);
  else
    calls = SPEEDWELL_OF_ISA(isa, row_call_f32);
  host::Call* const call = calls(problem.operation, problem.layout, g.boundary == Boundary::one_sided);
  host::for_each_row(g, sizeof(T), info(problem.operation).reach, 1, call, &job);
  EXPECT_EQ(std::memcmp(serial.data(), streamed.data() + offset, size * sizeof(T)), 0)
      << info(problem.operation).name << " " << to_string(problem.layout) << " " << to_string(g.boundary) << " " << g.nx
      << " from " << offset << " " << core::to_string(isa);
  for (std::int64_t i = 0; i < offset; ++i) EXPECT_EQ(streamed[static_cast<std::size_t>(i)], T(-7));
  EXPECT_EQ(streamed[size + static_cast<std::size_t>(offset)], T(-7));
}

TEST(VectorCalculusOnCores, StreamedRowsHaveTheSameBits) {
  for (const core::Isa isa : {core::Isa::baseline, core::Isa::avx2, core::Isa::avx512}) {
    if (!core::is_available(isa)) continue;
    for (const OperationInfo& of : operations) {
      if (of.reach == 0) continue;
      for (const Layout layout : {Layout::aos, Layout::soa})
        for (const Boundary boundary : {Boundary::periodic, Boundary::one_sided})
          for (const std::int64_t nx : {3, 8, 15, 16, 17, 32, 37, 64})
            for (const std::int64_t offset : {0, 3}) {
              const Problem problem{of.operation, layout, {nx, 4, 4, 0.5, 0.25, 0.125, boundary}, Values::random, 5};
              streamed_rows_have_the_bits_of_points<double>(isa, problem, offset);
              streamed_rows_have_the_bits_of_points<float>(isa, problem, offset);
            }
    }
  }
}

TEST(VectorCalculusOnCores, ChainsAreTheirOperationsOneAfterTheOther) {
  for (const OperationInfo& of : operations) {
    if (!is_chain(of.operation)) continue;
    const Inputs<double> inputs({of.operation, Layout::aos, {13, 9, 7, 0.5, 0.25, 0.125}, Values::random, 4});
    const Operands<double> o = inputs.operands();
    std::vector<double> t(3 * o.grid->size()), u(t), w(t), apart(static_cast<std::size_t>(inputs.result_words())),
        fused(apart);
    for (const ChainStep& step : steps_of_chain(of.operation)) {
      const auto call = call_of_step(step, o, Between<double>{t.data(), u.data(), w.data()}, apart.data());
      apply(step.operation, Layout::aos, call.operands, call.out);
    }
    apply(of.operation, Layout::aos, o, fused.data());
    EXPECT_EQ(apart, fused) << of.name;
  }
}

TEST(VectorCalculusVerdict, RefusesOneWrongWordASwappedAxisAndANan) {
  for (const Values values : {Values::integers, Values::random}) {
    const Inputs<double> inputs({Operation::curl, Layout::aos, {9, 8, 7, 0.5, 0.25, 0.125}, values, 6});
    auto right = nans(inputs);
    EXPECT_FALSE(verify<double>(inputs, right).passed);
    apply(Operation::curl, Layout::aos, inputs.operands(), right.data());
    EXPECT_TRUE(verify<double>(inputs, right).passed);
    auto wrong = right;
    wrong[700] += 1e-13 * std::abs(wrong[700]) + 1e-13;
    EXPECT_FALSE(verify<double>(inputs, wrong).passed);
    wrong = right;
    wrong.back() = std::nan("");
    EXPECT_FALSE(verify<double>(inputs, wrong).passed);
    Grid swapped = inputs.problem().grid;
    std::swap(swapped.dx, swapped.dy);
    Operands<double> o = inputs.operands();
    o.grid = &swapped;
    apply(Operation::curl, Layout::aos, o, wrong.data());
    EXPECT_FALSE(verify<double>(inputs, wrong).passed);
    EXPECT_THROW(verify<double>(inputs, std::span(right).first(9)), std::invalid_argument);
  }
}

TEST(VectorCalculusVerdict, CountsTheStudysCriteria) {
  const double one = 1, next = std::nextafter(1.0, 2.0), infinite = std::numeric_limits<double>::infinity();
  const std::vector<double> expected = {one, 0.0, -1e-300, infinite, 2, -3};
  std::vector<double> got = {next, -0.0, -1e-300, infinite, 2, -3};
  StudyCriteria seen = study_criteria<double>(expected, got);
  EXPECT_EQ(seen.largest_ulps, 1u);
  EXPECT_NEAR(seen.largest_relative, 2.22e-16, 1e-18);
  EXPECT_EQ(seen.over_relative + seen.over_ulps, 0);
  got[2] = 1e-300;  // another sign: far apart, however small
  EXPECT_EQ(study_criteria<double>(expected, got).over_ulps, 1);
  got[3] = -infinite;
  EXPECT_EQ(study_criteria<double>(expected, got).over_ulps, 2);
  got[4] = std::nan("");
  got[5] = infinite;
  seen = study_criteria<double>(expected, got);
  EXPECT_EQ(seen.over_ulps, 4);
  EXPECT_EQ(seen.over_relative, 4);
  // The nine of the library that cancel nothing meet both criteria.
  for (const Operation operation : {Operation::copy, Operation::add, Operation::scale, Operation::norm2, Operation::mul,
                                    Operation::fscale, Operation::area}) {
    const Inputs<double> inputs({operation, Layout::soa, {12, 5, 4}, Values::random, 8});
    auto out = nans(inputs);
    apply(operation, Layout::soa, inputs.operands(), out.data());
    const StudyCriteria of = verify_in_detail<double>(inputs, out).study;
    EXPECT_TRUE(operation == Operation::area || of.over_relative + of.over_ulps == 0) << info(operation).name;
    EXPECT_LE(of.largest_relative, 1e-10) << info(operation).name;
  }
}

TEST(VectorCalculusProblem, RefusesWholeNumbersThatWouldBeRounded) {
  EXPECT_THROW(Inputs<double>({Operation::grad, Layout::aos, {8, 8, 8, 0.1, 1, 1}, Values::integers}),
               std::invalid_argument);
  EXPECT_NO_THROW(Inputs<double>({Operation::grad, Layout::aos, {8, 8, 8, 0.1, 1, 1}, Values::random}));
}

}  // namespace
}  // namespace speedwell::vector_calculus
