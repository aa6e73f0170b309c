// Halos of distributed fields: each point of the halo has the value of the point that it stands for, and nothing else
// is written, on 1 to 8 ranks, for uneven tiles, several depths and shapes, and fields of which some axes are periodic.
#include "speedwell/comm/halo_exchange.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/ranks.hpp"

namespace speedwell::comm {
namespace {

using test::ranks;

constexpr double untouched = -1;

struct Case {
  GlobalBox box;
  std::array<int, 3> grid;
  HaloShape shape;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const HaloShape shape : {HaloShape::faces, HaloShape::edges, HaloShape::corners})
    for (const std::array<bool, 3> periodic :
         {std::array<bool, 3>{false, false, false}, {true, true, true}, {true, false, true}, {false, true, false}})
      for (const std::array<int, 3> halo : {std::array<int, 3>{1, 1, 1}, {2, 1, 3}, {1, 0, 1}, {0, 0, 2}})
        all.push_back({{{17, 19, 26}, periodic, halo}, {0, 0, 0}, shape});
  // All ranks along one axis, in slabs of two and three points.
  const int n = ranks().size();
  all.push_back({{{2 * n + 1, 5, 4}, {true, true, true}, {2, 2, 2}}, {n, 1, 1}, HaloShape::corners});
  all.push_back({{{5, 2 * n + 1, 4}, {true, true, true}, {2, 2, 2}}, {1, n, 1}, HaloShape::corners});
  all.push_back({{{5, 4, 2 * n + 1}, {true, true, true}, {2, 2, 2}}, {1, 1, n}, HaloShape::corners});
  // Two axes; one has extent 1.
  all.push_back({{{1, 23, 29}, {false, true, true}, {0, 1, 1}}, {1, 0, 0}, HaloShape::edges});
  return all;
}

double value_at(int field, std::int64_t i, std::int64_t j, std::int64_t k) {
  return static_cast<double>(field * 1000000 + (i * 100 + j) * 100 + k);
}

/// Calls point(local index, global indices before wrapping, axes along which it lies in the halo) for every point of a
/// tile and its halo.
template <class Point>
void for_points(const Decomposition& decomposition, const HaloLayout& layout, const Point& point) {
  const Tile tile = decomposition.tile(ranks().rank());
  const auto& halo = decomposition.box().halo;
  std::size_t at = 0;
  for (std::int64_t i = 0; i < layout.extents()[0]; ++i)
    for (std::int64_t j = 0; j < layout.extents()[1]; ++j)
      for (std::int64_t k = 0; k < layout.extents()[2]; ++k, ++at) {
        const std::array<std::int64_t, 3> local{i, j, k};
        std::array<std::int64_t, 3> global{};
        int outside = 0;
        for (std::size_t a = 0; a < 3; ++a) {
          global[a] = tile.ranges[a].begin + local[a] - halo[a];
          outside += global[a] < tile.ranges[a].begin || global[a] >= tile.ranges[a].end;
        }
        point(at, global, outside);
      }
}

/// Whether halos go through shared memory, where that can be, or in messages.
class HaloExchangeBy : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Memory, HaloExchangeBy, testing::Bool(),
                         [](const auto& test) { return test.param ? "shared" : "messages"; });

TEST_P(HaloExchangeBy, FillsTheHaloAndNothingElse) {
  for (const auto& [box, grid, shape] : cases()) {
    const Decomposition decomposition(ranks().size(), box, grid);
    SCOPED_TRACE(decomposition.text() + " ranks, shape " + std::to_string(static_cast<int>(shape)) + ", halo " +
                 std::to_string(box.halo[0]) + std::to_string(box.halo[1]) + std::to_string(box.halo[2]));
    constexpr int fields = 2;
    HaloExchange<double> exchange(ranks(), decomposition, shape, fields, {.shared_memory = GetParam()});
    EXPECT_EQ(exchange.in_shared_memory(),
              GetParam() && ranks().size() > 1 && SharedMemory::allocate(ranks(), 1).has_value());
    const HaloLayout& layout = exchange.layout();
    std::vector<std::vector<double>> data(fields, std::vector<double>(static_cast<std::size_t>(layout.size())));
    for_points(decomposition, layout, [&](std::size_t at, const auto& global, int outside) {
      for (int f = 0; f < fields; ++f)
        data[static_cast<std::size_t>(f)][at] = outside ? untouched : value_at(f, global[0], global[1], global[2]);
    });
    std::vector<double*> pointers{data[0].data(), data[1].data()};
    for (int round = 0; round < 4; ++round) {  // the buffers are used again
      exchange.start(pointers);
      exchange.progress();
      exchange.finish(pointers);
    }
    const int axes = shape == HaloShape::faces ? 1 : shape == HaloShape::edges ? 2 : 3;
    std::int64_t wrong = 0;
    for_points(decomposition, layout, [&](std::size_t at, auto global, int outside) {
      bool filled = outside <= axes;
      for (std::size_t a = 0; a < 3; ++a) {
        if (global[a] >= 0 && global[a] < box.extents[a]) continue;
        filled = filled && box.periodic[a];
        global[a] = (global[a] + box.extents[a]) % box.extents[a];
      }
      for (int f = 0; f < fields; ++f)
        wrong += data[static_cast<std::size_t>(f)][at] !=
                 (filled ? value_at(f, global[0], global[1], global[2]) : untouched);
    });
    EXPECT_EQ(wrong, 0);
  }
}

// Fields of one and of three adjacent elements per point in one message.
TEST_P(HaloExchangeBy, MovesAllElementsOfAPoint) {
  for (const auto& [box, grid, shape] : cases()) {
    const Decomposition decomposition(ranks().size(), box, grid);
    SCOPED_TRACE(decomposition.text() + " ranks");
    const std::vector<int> elements{3, 1};
    const HaloOptions options{.shared_memory = GetParam()};
    HaloExchange<double> exchange(ranks(), decomposition, shape, elements, options),
        single(ranks(), decomposition, shape, 1, options);
    const auto points = static_cast<std::size_t>(exchange.layout().size());
    std::vector<std::vector<double>> data;
    for (const int count : elements) data.emplace_back(points * static_cast<std::size_t>(count), untouched);
    // Element c of field f, as a field of its own.
    std::vector<std::vector<double>> apart(4, std::vector<double>(points, untouched));
    for_points(decomposition, exchange.layout(), [&](std::size_t at, const auto& global, int outside) {
      if (outside > 0) return;
      for (int c = 0; c < 4; ++c) apart[static_cast<std::size_t>(c)][at] = value_at(c, global[0], global[1], global[2]);
      for (std::size_t c = 0; c < 3; ++c) data[0][3 * at + c] = apart[c][at];
      data[1][at] = apart[3][at];
    });
    exchange.exchange(std::vector<double*>{data[0].data(), data[1].data()});
    for (std::vector<double>& field : apart) single.exchange(std::vector<double*>{field.data()});
    std::int64_t wrong = 0;
    for (std::size_t at = 0; at < points; ++at) {
      for (std::size_t c = 0; c < 3; ++c) wrong += data[0][3 * at + c] != apart[c][at];
      wrong += data[1][at] != apart[3][at];
    }
    EXPECT_EQ(wrong, 0);
  }
}

TEST(HaloExchange, InteriorAndRimAreTheTileAndTheInteriorReadsNoHalo) {
  for (const auto& [box, grid, shape] : cases()) {
    const Decomposition decomposition(ranks().size(), box, grid);
    const HaloLayout layout(decomposition, ranks().rank(), shape);
    const auto& n = layout.extents();
    std::vector<int> covered(static_cast<std::size_t>(layout.size()));
    const auto cover = [&](const HaloLayout::Region& region, int by) {
      for (std::int64_t i = region.ranges[0].begin; i < region.ranges[0].end; ++i)
        for (std::int64_t j = region.ranges[1].begin; j < region.ranges[1].end; ++j)
          for (std::int64_t k = region.ranges[2].begin; k < region.ranges[2].end; ++k)
            covered[static_cast<std::size_t>((i * n[1] + j) * n[2] + k)] += by;
    };
    cover(layout.interior(), 1);
    for (const HaloLayout::Region& region : layout.rim()) cover(region, 1);
    EXPECT_LE(layout.rim().size(), 6U);
    cover(layout.own(), -1);
    for (const int c : covered) ASSERT_EQ(c, 0);
    for (std::size_t a = 0; a < 3; ++a)
      for (const int side : {-1, 1}) {
        std::array<int, 3> direction{};
        direction[a] = side;
        if (layout.interior().size() == 0 || !decomposition.neighbor(ranks().rank(), direction)) continue;
        const Range inner = layout.interior().ranges[a], own = layout.own().ranges[a];
        EXPECT_GE(side < 0 ? inner.begin - own.begin : own.end - inner.end, box.halo[a]);
      }
  }
}

TEST(HaloExchange, RefusesOtherNumbersOfRanksAndFields) {
  const GlobalBox box{{16, 16, 16}, {}, {1, 1, 1}};
  const Decomposition other(ranks().size() + 1, box, {});
  EXPECT_THROW(HaloExchange<float>(ranks(), other, HaloShape::faces, 1), std::invalid_argument);
  HaloExchange<float> exchange(ranks(), Decomposition(ranks().size(), box), HaloShape::faces, 2);
  std::vector<float*> one{nullptr};
  EXPECT_THROW(exchange.start(one), std::invalid_argument);
  const Decomposition fitting(ranks().size(), box);
  EXPECT_THROW(HaloExchange<float>(ranks(), fitting, HaloShape::faces, {3, 0}), std::invalid_argument);
}

TEST(HaloLayout, CountsWhatTravels) {
  const GlobalBox box{{16, 16, 16}, {true, true, true}, {1, 1, 1}};
  const Decomposition slabs(4, box, {4, 1, 1});
  const HaloLayout faces(slabs, 1, HaloShape::faces);
  EXPECT_EQ(faces.sent_to_others(), 2 * 16 * 16);
  EXPECT_EQ(faces.buffer_size(), 2 * 16 * 16 + 4 * 16 * 4);
  EXPECT_EQ(faces.messages().size(), 6U);
  EXPECT_EQ(HaloLayout(slabs, 1, HaloShape::corners).messages().size(), 26U);
}

}  // namespace
}  // namespace speedwell::comm
