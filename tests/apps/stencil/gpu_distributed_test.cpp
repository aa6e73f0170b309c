// Products, sweeps and conjugate gradients on slabs of several GPUs, which ranks may share: products have the bits of
// one GPU, for all forms and boundaries, uneven slabs, by every transport that is here.
#include "speedwell/apps/stencil/gpu_distributed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "speedwell/apps/stencil/cg.hpp"
#include "speedwell/apps/stencil/fields.hpp"
#include "speedwell/apps/stencil/stencil.hpp"
#include "speedwell/numerics/loop_graph.hpp"
#include "tests/apps/stencil/expect_residual.hpp"
#include "tests/support/device_ranks.hpp"

namespace speedwell::stencil {
namespace {

using comm::Transport;
using test::ranks;

bool is_root() { return ranks().rank() == 0; }

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
std::vector<T> on_one_gpu(const Fields<T>& fields, const core::Stream& stream) {
  const auto cells = static_cast<std::size_t>(fields.op().grid.size());
  const DeviceOperator<T> a(fields.op(), stream);
  core::DeviceBuffer<T> x(cells), y(cells);
  core::copy_async(x.data(), fields.x().data(), cells, stream);
  gpu_multiply(a.op(), static_cast<const T*>(x.data()), y.data(), stream);
  std::vector<T> result(cells);
  core::copy_async(result.data(), static_cast<const T*>(y.data()), cells, stream);
  stream.synchronize();
  return result;
}

class DistributedGpu : public testing::TestWithParam<Transport> {
 protected:
  void SetUp() override {
    if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
    if (const auto reason = comm::transport_missing(ranks(), GetParam())) GTEST_SKIP() << *reason;
  }
};

template <class T>
void expect_products(const Problem& problem, Transport transport) {
  SCOPED_TRACE(std::string(to_string(problem.form)) + ", " + std::string(to_string(problem.boundary)));
  const core::Stream stream;
  const Fields<T> fields(problem);
  const std::vector<T> expected = on_one_gpu(fields, stream);
  std::vector<T> got(expected.size());
  DistributedGpuOperator<T> a(ranks(), {problem.form, problem.boundary, problem.grid}, transport);
  a.set(is_root() ? &fields.op() : nullptr, stream);
  core::DeviceBuffer<T> x = a.make_field(), y = a.make_field();
  a.scatter(is_root() ? fields.x().data() : nullptr, x.data(), stream);
  for (const bool overlapped : {true, false, true}) {
    overlapped ? a.multiply(x.data(), y.data(), stream) : a.exchange_and_multiply(x.data(), y.data(), stream);
    a.check(stream);
    a.gather(y.data(), is_root() ? got.data() : nullptr, stream);
    if (is_root()) {
      EXPECT_TRUE(same_bits(got, expected)) << (overlapped ? "overlapped" : "exchange first");
    }
    core::fill_bytes_async(y, 0, stream);
  }
  EXPECT_GE(a.exchange_seconds(), 0);
}

TEST_P(DistributedGpu, ProductsHaveTheBitsOfOneGpu) {
  const std::int64_t nz = std::max(3, 2 * ranks().size() + 1);
  for (const Form form : {Form::cell_metric, Form::constant, Form::face_metric, Form::face_coefficient, Form::general})
    for (const Boundary boundary : {Boundary::periodic, Boundary::zero, Boundary::none}) {
      if (boundary == Boundary::none && form != Form::face_metric && form != Form::face_coefficient) continue;
      if (GetParam() == Transport::nccl && form != Form::constant) continue;  // which takes half a second to begin
      for (const Grid& grid : {Grid{21, 18, 25}, Grid{64, 40, nz}}) {
        const Problem problem{.form = form, .boundary = boundary, .grid = grid, .values = Values::random, .seed = 5};
        expect_products<double>(problem, GetParam());
        expect_products<float>(problem, GetParam());
      }
    }
}

template <class T>
void expect_sweeps(const Grid& grid, int sweeps, int depth, Transport transport) {
  if (grid.nz / ranks().size() < depth) return;
  const core::Stream stream;
  const Problem problem{
      .form = Form::constant, .boundary = Boundary::periodic, .grid = grid, .values = Values::dyadic, .seed = 7};
  const Fields<T> fields(problem);
  const auto cells = static_cast<std::size_t>(grid.size());
  std::vector<T> expected(cells), scratch(cells), got(cells);
  sweep<T>(fields.op(), fields.x().span(), expected, scratch, sweeps, 1, {.threads = 1});
  DistributedGpuOperator<T> a(ranks(), {problem.form, problem.boundary, problem.grid}, transport, depth);
  a.set(is_root() ? &fields.op() : nullptr, stream);
  core::DeviceBuffer<T> x = a.make_field(), y = a.make_field(), between = a.make_field();
  a.scatter(is_root() ? fields.x().data() : nullptr, x.data(), stream);
  a.sweep(x.data(), y.data(), between.data(), sweeps, stream);
  a.gather(y.data(), is_root() ? got.data() : nullptr, stream);
  if (is_root()) {
    EXPECT_TRUE(same_bits(got, expected)) << a.host().division_text() << ", depth " << depth << ", " << sweeps;
  }
}

// Dyadic values are not rounded, so that one process on a CPU is the oracle to the last bit.
TEST_P(DistributedGpu, SweepsHaveTheBitsOfTheHost) {
  for (const int depth : {1, 2, 3, 4})
    for (const int sweeps : {1, 4, 7}) {
      if (GetParam() == Transport::nccl && (depth != 2 || sweeps != 7)) continue;
      expect_sweeps<double>({25, 24, 36}, sweeps, depth, GetParam());
      if (sweeps <= 4) expect_sweeps<float>({64, 48, 33}, sweeps, depth, GetParam());  // 4 bits a sweep
    }
}

TEST_P(DistributedGpu, RefusesSlabsThinnerThanTheirHalo) {
  const int n = ranks().size();
  if (n < 2) return;
  EXPECT_THROW(
      DistributedGpuOperator<double>(ranks(), {Form::constant, Boundary::periodic, {8, 8, 2 * n}}, GetParam(), 3),
      std::invalid_argument);
  DistributedGpuOperator<double> other(ranks(), {Form::general, Boundary::zero, {8, 8, 3 * n}}, GetParam());
  const core::Stream stream;
  core::DeviceBuffer<double> x = other.make_field();
  EXPECT_THROW(other.sweep(x.data(), x.data(), x.data(), 1, stream), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Transports, DistributedGpu, testing::ValuesIn(comm::transports()), [](const auto& test) {
  const std::string name(to_string(test.param));
  return name == "gpu-aware" ? "gpu_aware" : name;
});

class DistributedGpuCgTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
    if (const auto reason = comm::transport_missing(ranks(), Transport::peer)) GTEST_SKIP() << *reason;
  }
};

template <class T>
void expect_solved(const Operator<T>& op, const std::vector<T>& b, const CgOptions& options) {
  SCOPED_TRACE(std::string(to_string(op.form)) + ", preconditioner " +
               std::to_string(static_cast<int>(options.preconditioner)));
  const core::Stream stream;
  std::vector<T> one_process(b.size(), T(0)), first, got(b.size());
  const CgResult expected = solve<T>(op, b, one_process, options);
  DistributedGpuOperator<T> a(ranks(), {op.form, op.boundary, op.grid}, Transport::peer);
  a.set(is_root() ? &op : nullptr, stream);
  DistributedGpuCg<T> cg(a, options, stream);
  cg.loop_by_host(numerics::loops_by_host());
  core::DeviceBuffer<T> right = a.make_field(), x = a.make_field();
  a.scatter(is_root() ? b.data() : nullptr, right.data(), stream);
  // Ranks that share a GPU wait for each other by turns, each of which takes milliseconds.
  const int times = ranks().size() <= core::device_count() ? 3 : 1;
  for (int again = 0; again < times; ++again) {
    core::fill_bytes_async(x, 0, stream);
    cg.run(right.data(), x.data(), stream);
    const CgResult result = cg.result(stream);
    EXPECT_EQ(result.outcome, expected.outcome);
    EXPECT_NEAR(result.iterations, expected.iterations, 1);
    a.gather(x.data(), is_root() ? got.data() : nullptr, stream);
    if (again == 0) first = got;
    if (!is_root()) continue;
    EXPECT_TRUE(same_bits(got, first)) << "every time the same bits";
    if (expected.outcome != CgOutcome::converged) continue;
    expect_residual<T>(op, b, got, result.residual, options.tolerance);
  }
  EXPECT_GE(cg.exchange_seconds(), 0);
}

TEST_F(DistributedGpuCgTest, SolvesTheModelProblem) {
  for (const Grid& grid : {Grid{20, 17, 23}, Grid{64, 24, std::max(4, 2 * ranks().size() + 1)}}) {
    const UnitLaplacian<double> laplacian(grid);
    for (const Preconditioner preconditioner :
         {Preconditioner::none, Preconditioner::jacobi, Preconditioner::polynomial})
      expect_solved<double>(laplacian.op(), make_rhs<double>(grid),
                            {.preconditioner = preconditioner, .tolerance = 1e-9});
    const UnitLaplacian<float> single(grid);
    expect_solved<float>(single.op(), make_rhs<float>(grid), {.tolerance = 1e-4});
  }
}

TEST_F(DistributedGpuCgTest, SolvesStretchedAndVariableCoefficients) {
  const Grid grid{12, 19, 20};
  for (const Form form : {Form::face_metric, Form::face_coefficient})
    for (const Boundary boundary : {Boundary::periodic, Boundary::zero, Boundary::none}) {
      const Fields<double> fields(
          {.form = form, .boundary = boundary, .grid = grid, .values = Values::random, .seed = 4});
      for (const Preconditioner preconditioner : {Preconditioner::none, Preconditioner::polynomial}) {
        if (ranks().size() > core::device_count() && boundary == Boundary::zero) continue;  // they take turns
        expect_solved<double>(fields.op(), make_rhs<double>(grid),
                              {.preconditioner = preconditioner, .tolerance = 1e-9});
      }
    }
}

TEST_F(DistributedGpuCgTest, StopsAtTheLimitAndWithoutARightHandSide) {
  const Grid grid{16, 16, 16};
  const UnitLaplacian<double> laplacian(grid);
  expect_solved<double>(laplacian.op(), make_rhs<double>(grid), {.tolerance = 1e-9, .iterations = 8});
  expect_solved<double>(laplacian.op(), std::vector<double>(static_cast<std::size_t>(grid.size()), 0.0),
                        {.tolerance = 1e-9, .iterations = 8});
  DistributedGpuOperator<double> a(ranks(), {Form::constant, Boundary::zero, grid}, Transport::peer);
  const core::Stream stream;
  a.set(is_root() ? &laplacian.op() : nullptr, stream);
  EXPECT_THROW(DistributedGpuCg<double>(a, {.omega = 2}, stream), std::invalid_argument);
  EXPECT_THROW(DistributedGpuCg<double>(a, {.tolerance = -1}, stream), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::stencil
