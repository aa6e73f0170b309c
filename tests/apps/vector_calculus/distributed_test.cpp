// The operations on 1 to 8 ranks have the bits of one process: all operations, layouts, precisions and boundaries,
// uneven tiles, every axis divided. The arithmetic of a point does not depend on its position: nothing is contracted,
// and a tile takes one-sided differences at the grid's ends alone.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/vector_calculus/cpu/cpu.hpp"
#include "speedwell/apps/vector_calculus/operations/operand_fields.hpp"
#include "speedwell/apps/vector_calculus/problem.hpp"
#include "speedwell/apps/vector_calculus/ranks/distributed_cpu.hpp"
#include "tests/apps/vector_calculus/random_problem.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/same_bits.hpp"

namespace speedwell::vector_calculus {
namespace {

using test::is_root;
using test::rank_grids;
using test::ranks;
using test::same_bits;

/// The fields of an operation and its result on the tile of this rank.
template <class T>
class Tiles {
 public:
  Tiles(const Inputs<T>& inputs, int depth, const std::array<int, 3>& along)
      : inputs_(inputs), grid_(ranks(), inputs.problem().grid, depth, along) {
    const auto from = fields_of(inputs.operands());
    const OperationInfo& of = info(inputs.problem().operation);
    const auto points = static_cast<std::size_t>(grid_.local().size());
    // A halo that is not filled is found.
    for (std::size_t field = 0; field < 6; ++field) {
      const bool scalar = field < 2;
      if (scalar ? field >= static_cast<std::size_t>(of.scalars) : field - 2 >= static_cast<std::size_t>(of.vectors))
        continue;
      fields_[field].assign((scalar ? 1 : 3) * points, T(1e9));
      T* const data = fields_[field].data();
      if (scalar)
        grid_.scatter(is_root() ? from[field] : nullptr, TileField<T>{data, 1});
      else
        grid_.scatter_vector(inputs.problem().layout, is_root() ? from[field] : nullptr, data);
    }
    out_.assign(static_cast<std::size_t>(of.components) * points, T(-77));
  }
  DistributedGrid& grid() { return grid_; }
  Operands<T> operands() { return with_fields(inputs_.operands(), fields_); }
  std::vector<T>& field(std::size_t index) { return fields_[index]; }
  std::vector<T>& out() { return out_; }
  void apply(HaloUpdate update) {
    vector_calculus::apply(grid_, inputs_.problem().operation, inputs_.problem().layout, operands(), out_.data(),
                           update);
  }
  /// On rank 0.
  std::vector<T> gather() {
    std::vector<T> whole(is_root() ? static_cast<std::size_t>(inputs_.result_words()) : 0);
    if (info(inputs_.problem().operation).components == 1)
      grid_.gather(TileField<const T>{out_.data(), 1}, whole.data());
    else
      grid_.gather_vector<T>(inputs_.problem().layout, out_.data(), whole.data());
    return whole;
  }

 private:
  const Inputs<T>& inputs_;
  DistributedGrid grid_;
  std::vector<T> fields_[6], out_;
};

template <class T>
std::vector<T> on_one_process(const Inputs<T>& inputs) {
  std::vector<T> out(static_cast<std::size_t>(inputs.result_words()));
  apply(inputs.problem().operation, inputs.problem().layout, inputs.operands(), out.data(), 1);
  return out;
}

template <class T>
void expect_the_same(const Problem& problem, const std::vector<std::array<int, 3>>& grids, int more_depth = 0) {
  const Inputs<T> inputs(problem);
  const std::vector<T> expected = on_one_process(inputs);
  for (const auto& along : grids) {
    Tiles<T> tiles(inputs, info(problem.operation).reach + more_depth, along);
    SCOPED_TRACE(std::string(info(problem.operation).name) + ", " + std::string(to_string(problem.layout)) + ", " +
                 std::string(to_string(problem.grid.boundary)) + ", " + tiles.grid().division_text());
    for (const HaloUpdate update : {HaloUpdate::overlapped, HaloUpdate::before, HaloUpdate::none}) {
      tiles.apply(update);
      const std::vector<T> got = tiles.gather();
      if (is_root()) {
        EXPECT_TRUE(same_bits(got, expected)) << static_cast<int>(update);
      }
      tiles.out().assign(tiles.out().size(), T(-77));
    }
    EXPECT_GE(tiles.grid().exchange_seconds(), 0);
  }
}

TEST(DistributedOperations, HaveTheBitsOfOneProcess) {
  for (const OperationInfo& of : operations)
    for (const Layout layout : {Layout::aos, Layout::soa})
      for (const Boundary boundary : {Boundary::periodic, Boundary::one_sided}) {
        // 37 points along x are neither divided by the ranks nor by vectors.
        const Problem problem = problem_of(of.operation, layout, boundary, {37, 33, 35});
        expect_the_same<double>(problem, rank_grids());
        expect_the_same<float>(problem, rank_grids());
      }
}

// Beyond the caches, where results are written with non-temporal stores.
TEST(DistributedOperations, HaveTheBitsOfOneProcessWithStreamingStores) {
  for (const Operation operation : {Operation::curl, Operation::axpy, Operation::cross})
    for (const Layout layout : {Layout::aos, Layout::soa})
      expect_the_same<double>(problem_of(operation, layout, Boundary::one_sided, {131, 96, 84}), {{0, 0, 0}});
}

TEST(DistributedOperations, MayHaveADeeperHaloThanTheyNeed) {
  for (const Operation operation : {Operation::axpy, Operation::mul, Operation::curl, Operation::laplacian})
    for (const Boundary boundary : {Boundary::periodic, Boundary::one_sided})
      expect_the_same<double>(problem_of(operation, Layout::aos, boundary, {40, 41, 42}), rank_grids(), 1);
}

TEST(DistributedOperations, TilesMayBeAsThinAsTheirHalo) {
  const std::int64_t n = ranks().size();
  for (const OperationInfo& of : operations) {
    if (of.reach == 0) continue;
    const std::int64_t periodic = std::max<std::int64_t>(3, of.reach * n), one_sided = (of.reach + 2) * n;
    expect_the_same<double>(problem_of(of.operation, Layout::aos, Boundary::periodic, {periodic, periodic, periodic}),
                            rank_grids());
    expect_the_same<double>(
        problem_of(of.operation, Layout::soa, Boundary::one_sided, {one_sided, one_sided, one_sided}), rank_grids());
  }
}

// A face that was not received, an edge that is stale, and a face of the wrong sign change the result.
TEST(DistributedOperations, FaultsOfTheHaloChangeTheResult) {
  const int n = ranks().size();
  if (n == 1) return;
  enum class Fault { none, missing_face, stale_edge, sign };
  const bool two_axes = n % 2 == 0 && n > 2;
  const std::array<int, 3> along = two_axes ? std::array<int, 3>{1, 2, n / 2} : std::array<int, 3>{1, 1, n};
  struct Case {
    Operation operation;
    std::size_t field;  // f, g, a, b, c, d
    int words;
  };
  for (const Case& of : {Case{Operation::grad, 0, 1},
                         {Operation::momentum, 0, 1},
                         {Operation::momentum, 2, 3},
                         {Operation::curl_grad, 0, 1}})
    for (const Fault fault : {Fault::none, Fault::missing_face, Fault::stale_edge, Fault::sign}) {
      // Edges are read by derivatives of derivatives along another axis.
      if (fault == Fault::stale_edge && (of.operation != Operation::curl_grad || !two_axes)) continue;
      const Inputs<double> inputs(problem_of(of.operation, Layout::aos, Boundary::periodic, {24, 24, 24}));
      const int reach = info(of.operation).reach;
      Tiles<double> tiles(inputs, reach, along);
      tiles.apply(HaloUpdate::before);
      const comm::HaloLayout layout(tiles.grid().division(), ranks().rank(), comm::HaloShape::edges);
      if (is_root())
        for (const auto& message : layout.messages()) {
          const auto& d = message.direction;
          const int axes = std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2]);
          if (fault == Fault::none || axes != (fault == Fault::stale_edge ? 2 : 1)) continue;
          const auto& r = message.received.ranges;
          for (std::int64_t k = r[0].begin; k < r[0].end; ++k)
            for (std::int64_t j = r[1].begin; j < r[1].end; ++j)
              for (std::int64_t word = r[2].begin * of.words; word < r[2].end * of.words; ++word) {
                const std::int64_t row = (k * layout.extents()[1] + j) * layout.extents()[2];
                double& value = tiles.field(of.field)[static_cast<std::size_t>(row * of.words + word)];
                value = fault == Fault::sign ? -value : fault == Fault::stale_edge ? 0.5 * value : 0;
              }
          break;
        }
      tiles.apply(HaloUpdate::none);
      const std::vector<double> got = tiles.gather();
      if (is_root()) {
        EXPECT_EQ(same_bits(got, on_one_process(inputs)), fault == Fault::none)
            << info(of.operation).name << ", fault " << static_cast<int>(fault);
      }
    }
}

TEST(DistributedOperations, SendTheFieldsThatAreDifferentiated) {
  for (const auto& [operation, words] : std::vector<std::pair<Operation, int>>{{Operation::axpy, 0},
                                                                               {Operation::cross, 0},
                                                                               {Operation::grad, 1},
                                                                               {Operation::advect, 1},
                                                                               {Operation::curl, 3},
                                                                               {Operation::lorentz, 3},
                                                                               {Operation::helicity, 3},
                                                                               {Operation::flux, 4},
                                                                               {Operation::momentum, 4},
                                                                               {Operation::laplacian, 1}})
    EXPECT_EQ(differentiated_words(operation), words) << info(operation).name;
  if (ranks().size() == 1) return;
  DistributedGrid slabs(ranks(), {.nx = 20, .ny = 10, .nz = 24}, 1, {1, 1, ranks().size()});
  EXPECT_EQ(slabs.sent_bytes(4, 8, 1), 2 * 20 * 10 * 4 * 8);
  EXPECT_EQ(slabs.sent_bytes(3, 8, 0), 0);
}

TEST(DistributedGrid, RefusesWhatCannotBeDivided) {
  const int n = ranks().size();
  const auto cube = [](std::int64_t extent, Boundary boundary) {
    return Grid{.nx = extent, .ny = extent, .nz = extent, .boundary = boundary};
  };
  EXPECT_THROW(DistributedGrid(ranks(), cube(2, Boundary::periodic)), std::invalid_argument);
  EXPECT_THROW(DistributedGrid(ranks(), cube(9, Boundary::periodic), -1), std::invalid_argument);
  if (n > 1) {
    EXPECT_THROW(DistributedGrid(ranks(), cube(3 * n - 1, Boundary::one_sided), 1, {1, 1, n}), std::invalid_argument);
    EXPECT_THROW(DistributedGrid(ranks(), cube(24, Boundary::periodic), 1, {n, n, n}), std::invalid_argument);
  }
  DistributedGrid flat(ranks(), cube(24, Boundary::periodic), 0);
  double f = 0, out[3]{};
  EXPECT_THROW(apply(flat, Operation::grad, Layout::aos, Operands<double>{.f = &f}, out), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::vector_calculus
