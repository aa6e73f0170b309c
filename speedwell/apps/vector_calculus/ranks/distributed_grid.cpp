#include "speedwell/apps/vector_calculus/distributed_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "speedwell/apps/vector_calculus/cpu/cores.hpp"
#include "speedwell/comm/halo_exchange.hpp"
#include "speedwell/comm/redistribution.hpp"
#include "speedwell/comm/sums.hpp"
#include "speedwell/comm/timer.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/trace.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/numerics/streaming.hpp"

namespace speedwell::vector_calculus {
namespace {

using Region = comm::HaloLayout::Region;

// Axis d of the grid (x, y, z) is axis 2 - d of the decomposition, whose last axis is the contiguous one.
constexpr std::size_t axis_of(int d) { return static_cast<std::size_t>(2 - d); }

comm::GlobalBox box_of(const Grid& grid, const std::array<int, 3>& halo) {
  const bool periodic = grid.boundary == Boundary::periodic;
  return {.extents = {grid.nz, grid.ny, grid.nx}, .periodic = {periodic, periodic, periodic}, .halo = halo};
}

// Nested derivatives along different axes read edges of the halo, then its corners.
comm::HaloShape shape_of(int reach) {
  return reach <= 1 ? comm::HaloShape::faces : reach == 2 ? comm::HaloShape::edges : comm::HaloShape::corners;
}

int require_depth(const Grid& grid, int depth) {
  if (depth < 0) throw std::invalid_argument("vector_calculus: a halo of " + std::to_string(depth) + " layers");
  require_grid(grid, depth);
  return depth;
}

}  // namespace

comm::Decomposition division_of(const Grid& grid, int ranks, int depth, const std::array<int, 3>& ranks_along) {
  // At an end of a one-sided grid the outermost of `depth` derivatives reads two points inside it, the others one more
  // each. In a tile with two points more than its halo these are its own or the halo's, and the points beside the end
  // are in the interior only if they read nothing of the halo.
  const int least = depth > 0 && grid.boundary == Boundary::one_sided ? depth + 2 : depth;
  const std::array<int, 3> along{ranks_along[2], ranks_along[1], ranks_along[0]};
  const comm::Decomposition chosen(ranks, box_of(grid, {least, least, least}), along);
  std::array<int, 3> halo{};
  for (int a = 0; a < 3; ++a) halo[static_cast<std::size_t>(a)] = chosen.divides(a) ? depth : 0;
  return {ranks, box_of(grid, halo), chosen.grid()};
}

DistributedGrid::DistributedGrid(const comm::Communicator& ranks, const Grid& grid, int depth,
                                 const std::array<int, 3>& ranks_along)
    : ranks_(ranks),
      whole_(grid),
      depth_(require_depth(grid, depth)),
      division_(division_of(grid, ranks.size(), depth, ranks_along)),
      layout_(division_, ranks.rank(), shape_of(depth)),
      local_(grid) {
  const auto& extents = layout_.extents();
  local_.nx = extents[2];
  local_.ny = extents[1];
  local_.nz = extents[0];
  for (int d = 0; d < 3; ++d) origin_[d] = points_along(d).begin - division_.box().halo[axis_of(d)];
}

std::string DistributedGrid::division_text() const {
  const auto& grid = division_.grid();
  return std::to_string(grid[2]) + " x " + std::to_string(grid[1]) + " x " + std::to_string(grid[0]);
}

comm::Range DistributedGrid::points_along(int axis) const {
  return division_.tile(ranks_.rank()).ranges[axis_of(axis)];
}

std::int64_t DistributedGrid::sent_bytes(int words, int word_bytes, int reach) const {
  return reach == 0 ? 0
                    : comm::HaloLayout(division_, ranks_.rank(), shape_of(reach)).sent_to_others() * words * word_bytes;
}

// Elements of a point are adjacent: a tile of elements is `words` times as long along x.
std::vector<comm::Tile> DistributedGrid::tiles(int words) const {
  std::vector<comm::Tile> all;
  for (int r = 0; r < division_.ranks(); ++r) {
    all.push_back(division_.tile(r));
    comm::Range& x = all.back().ranges[2];
    x = {x.begin * words, x.end * words};
  }
  return all;
}
std::vector<comm::Tile> DistributedGrid::on_first_rank(int words) const {
  std::vector<comm::Tile> all(static_cast<std::size_t>(division_.ranks()));
  all[0] = {{comm::Range{0, whole_.nz}, {0, whole_.ny}, {0, whole_.nx * words}}};
  return all;
}

template <class T>
void DistributedGrid::scatter(const T* whole, TileField<T> field) const {
  const auto own = static_cast<std::size_t>(division_.tile(ranks_.rank()).size() * field.words);
  const std::size_t given = ranks_.rank() == 0 ? static_cast<std::size_t>(whole_.size() * field.words) : 0;
  core::HostBuffer<T> tile(own);
  comm::Redistribution<T>(ranks_, on_first_rank(field.words), tiles(field.words))
      .move(std::span<const T>(whole, given), tile.span());
  const T* next = tile.data();
  for_runs([&](std::int64_t begin, std::int64_t end) {
    std::copy_n(next, (end - begin) * field.words, field.data + begin * field.words);
    next += (end - begin) * field.words;
  });
}

template <class T>
void DistributedGrid::gather(TileField<const T> field, T* whole) const {
  core::HostBuffer<T> tile(static_cast<std::size_t>(division_.tile(ranks_.rank()).size() * field.words));
  T* next = tile.data();
  for_runs([&](std::int64_t begin, std::int64_t end) {
    next = std::copy_n(field.data + begin * field.words, (end - begin) * field.words, next);
  });
  const std::size_t wanted = ranks_.rank() == 0 ? static_cast<std::size_t>(whole_.size() * field.words) : 0;
  comm::Redistribution<T>(ranks_, tiles(field.words), on_first_rank(field.words))
      .move(std::span<const T>(tile.span()), std::span<T>(whole, wanted));
}

template <class T>
void DistributedGrid::scatter_vector(Layout layout, const T* whole, T* field) const {
  if (layout == Layout::aos) return scatter(whole, TileField<T>{field, 3});
  for (std::int64_t component = 0; component < 3; ++component)
    scatter(whole ? whole + component * whole_.size() : nullptr, TileField<T>{field + component * local_.size(), 1});
}

template <class T>
void DistributedGrid::gather_vector(Layout layout, const T* field, T* whole) const {
  if (layout == Layout::aos) return gather(TileField<const T>{field, 3}, whole);
  for (std::int64_t component = 0; component < 3; ++component)
    gather(TileField<const T>{field + component * local_.size(), 1},
           whole ? whole + component * whole_.size() : nullptr);
}

template <>
DistributedGrid::Exchanges<float>& DistributedGrid::exchanges() {
  return exchanges_f32_;
}
template <>
DistributedGrid::Exchanges<double>& DistributedGrid::exchanges() {
  return exchanges_f64_;
}

template <class T>
comm::HaloExchange<T>& DistributedGrid::exchange_of(std::span<const TileField<T>> fields, int reach) {
  std::vector<int> words;
  for (const TileField<T>& field : fields) words.push_back(field.words);
  const auto key = std::pair(shape_of(reach), words);
  auto found = exchanges<T>().find(key);
  if (found == exchanges<T>().end())
    found =
        exchanges<T>().emplace(key, std::make_unique<comm::HaloExchange<T>>(ranks_, division_, key.first, words)).first;
  return *found->second;
}

template <class T>
void DistributedGrid::for_rows(std::span<const TileField<T>> fields, int reach, std::int64_t point_bytes,
                               HaloUpdate update, const RowAct& row) {
  if (reach > depth_)
    throw std::invalid_argument("vector_calculus: " + core::counted(reach, "nested derivative") +
                                " on a grid with a halo of " + core::counted(depth_, "layer"));
  comm::HaloExchange<T>* const exchange =
      update == HaloUpdate::none || fields.empty() ? nullptr : &exchange_of(fields, reach);
  std::vector<T*> data;
  for (const TileField<T>& field : fields) data.push_back(field.data);
  if (exchange) exchange->start(data);
  if (exchange && update == HaloUpdate::before) exchange->finish(data);
  const bool overlapped = exchange && update == HaloUpdate::overlapped;
  const std::int64_t strip = host::strip_rows(local_, point_bytes, reach);
  const auto rows_of = [&](const Region& region, const auto& after_plane) {
    const auto& [planes, rows, x] = region.ranges;
    for (std::int64_t j0 = rows.begin; j0 < rows.end && x.size() > 0; j0 += strip)
      for (std::int64_t k = planes.begin; k < planes.end; ++k) {
        for (std::int64_t j = j0; j < std::min(rows.end, j0 + strip); ++j) row(j, k, x);
        after_plane();
      }
  };
  // Messages move on only in calls of MPI: after the rows of a strip in each plane.
  {
    const core::TraceSpan span("interior", core::TraceCategory::compute);
    rows_of(layout_.interior(), [&] {
      if (overlapped) exchange->progress();
    });
  }
  if (overlapped) exchange->finish(data);
  const core::TraceSpan span("rim", core::TraceCategory::compute);
  for (const Region& region : layout_.rim()) rows_of(region, [] {});
  numerics::streaming::fence();
}

void DistributedGrid::for_runs(const std::function<void(std::int64_t begin, std::int64_t end)>& run) const {
  const auto& [planes, rows, x] = layout_.own().ranges;
  const bool whole_rows = x.size() == local_.nx, whole_planes = whole_rows && rows.size() == local_.ny;
  const auto at = [&](std::int64_t j, std::int64_t k) { return (k * local_.ny + j) * local_.nx + x.begin; };
  if (whole_planes) return run(at(0, planes.begin), at(0, planes.end));
  for (std::int64_t k = planes.begin; k < planes.end; ++k) {
    if (whole_rows)
      run(at(rows.begin, k), at(rows.end, k));
    else
      for (std::int64_t j = rows.begin; j < rows.end; ++j) run(at(j, k), at(j, k) + x.size());
  }
}

Totals DistributedGrid::combine(const Totals& own) {
  const comm::Timer timer(sum_seconds_);
  const core::TraceSpan span("sum over ranks", core::TraceCategory::communication);
  // A comparison does not find a NaN, and MPI does not say what the largest of numbers with a NaN is.
  double values[] = {own.sum, std::isnan(own.largest) ? 1.0 : 0.0};
  comm::sum_in_order(ranks_, std::span<double>(values));
  const double largest = ranks_.reduce(std::isnan(own.largest) ? 0 : own.largest, comm::Reduction::maximum);
  return {values[0], values[1] > 0 ? std::numeric_limits<double>::quiet_NaN() : largest};
}

template <class T>
HostFrame<T> DistributedGrid::frame() const {
  HostFrame<T> frame = host_frame_of<T>(local_);
  for (int d = 0; d < 3; ++d) {
    const std::size_t axis = axis_of(d);
    if (!division_.divides(static_cast<int>(axis)) || whole_.boundary == Boundary::periodic) continue;
    const comm::Range global = points_along(d), own = layout_.own().ranges[axis];
    if (global.begin == 0) frame.first[d] = own.begin;
    if (global.end == whole_.extent(d)) frame.last[d] = own.end - 1;
  }
  return frame;
}

DistributedGrid::~DistributedGrid() = default;

double DistributedGrid::exchange_seconds() const {
  double seconds = sum_seconds_;
  for (const auto& [key, exchange] : exchanges_f32_) seconds += exchange->seconds();
  for (const auto& [key, exchange] : exchanges_f64_) seconds += exchange->seconds();
  return seconds;
}

#define SPEEDWELL_INSTANTIATE(T)                                                                        \
  template void DistributedGrid::scatter(const T*, TileField<T>) const;                                 \
  template void DistributedGrid::gather(TileField<const T>, T*) const;                                  \
  template void DistributedGrid::scatter_vector(Layout, const T*, T*) const;                            \
  template void DistributedGrid::gather_vector(Layout, const T*, T*) const;                             \
  template void DistributedGrid::for_rows(std::span<const TileField<T>>, int, std::int64_t, HaloUpdate, \
                                          const RowAct&);                                               \
  template HostFrame<T> DistributedGrid::frame() const;
SPEEDWELL_INSTANTIATE(float)
SPEEDWELL_INSTANTIATE(double)
#undef SPEEDWELL_INSTANTIATE

}  // namespace speedwell::vector_calculus
