#include "speedwell/apps/wavefront/bundles.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace speedwell::wavefront {

#define SPEEDWELL_PENCIL_KERNELS(isa) \
  namespace isa {                     \
  BundleKernel<float> sweep_f32;      \
  BundleKernel<double> sweep_f64;     \
  int lanes_f32();                    \
  int lanes_f64();                    \
  }
SPEEDWELL_PENCIL_KERNELS(baseline)
#if defined(__x86_64__)
SPEEDWELL_PENCIL_KERNELS(avx2)
SPEEDWELL_PENCIL_KERNELS(avx512)
#endif
#undef SPEEDWELL_PENCIL_KERNELS

namespace {

/// A line through the grid or a plane of it along one axis, in the direction of the sweep.
struct Axis {
  std::int64_t count, step;  // step: in memory, signed
  std::int64_t begin;        // offset of its first cell
  Axis(std::int64_t cells, std::int64_t stride, bool down)
      : count(cells), step(down ? -stride : stride), begin(down ? (cells - 1) * stride : 0) {}
  std::int64_t at(std::int64_t n) const { return begin + n * step; }
};

/// The axes of a grid and of its planes of inflow: what makes strips of places in the sweep.
template <class T>
class Places {
 public:
  Places(Grid<T>& grid, const Direction& d, int lanes)
      : grid_(grid),
        x_(grid.extents.nx, grid.extents.ny * grid.extents.nz, d.down_x),
        y_(grid.extents.ny, grid.extents.nz, d.down_y),
        z_(grid.extents.nz, 1, d.down_z),
        top_x_(grid.extents.nx, grid.extents.ny, d.down_x),
        top_y_(grid.extents.ny, 1, d.down_y),
        north_x_(grid.extents.nx, grid.extents.nz, d.down_x),
        west_y_(grid.extents.ny, grid.extents.nz, d.down_y),
        lanes_(lanes) {}

  /// Planes from `a` and rows from `b` in the sweep's order.
  Bundle<T> bundle(std::int64_t a, std::int64_t b) const {
    Bundle<T> made{};
    made.planes = static_cast<int>(std::min<std::int64_t>(bundle_planes, x_.count - a));
    made.rows = static_cast<int>(std::min<std::int64_t>(lanes_, y_.count - b));
    made.cells = z_.count;
    const Planes<T>& inflow = grid_.planes;
    const auto strip = [&](auto* values, std::int64_t offset, const Axis& rows, std::int64_t row) {
      return Strip<std::remove_pointer_t<decltype(values)>>{values + offset + rows.at(row) + z_.begin, rows.step,
                                                            z_.step};
    };
    const T* cells = grid_.cells.data();
    for (int g = 0; g < made.planes; ++g) {
      made.plane[g] = strip(grid_.cells.data(), x_.at(a + g), y_, b);
      made.north[g] = b > 0 ? strip(cells, x_.at(a + g), y_, b - 1)
                            : Strip<const T>{inflow.north.data() + north_x_.at(a + g) + z_.begin, 0, z_.step};
      for (int l = 0; l < made.rows; ++l)
        made.state[g][l] = inflow.top[static_cast<std::size_t>(top_x_.at(a + g) + top_y_.at(b + l))];
    }
    made.west = a > 0 ? strip(cells, x_.at(a - 1), y_, b) : strip(std::as_const(inflow.west).data(), 0, west_y_, b);
    return made;
  }

 private:
  Grid<T>& grid_;
  Axis x_, y_, z_, top_x_, top_y_, north_x_, west_y_;
  int lanes_;
};

}  // namespace

template <class T>
Kernel<T> kernel_of(core::Isa isa) {
  if (isa > core::best_isa()) throw std::invalid_argument("the processor does not have this instruction set");
  const auto choose = [](auto* f32, auto* f64, int lanes_f32, int lanes_f64) {
    if constexpr (sizeof(T) == 4) return (void)f64, (void)lanes_f64, Kernel<T>{f32, lanes_f32};
    if constexpr (sizeof(T) == 8) return (void)f32, (void)lanes_f32, Kernel<T>{f64, lanes_f64};
  };
#if defined(__x86_64__)
  if (isa == core::Isa::avx512)
    return choose(avx512::sweep_f32, avx512::sweep_f64, avx512::lanes_f32(), avx512::lanes_f64());
  if (isa == core::Isa::avx2) return choose(avx2::sweep_f32, avx2::sweep_f64, avx2::lanes_f32(), avx2::lanes_f64());
#endif
  return choose(baseline::sweep_f32, baseline::sweep_f64, baseline::lanes_f32(), baseline::lanes_f64());
}

template <class T>
BundleRecurrence<T> bundle_recurrence(const Recurrence<T>& r) {
  return {.loops = r.loops,
          .c = r.c,
          .tc = r.tc,
          .td = r.td,
          .nc = r.nc,
          .nd = r.nd,
          .wc = r.wc,
          .wd = r.wd,
          .rc = r.rc,
          .rd = r.rd,
          .fused = r.rounding == Rounding::fused,
          .fast = stays_in_range(r)};
}

template <class T>
Bundles<T>::Bundles(Grid<T>& grid, const Direction& direction, int lanes)
    : in_x_((grid.extents.nx + bundle_planes - 1) / bundle_planes),
      in_y_((grid.extents.ny + lanes - 1) / lanes),
      bundles_(static_cast<std::size_t>(in_x_ * in_y_)) {
  const Places<T> places(grid, direction, lanes);
  for (std::int64_t a = 0; a < in_x_; ++a)
    for (std::int64_t b = 0; b < in_y_; ++b) at(a, b) = places.bundle(a * bundle_planes, b * lanes);
}

template Kernel<float> kernel_of(core::Isa);
template Kernel<double> kernel_of(core::Isa);
template BundleRecurrence<float> bundle_recurrence(const Recurrence<float>&);
template BundleRecurrence<double> bundle_recurrence(const Recurrence<double>&);
template class Bundles<float>;
template class Bundles<double>;

}  // namespace speedwell::wavefront
