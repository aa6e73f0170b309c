// The division of a box among ranks, and the distribution of fields and of an operator's coefficients.
#include "speedwell/apps/stencil/distributed.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "speedwell/apps/stencil/contract.hpp"
#include "speedwell/apps/stencil/cpu/cpu_strips.hpp"
#include "speedwell/apps/stencil/cpu/rows.hpp"
#include "speedwell/apps/stencil/stencil.hpp"
#include "speedwell/comm/halo_exchange.hpp"
#include "speedwell/comm/redistribution.hpp"

namespace speedwell::stencil {
namespace {

// Axis d of the grid (x, y, z) is axis 2 - d of the decomposition, whose last axis is the contiguous one.
constexpr std::size_t axis_of(int d) { return static_cast<std::size_t>(2 - d); }

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

template class DistributedOperator<float>;
template class DistributedOperator<double>;

}  // namespace speedwell::stencil
