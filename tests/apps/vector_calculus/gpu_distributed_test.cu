// The operations and expressions of a user's own on slabs of several GPUs, which ranks may share, have the bits of one
// GPU: all operations, layouts, precisions and boundaries, uneven slabs, by every transport that is here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/vector_calculus/gpu/operations.hpp"
#include "speedwell/apps/vector_calculus/gpu_distributed.hpp"
#include "speedwell/apps/vector_calculus/gpu_vector_calculus.hpp"
#include "speedwell/apps/vector_calculus/operations/operand_fields.hpp"
#include "speedwell/apps/vector_calculus/problem.hpp"
#include "speedwell/core/random.hpp"
#include "tests/apps/vector_calculus/random_problem.hpp"
#include "tests/support/device_ranks.hpp"
#include "tests/support/same_bits.hpp"

namespace speedwell::vector_calculus {
namespace {

using comm::Transport;
using test::is_root;
using test::ranks;
using test::same_bits;

/// The words of an operand, 0 to 5 of f, g, a, b, c, d; 0 if the operation does not read it.
int words_of(const OperationInfo& of, int field) {
  if (field < 2) return field < of.scalars ? 1 : 0;
  return field - 2 < of.vectors ? 3 : 0;
}

template <class T>
std::vector<T> on_one_gpu(const Inputs<T>& inputs, const core::Stream& stream) {
  const Problem& problem = inputs.problem();
  const auto from = fields_of(inputs.operands());
  std::array<core::DeviceBuffer<T>, 6> fields;
  for (int field = 0; field < 6; ++field) {
    const int words = words_of(info(problem.operation), field);
    if (words == 0) continue;
    fields[field] = core::DeviceBuffer<T>(static_cast<std::size_t>(words * problem.grid.size()));
    core::copy_async(fields[field].data(), from[field], fields[field].size(), stream);
  }
  core::DeviceBuffer<T> out(static_cast<std::size_t>(inputs.result_words()));
  gpu_apply(problem.operation, problem.layout, with_fields(inputs.operands(), fields), out.data(), stream);
  std::vector<T> result(out.size());
  core::copy_async(result.data(), static_cast<const T*>(out.data()), out.size(), stream);
  stream.synchronize();
  return result;
}

/// The fields of an operation and its result on the slab of this rank.
template <class T>
class Slabs {
 public:
  Slabs(const Inputs<T>& inputs, Transport transport, int depth)
      : inputs_(inputs), grid_(ranks(), inputs.problem().grid, transport, depth) {
    const auto from = fields_of(inputs.operands());
    const auto points = static_cast<std::size_t>(grid_.local().size());
    for (int field = 0; field < 6; ++field) {
      const int words = words_of(of(), field);
      if (words == 0) continue;
      // NaN: a halo that is not filled is found.
      fields_[field] = core::DeviceBuffer<T>(words * points);
      core::fill_bytes_async(fields_[field], 0xff, stream_);
      T* const data = fields_[field].data();
      const T* const whole = is_root() ? from[field] : nullptr;
      if (words == 1)
        grid_.scatter(whole, TileField<T>{data, 1}, stream_);
      else
        grid_.scatter_vector(layout(), whole, data, stream_);
    }
    out_ = core::DeviceBuffer<T>(of().components * points);
    gpu_prepare(grid_, of().operation, layout(), with_fields(inputs_.operands(), fields_));
  }
  DistributedGpuGrid& grid() { return grid_; }
  const core::Stream& stream() const { return stream_; }
  core::DeviceBuffer<T>& field(int index) { return fields_[index]; }

  /// The result on rank 0. Words beside the slab's keep their values.
  std::vector<T> apply(HaloUpdate update) {
    core::fill_bytes_async(out_, 0x5a, stream_);
    gpu_apply(grid_, of().operation, layout(), with_fields(inputs_.operands(), fields_), out_.data(), stream_, update);
    grid_.check(stream_);
    expect_halo_kept();
    std::vector<T> whole(is_root() ? static_cast<std::size_t>(inputs_.result_words()) : 0);
    if (of().components == 1)
      grid_.gather(TileField<const T>{out_.data(), 1}, whole.data(), stream_);
    else
      grid_.template gather_vector<T>(layout(), out_.data(), whole.data(), stream_);
    return whole;
  }

 private:
  const OperationInfo& of() const { return info(inputs_.problem().operation); }
  Layout layout() const { return inputs_.problem().layout; }
  void expect_halo_kept() {
    std::vector<T> all(out_.size());
    core::copy_async(all.data(), static_cast<const T*>(out_.data()), all.size(), stream_);
    stream_.synchronize();
    T expected;
    std::memset(&expected, 0x5a, sizeof(T));
    const comm::Range own = grid_.own_planes();
    const std::int64_t plane = grid_.local().nx * grid_.local().ny, points = grid_.local().size();
    const bool aos = layout() == Layout::aos;
    std::int64_t overwritten = 0;
    for (std::size_t w = 0; w < all.size(); ++w) {
      const auto word = static_cast<std::int64_t>(w);
      const std::int64_t point = of().components == 1 ? word : aos ? word / 3 : word % points, k = point / plane;
      if ((k < own.begin || k >= own.end) && std::memcmp(&all[w], &expected, sizeof(T)) != 0) ++overwritten;
    }
    EXPECT_EQ(overwritten, 0) << "words of the result's halo";
  }

  const Inputs<T>& inputs_;
  core::Stream stream_;
  DistributedGpuGrid grid_;
  std::array<core::DeviceBuffer<T>, 6> fields_;
  core::DeviceBuffer<T> out_;
};

class SlabsOnGpus : public testing::TestWithParam<Transport> {
 protected:
  void SetUp() override {
    if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
    if (const auto reason = comm::transport_missing(ranks(), GetParam())) GTEST_SKIP() << *reason;
  }
  /// Every operation by the fastest transport of one host; by the others, which take longer to begin, some.
  bool is_tested(const OperationInfo& of) const {
    if (GetParam() == Transport::peer) return true;
    if (GetParam() == Transport::nccl) return of.operation == Operation::momentum;
    return of.operation == Operation::momentum || of.operation == Operation::laplacian ||
           of.operation == Operation::div;
  }
  template <class T>
  void expect_the_same(const Problem& problem, int more_depth = 0) {
    const Inputs<T> inputs(problem);
    const core::Stream stream;
    const std::vector<T> expected = on_one_gpu(inputs, stream);
    Slabs<T> slabs(inputs, GetParam(), info(problem.operation).reach + more_depth);
    SCOPED_TRACE(std::string(info(problem.operation).name) + ", " + std::string(to_string(problem.layout)) + ", " +
                 std::string(to_string(problem.grid.boundary)) + ", " + std::to_string(problem.grid.nz) + " planes");
    for (const HaloUpdate update : {HaloUpdate::overlapped, HaloUpdate::before, HaloUpdate::none}) {
      const std::vector<T> got = slabs.apply(update);
      if (is_root()) {
        EXPECT_TRUE(same_bits(got, expected)) << static_cast<int>(update);
      }
    }
    EXPECT_GE(slabs.grid().exchange_seconds(), 0);
  }
};

TEST_P(SlabsOnGpus, OperationsHaveTheBitsOfOneGpu) {
  for (const OperationInfo& of : operations)
    for (const Layout layout : {Layout::aos, Layout::soa})
      for (const Boundary boundary : {Boundary::periodic, Boundary::one_sided}) {
        if (!is_tested(of)) continue;
        // 37 points along x are divided neither by the threads of a warp nor by packs.
        expect_the_same<double>(problem_of(of.operation, layout, boundary, {37, 9, 35}));
        expect_the_same<float>(problem_of(of.operation, layout, boundary, {37, 9, 35}));
        if (GetParam() == Transport::peer)
          expect_the_same<float>(problem_of(of.operation, layout, boundary, {64, 8, 64}));
      }
}

TEST_P(SlabsOnGpus, MayHaveADeeperHaloThanOperationsNeed) {
  if (GetParam() != Transport::peer) return;
  for (const Operation operation :
       {Operation::axpy, Operation::mul, Operation::cross, Operation::curl, Operation::laplacian})
    for (const Layout layout : {Layout::aos, Layout::soa})
      for (const Boundary boundary : {Boundary::periodic, Boundary::one_sided}) {
        expect_the_same<double>(problem_of(operation, layout, boundary, {21, 7, 43}), 1);
        expect_the_same<float>(problem_of(operation, layout, boundary, {32, 8, 43}), 1);
      }
}

TEST_P(SlabsOnGpus, MayBeAsThinAsTheirHalo) {
  const std::int64_t n = ranks().size();
  for (const OperationInfo& of : operations) {
    if (of.reach == 0 || !is_tested(of) || GetParam() == Transport::nccl) continue;
    const std::int64_t periodic = std::max<std::int64_t>(3, of.reach * n), one_sided = (of.reach + 2) * n;
    expect_the_same<double>(problem_of(of.operation, Layout::aos, Boundary::periodic, {33, 5, periodic}));
    expect_the_same<double>(problem_of(of.operation, Layout::soa, Boundary::one_sided, {33, 5, one_sided}));
  }
}

// A plane that was not received, one point of it that is stale in its corner, and a plane of the wrong sign change the
// result.
TEST_P(SlabsOnGpus, FaultsOfTheHaloChangeTheResult) {
  if (ranks().size() == 1 || GetParam() == Transport::nccl) return;
  enum class Fault { none, missing_face, stale_corner, sign };
  struct Case {
    Operation operation;
    int field, words;
  };
  for (const Case& of : {Case{Operation::grad, 0, 1},
                         {Operation::momentum, 0, 1},
                         {Operation::momentum, 2, 3},
                         {Operation::laplacian, 0, 1},
                         {Operation::curl_grad, 0, 1}})
    for (const Fault fault : {Fault::none, Fault::missing_face, Fault::stale_corner, Fault::sign}) {
      // curl(grad f) is rounding errors alone, of which one point may leave none.
      if (fault == Fault::stale_corner && of.operation == Operation::curl_grad) continue;
      const Inputs<double> inputs(problem_of(of.operation, Layout::aos, Boundary::periodic, {24, 24, 24}));
      const core::Stream stream;
      Slabs<double> slabs(inputs, GetParam(), info(of.operation).reach);
      slabs.apply(HaloUpdate::before);
      if (is_root() && fault != Fault::none) {
        core::DeviceBuffer<double>& field = slabs.field(of.field);
        std::vector<double> values(field.size());
        core::copy_async(values.data(), static_cast<const double*>(field.data()), values.size(), stream);
        stream.synchronize();
        // The plane of the halo below the slab's first, which all operations read.
        const Grid& local = slabs.grid().local();
        const std::int64_t plane = local.nx * local.ny * of.words,
                           first = (slabs.grid().own_planes().begin - 1) * plane;
        const std::int64_t count = fault == Fault::stale_corner ? of.words : plane;
        for (std::int64_t word = first; word < first + count; ++word) {
          double& value = values[static_cast<std::size_t>(word)];
          value = fault == Fault::sign ? -value : fault == Fault::stale_corner ? 0.5 * value : 0;
        }
        core::copy_async(field.data(), static_cast<const double*>(values.data()), values.size(), stream);
        stream.synchronize();
      }
      const std::vector<double> got = slabs.apply(HaloUpdate::none);
      if (is_root()) {
        EXPECT_EQ(same_bits(got, on_one_gpu(inputs, stream)), fault == Fault::none)
            << info(of.operation).name << ", field " << of.field << ", fault " << static_cast<int>(fault);
      }
    }
}

std::vector<double> random_values(std::int64_t words, std::uint64_t seed) {
  std::vector<double> values(static_cast<std::size_t>(words));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 2 * core::random_uniform(seed, i) - 1;
  return values;
}

template <Layout layout>
void expect_expressions(const Grid& whole, Transport transport) {
  const core::Stream stream;
  GpuScalarField<double> p(whole), divergence(whole);
  GpuVectorField<double, layout> b(whole), force(whole), twice(whole);
  const std::vector<double> p_values = random_values(whole.size(), 1), b_values = random_values(3 * whole.size(), 2);
  p.upload(p_values, stream);
  b.upload(b_values, stream);
  assign(force, cross(curl(b), b) - grad(p), stream);
  assign(twice, 0.5 * b + force - b, stream);

  DistributedGpuGrid grid(ranks(), whole, transport, 2);
  DistributedGpuScalarField<double> p_slab(grid), divergence_slab(grid);
  DistributedGpuVectorField<double, layout> b_slab(grid), force_slab(grid), twice_slab(grid);
  const auto holds = [&](const auto& expected, const auto& field) {
    std::vector<double> on_one(expected.size()), got(expected.size());
    expected.download(on_one, stream);
    stream.synchronize();
    field.gather(got.data(), stream);
    return !is_root() || same_bits(got, on_one);
  };
  p_slab.scatter(p_values.data(), stream);
  b_slab.scatter(b_values.data(), stream);
  EXPECT_TRUE(holds(p, p_slab));
  EXPECT_TRUE(holds(b, b_slab));
  assign(force_slab, cross(curl(b_slab), b_slab) - grad(p_slab), stream);
  EXPECT_TRUE(holds(force, force_slab));
  if constexpr (layout == Layout::soa) {  // once: kernels of nested derivatives take the compiler long
    assign(divergence, div(p * grad(norm2(b))), stream);
    assign(divergence_slab, div(p_slab * grad(norm2(b_slab))), stream);
    EXPECT_TRUE(holds(divergence, divergence_slab));
  }
  assign(twice_slab, 0.5 * b_slab + force_slab - b_slab, stream);
  EXPECT_TRUE(holds(twice, twice_slab));
  assign(b_slab, b_slab + 2 * b_slab, stream);  // in place
  assign(b, b + 2 * b, stream);
  EXPECT_TRUE(holds(b, b_slab));

  const auto expect_totals = [&](const Totals& expected, const Totals& got) {
    EXPECT_EQ(got.largest, expected.largest);
    EXPECT_NEAR(got.sum, expected.sum, 1e-12 * static_cast<double>(whole.size()) * (1 + expected.largest));
  };
  const Totals first = totals(grid, div(b_slab), stream);
  expect_totals(totals(div(b), stream), first);
  expect_totals(totals(norm2(b), stream), totals(grid, norm2(b_slab), stream));
  const Totals again = totals(grid, div(b_slab), stream, HaloUpdate::none);
  EXPECT_EQ(again.sum, first.sum);
  EXPECT_EQ(again.largest, first.largest);
  grid.check(stream);
}

TEST_P(SlabsOnGpus, ExpressionsHaveTheBitsOfOneGpu) {
  if (GetParam() == Transport::nccl) return;
  for (const Boundary boundary : {Boundary::periodic, Boundary::one_sided}) {
    const Grid grid{.nx = 29, .ny = 11, .nz = 35, .dx = 0.3, .dy = 0.7, .dz = 1.1, .boundary = boundary};
    expect_expressions<Layout::soa>(grid, GetParam());
    expect_expressions<Layout::aos>(grid, GetParam());
  }
}

TEST_P(SlabsOnGpus, RefuseWhatDoesNotFit) {
  const int n = ranks().size();
  const auto box = [](std::int64_t nz, Boundary boundary) {
    return Grid{.nx = 8, .ny = 8, .nz = nz, .boundary = boundary};
  };
  if (n > 1) {
    EXPECT_THROW(DistributedGpuGrid(ranks(), box(3 * n - 1, Boundary::one_sided), GetParam()), std::invalid_argument);
    EXPECT_THROW(DistributedGpuGrid(ranks(), box(2 * n - 1, Boundary::periodic), GetParam(), 2), std::invalid_argument);
  }
  const core::Stream stream;
  DistributedGpuGrid grid(ranks(), box(24, Boundary::periodic), GetParam()),
      other(ranks(), box(24, Boundary::periodic), GetParam());
  DistributedGpuScalarField<double> f(grid), g(other);
  DistributedGpuVectorField<double> a(grid);
  EXPECT_THROW(assign(f, div(grad(f)), stream), std::invalid_argument);
  EXPECT_THROW(assign(f, 2 * g, stream), std::invalid_argument);
  EXPECT_THROW(assign(a, curl(a), stream), std::invalid_argument);
  EXPECT_THROW(totals(grid, g, stream), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Transports, SlabsOnGpus, testing::ValuesIn(comm::transports()), [](const auto& test) {
  const std::string name(to_string(test.param));
  return name == "gpu-aware" ? "gpu_aware" : name;
});

}  // namespace
}  // namespace speedwell::vector_calculus
