// What ranks compute with a distributed operator: products, the passes of conjugate gradients, and sweeps.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "speedwell/apps/stencil/contract.hpp"
#include "speedwell/apps/stencil/cpu/cpu_strips.hpp"
#include "speedwell/apps/stencil/cpu/rows.hpp"
#include "speedwell/apps/stencil/distributed.hpp"
#include "speedwell/apps/stencil/point.hpp"
#include "speedwell/apps/stencil/stencil.hpp"
#include "speedwell/comm/halo_exchange.hpp"
#include "speedwell/comm/sums.hpp"
#include "speedwell/comm/timer.hpp"
#include "speedwell/core/trace.hpp"

namespace speedwell::stencil {
namespace {

// Cells that are prefetched ahead: all rows of a rank's fields are its own.
template <class T>
constexpr std::int64_t ahead = prefetch_bytes / static_cast<std::int64_t>(sizeof(T));

core::TraceSpan computing(const char* name) { return {name, core::TraceCategory::compute}; }

}  // namespace

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

#define SPEEDWELL_INSTANTIATE(T)                                                                        \
  template void DistributedOperator<T>::multiply(std::span<T>, std::span<T>);                           \
  template void DistributedOperator<T>::exchange_and_multiply(std::span<T>, std::span<T>);              \
  template double DistributedOperator<T>::multiply_and_dot(std::span<T>, std::span<T>);                 \
  template double DistributedOperator<T>::sum_over_ranks(std::span<const double>);                      \
  template double DistributedOperator<T>::advance_direction(std::span<const T>, T, bool, std::span<T>); \
  template double DistributedOperator<T>::descend(T, std::span<const T>, std::span<T>, std::span<T>);   \
  template void DistributedOperator<T>::diagonal(std::span<T>) const;                                   \
  template void DistributedOperator<T>::sweep(std::span<T>, std::span<T>, std::span<T>, int);
SPEEDWELL_INSTANTIATE(float)
SPEEDWELL_INSTANTIATE(double)
#undef SPEEDWELL_INSTANTIATE

}  // namespace speedwell::stencil
