#include "speedwell/apps/stencil/distributed.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "speedwell/apps/stencil/contract.hpp"
#include "speedwell/apps/stencil/cpu/cpu_strips.hpp"
#include "speedwell/apps/stencil/cpu/rows.hpp"
#include "speedwell/apps/stencil/point.hpp"
#include "speedwell/apps/stencil/stencil.hpp"
#include "speedwell/comm/halo_exchange.hpp"
#include "speedwell/comm/redistribution.hpp"
#include "speedwell/comm/sums.hpp"
#include "speedwell/comm/timer.hpp"
#include "speedwell/core/trace.hpp"

namespace speedwell::stencil {
namespace {

// Cells that are prefetched ahead: all rows of a rank's fields are its own.
template <class T>
constexpr std::int64_t ahead = prefetch_bytes / static_cast<std::int64_t>(sizeof(T));

// Axis d of the grid (x, y, z) is axis 2 - d of the decomposition, whose last axis is the contiguous one.
constexpr std::size_t axis_of(int d) { return static_cast<std::size_t>(2 - d); }

core::TraceSpan computing(const char* name) { return {name, core::TraceCategory::compute}; }

comm::GlobalBox box_of(const Grid& grid, Boundary boundary, const std::array<int, 3>& halo) {
  const bool periodic = boundary == Boundary::periodic;
  return {.extents = {grid.nz, grid.ny, grid.nx}, .periodic = {periodic, periodic, periodic}, .halo = halo};
}

}  // namespace

comm::Decomposition division_of(const Grid& grid, Boundary boundary, int ranks, int depth,
                                const std::array<int, 3>& ranks_along) {
  const std::array<int, 3> along{ranks_along[2], ranks_along[1], ranks_along[0]};
  const comm::Decomposition chosen(ranks, box_of(grid, boundary, {depth, depth, depth}), along);
  std::array<int, 3> halo{};
  for (int a = 0; a < 3; ++a) halo[static_cast<std::size_t>(a)] = chosen.divides(a) ? depth : 0;
  return {ranks, box_of(grid, boundary, halo), chosen.grid()};
}

int largest_depth(const Grid& grid, Boundary boundary, int ranks, int wanted) {
  for (int depth = wanted; depth > 1; --depth) {
    try {
      (void)division_of(grid, boundary, ranks, depth);
      return depth;
    } catch (const std::invalid_argument&) {
      continue;  // tiles are thinner than so many layers
    }
  }
  return 1;
}

template <class T>
DistributedOperator<T>::DistributedOperator(const comm::Communicator& ranks, const DistributedShape& shape, int depth,
                                            const std::array<int, 3>& ranks_along)
    : ranks_(ranks),
      shape_(shape),
      division_((require_grid(shape.grid, shape.form, shape.boundary),
                 division_of(shape.grid, shape.boundary, ranks.size(), depth, ranks_along))),
      exchange_(std::make_unique<comm::HaloExchange<T>>(
          ranks, division_, depth > 1 ? comm::HaloShape::corners : comm::HaloShape::faces, 1)),
      depth_(depth),
      kernels_(row_kernels<T>(core::best_isa(), shape.form)) {
  const auto& extents = exchange_->layout().extents();
  grid_ = {extents[2], extents[1], extents[0]};
  operator_ = {.form = shape.form, .boundary = shape.boundary, .grid = grid_};
  for (int f = 0; f < cell_fields(shape.form); ++f) {
    cell_[f] = make_field();
    operator_.cell[f] = cell_[f].data();
  }
  if (shape.boundary == Boundary::zero) zeros_.assign(static_cast<std::size_t>(grid_.nx), T(0));
  // As in multiply(): the fields of all ranks share the caches of the host.
  streaming_ = exceeds_caches(static_cast<double>(shape.grid.size()) * sizeof(T) * (2 + cell_fields(shape.form)));
}

template <class T>
DistributedOperator<T>::~DistributedOperator() = default;

template <class T>
const comm::HaloLayout& DistributedOperator<T>::layout() const {
  return exchange_->layout();
}
template <class T>
double DistributedOperator<T>::exchange_seconds() const {
  return exchange_->seconds() + sum_seconds_;
}

template <class T>
std::string DistributedOperator<T>::division_text() const {
  const auto& grid = division_.grid();
  return std::to_string(grid[2]) + " x " + std::to_string(grid[1]) + " x " + std::to_string(grid[0]);
}

template <class T>
core::HostBuffer<T> DistributedOperator<T>::make_field() const {
  core::HostBuffer<T> field(static_cast<std::size_t>(size()), core::Pages::large);
  std::fill(field.data(), field.data() + field.size(), T(0));
  return field;
}

template <class T>
void DistributedOperator<T>::scatter(const T* whole, std::span<T> field) const {
  require_field<T>(grid_, field, "a field");
  const auto cells = static_cast<std::size_t>(division_.tile(ranks_.rank()).size());
  const std::size_t given = ranks_.rank() == 0 ? static_cast<std::size_t>(shape_.grid.size()) : 0;
  core::HostBuffer<T> tile(cells);
  comm::Redistribution<T>(ranks_, comm::whole_on_first_rank(division_), comm::tiles_of(division_))
      .move(std::span<const T>(whole, given), tile.span());
  const T* next = tile.data();
  for_own_rows([&](std::int64_t at, std::int64_t count) {
    std::copy_n(next, count, field.data() + at);
    next += count;
  });
}

template <class T>
void DistributedOperator<T>::gather(std::span<const T> field, T* whole) const {
  require_field<T>(grid_, field, "a field");
  core::HostBuffer<T> tile(static_cast<std::size_t>(division_.tile(ranks_.rank()).size()));
  T* next = tile.data();
  for_own_rows([&](std::int64_t at, std::int64_t count) { next = std::copy_n(field.data() + at, count, next); });
  const std::size_t wanted = ranks_.rank() == 0 ? static_cast<std::size_t>(shape_.grid.size()) : 0;
  comm::Redistribution<T>(ranks_, comm::tiles_of(division_), comm::whole_on_first_rank(division_))
      .move(std::span<const T>(tile.span()), std::span<T>(whole, wanted));
}

template <class T>
void DistributedOperator<T>::set(const Operator<T>* whole) {
  if (ranks_.rank() == 0) {
    require_operator(*whole);
    if (whole->form != shape_.form || whole->boundary != shape_.boundary || whole->grid != shape_.grid)
      throw std::invalid_argument("stencil: an operator of another form, boundary or grid than the distributed one");
  }
  std::array<T, 5> constants{};
  if (ranks_.rank() == 0) {
    std::copy_n(whole->weight, 4, constants.begin());
    constants[4] = whole->sigma;
  }
  ranks_.broadcast(std::span<T>(constants));
  std::copy_n(constants.begin(), 4, operator_.weight);
  operator_.sigma = constants[4];
  set_metrics(whole);
  set_cells(whole);
  if (shape_.boundary != Boundary::periodic) set_outer_faces();
}

// The metrics of all cells of an axis on every rank, and of these the tile's.
template <class T>
void DistributedOperator<T>::set_metrics(const Operator<T>* whole) {
  const bool has_widths = shape_.form == Form::cell_metric || shape_.form == Form::face_metric;
  for (int d = 0; d < 3 && has_widths; ++d) {
    const std::int64_t n = shape_.grid.extent(d), local = grid_.extent(d);
    const std::int64_t first =
        division_.tile(ranks_.rank()).ranges[axis_of(d)].begin - division_.box().halo[axis_of(d)];
    const bool periodic = shape_.boundary == Boundary::periodic;
    const auto distribute = [&](const T* values, std::int64_t count, std::vector<T>& part, std::int64_t part_count) {
      std::vector<T> all(static_cast<std::size_t>(count));
      if (ranks_.rank() == 0) std::copy_n(values, count, all.begin());
      ranks_.broadcast(std::span<T>(all));
      part.resize(static_cast<std::size_t>(part_count));
      for (std::int64_t i = 0; i < part_count; ++i) {
        const std::int64_t at = first + i;
        const std::int64_t there = periodic ? (at % n + n) % n : std::clamp<std::int64_t>(at, 0, count - 1);
        part[static_cast<std::size_t>(i)] = all[static_cast<std::size_t>(there)];
      }
    };
    distribute(whole ? whole->metric[d] : nullptr, n, metric_[d], local);
    operator_.metric[d] = metric_[d].data();
    if (shape_.form != Form::face_metric) continue;
    distribute(whole ? whole->inverse[d] : nullptr, n + 1, inverse_[d], local + 1);
    operator_.inverse[d] = inverse_[d].data();
  }
}

template <class T>
void DistributedOperator<T>::set_cells(const Operator<T>* whole) {
  for (int f = 0; f < cell_fields(shape_.form); ++f) {
    scatter(whole ? whole->cell[f] : nullptr, cell_[f].span());
    T* const field = cell_[f].data();
    exchange_->exchange(std::span<T* const>(&field, 1));
  }
}

// The ends of the box along a divided axis lie inside the tile with its halo, where the row kernels find no boundary.
// The halo beyond an end is 0 in every field of x, which is Boundary::zero, and with a coefficient of 0 at the face,
// where nothing flows, Boundary::none.
template <class T>
void DistributedOperator<T>::set_outer_faces() {
  const comm::HaloLayout& layout = exchange_->layout();
  const T* const faces[3] = {cell_[0].data(), cell_[1].data(), cell_[2].data()};
  for (int d = 0; d < 3; ++d)
    for (const int side : {-1, 1}) {
      std::array<int, 3> direction{};
      direction[axis_of(d)] = side;
      if (layout.extents()[axis_of(d)] == layout.own().ranges[axis_of(d)].size() ||  // the axis is not divided
          division_.neighbor(ranks_.rank(), direction))
        continue;
      const comm::Range own = layout.own().ranges[axis_of(d)];
      const bool omitted = shape_.boundary == Boundary::none;
      if (shape_.form == Form::face_metric && omitted)
        inverse_[d][static_cast<std::size_t>(side < 0 ? own.begin : own.end)] = T(0);
      if (shape_.form != Form::face_coefficient) continue;
      // The lower face of the first cells is the upper face of those before them, in the halo: as that of the cells
      // themselves. The upper face of the last ones is their own.
      if (side > 0 && !omitted) continue;
      Region plane = layout.own();
      const std::int64_t at = side < 0 ? own.begin - 1 : own.end - 1;
      plane.ranges[axis_of(d)] = {at, at + 1};
      const std::int64_t stride = d == 0 ? 1 : d == 1 ? grid_.nx : grid_.nx * grid_.ny;
      for (std::int64_t k = plane.ranges[0].begin; k < plane.ranges[0].end; ++k)
        for (std::int64_t j = plane.ranges[1].begin; j < plane.ranges[1].end; ++j)
          for (std::int64_t i = plane.ranges[2].begin; i < plane.ranges[2].end; ++i) {
            const std::int64_t cell = grid_.cell(i, j, k);
            cell_[d].data()[cell] = omitted ? T(0) : faces[d][cell + stride];
          }
    }
}

/// Calls kernel(row) for the rows of a region, in strips of which three planes stay in a core's cache.
template <class T>
template <class Kernel>
void DistributedOperator<T>::rows_of(const Region& region, std::span<const T> x, std::span<T> y,
                                     const Kernel& kernel) const {
  const auto& [planes, rows, cells] = region.ranges;
  const std::int64_t strip = strip_rows<T>(grid_);
  for (std::int64_t j0 = rows.begin; j0 < rows.end && cells.size() > 0; j0 += strip)
    for (std::int64_t k = planes.begin; k < planes.end; ++k)
      for (std::int64_t j = j0; j < std::min(rows.end, j0 + strip); ++j) {
        Row<T> row = row_of(operator_, cells.begin, cells.size(), j, k);
        point_at(row, operator_, x.data(), zeros_.data(), cells.begin, j, k);
        row.out = y.data() + grid_.cell(cells.begin, j, k);
        kernel(row);
      }
}

template <class T>
template <class Kernel>
void DistributedOperator<T>::multiply_with(std::span<T> x, std::span<T> y, const Kernel& kernel) {
  require_field<T>(grid_, x, "x");
  require_field<T>(grid_, y, "y");
  require_apart<T>(x, y);
  T* const field = x.data();
  exchange_->start(std::span<T* const>(&field, 1));
  // Messages move on only in calls of MPI: once for every plane or so.
  const std::int64_t between = std::max<std::int64_t>(grid_.ny, 64);
  std::int64_t count = 0;
  {
    const auto span = computing("interior");
    rows_of(exchange_->layout().interior(), x, y, [&](const Row<T>& row) {
      kernel(row);
      if (++count % between == 0) exchange_->progress();
    });
  }
  exchange_->finish(std::span<T* const>(&field, 1));
  const auto span = computing("rim");
  for (const Region& region : exchange_->layout().rim()) rows_of(region, x, y, kernel);
}

template <class T>
void DistributedOperator<T>::multiply(std::span<T> x, std::span<T> y) {
  multiply_with(x, y, [&](const Row<T>& row) { kernels_.product(row, streaming_); });
  if (streaming_) streaming_fence();
}

template <class T>
void DistributedOperator<T>::exchange_and_multiply(std::span<T> x, std::span<T> y) {
  require_field<T>(grid_, x, "x");
  require_field<T>(grid_, y, "y");
  require_apart<T>(x, y);
  T* const field = x.data();
  exchange_->exchange(std::span<T* const>(&field, 1));
  const auto span = computing("product");
  rows_of(exchange_->layout().own(), x, y, [&](const Row<T>& row) { kernels_.product(row, streaming_); });
  if (streaming_) streaming_fence();
}

template <class T>
double DistributedOperator<T>::multiply_and_dot(std::span<T> x, std::span<T> y) {
  std::vector<double> sums;
  multiply_with(x, y, [&](const Row<T>& row) { sums.push_back(kernels_.product_and_dot(row)); });
  return sum_over_ranks(sums);
}

template <class T>
double DistributedOperator<T>::sum_over_ranks(std::span<const double> values) {
  double sum = staged_sum(values);
  const comm::Timer timer(sum_seconds_);
  const core::TraceSpan span("sum over ranks", core::TraceCategory::communication);
  comm::sum_in_order(ranks_, std::span<double>(&sum, 1));
  return sum;
}

template <class T>
double DistributedOperator<T>::advance_direction(std::span<const T> z, T beta, bool first, std::span<T> p) {
  const auto advance = [&](const Region& region) {
    const auto& [planes, rows, cells] = region.ranges;
    for (std::int64_t k = planes.begin; k < planes.end; ++k)
      for (std::int64_t j = rows.begin; j < rows.end; ++j) {
        const std::int64_t at = grid_.cell(cells.begin, j, k);
        if (first)
          std::copy_n(z.data() + at, cells.size(), p.data() + at);
        else
          kernels_.direction(z.data() + at, p.data() + at, beta, cells.size(), p.data() + at, nullptr, false, ahead<T>);
      }
  };
  const comm::HaloLayout& layout = exchange_->layout();
  std::vector<double> sums;
  // The kernel of scalar products writes nothing: y is not used.
  const auto dot = [&](const Region& region) {
    rows_of(region, p, p, [&](const Row<T>& row) { sums.push_back(kernels_.dot(row)); });
  };
  {
    const auto span = computing("direction on the rim");
    for (const Region& region : layout.rim()) advance(region);
  }
  T* const field = p.data();
  exchange_->start(std::span<T* const>(&field, 1));
  // The scalar product of a plane follows when the plane above it has been advanced. Along an axis that is not divided
  // and periodic the first plane reads the last one: it comes at the end.
  const Region& interior = layout.interior();
  const comm::Range planes = interior.ranges[0];
  const bool wraps = shape_.boundary == Boundary::periodic && !division_.divides(0);
  Region plane = interior;
  const auto at = [&](std::int64_t k) -> const Region& {
    plane.ranges[0] = {k, k + 1};
    return plane;
  };
  {
    const auto span = computing("direction and product, interior");
    for (std::int64_t k = planes.begin; k < planes.end; ++k) {
      advance(at(k));
      exchange_->progress();
      if (k > planes.begin + (wraps ? 1 : 0)) dot(at(k - 1));
    }
    if (planes.size() > 0) {
      if (wraps && planes.size() > 1) dot(at(planes.begin));
      dot(at(planes.end - 1));
    }
  }
  exchange_->finish(std::span<T* const>(&field, 1));
  {
    const auto span = computing("product on the rim");
    for (const Region& region : layout.rim()) dot(region);
  }
  return sum_over_ranks(sums);
}

template <class T>
double DistributedOperator<T>::descend(T alpha, std::span<const T> p, std::span<T> x, std::span<T> r) {
  std::vector<double> sums;
  {
    const auto span = computing("solution and residual");
    rows_of(exchange_->layout().own(), p, r, [&](const Row<T>& row) {
      const std::int64_t at = row.out - r.data();
      sums.push_back(kernels_.update(row, alpha, x.data() + at, r.data() + at, ahead<T>));
    });
  }
  return sum_over_ranks(sums);
}

template <class T>
void DistributedOperator<T>::diagonal(std::span<T> field) const {
  const auto& ranges = exchange_->layout().own().ranges;
  with_form(shape_.form, [&]<Form form>() {
    for (std::int64_t k = ranges[0].begin; k < ranges[0].end; ++k)
      for (std::int64_t j = ranges[1].begin; j < ranges[1].end; ++j)
        for (std::int64_t i = ranges[2].begin; i < ranges[2].end; ++i) {
          const std::int64_t cell = grid_.cell(i, j, k);
          field[static_cast<std::size_t>(cell)] = stencil::diagonal<form>(operator_, {i, j, k, cell, cell, cell, cell});
        }
  });
}

template <class T>
void DistributedOperator<T>::sweep(std::span<T> x, std::span<T> y, std::span<T> scratch, int sweeps) {
  if (shape_.form != Form::constant || shape_.boundary != Boundary::periodic)
    throw std::invalid_argument("stencil: sweeps of another operator than e0 on a periodic box");
  if (sweeps < 1) throw std::invalid_argument("stencil: " + std::to_string(sweeps) + " sweeps; at least one");
  T* from = x.data();
  T* to = y.data();
  for (int done = 0; done < sweeps;) {
    const int now = std::min(depth_, sweeps - done);
    exchange_->exchange(std::span<T* const>(&from, 1));
    // What lies beyond the halo is not known, and each sweep carries that one layer further in: not to the tile.
    stencil::sweep(operator_, std::span<const T>(from, x.size()), std::span<T>(to, y.size()), scratch, now, 0,
                   {.threads = 1});
    std::swap(from, to);
    done += now;
  }
  if (from != y.data()) std::copy_n(from, y.size(), y.data());
}

template class DistributedOperator<float>;
template class DistributedOperator<double>;

}  // namespace speedwell::stencil
