// A grid in device memory, indexed in the order of the sweep: cell (0,0,0) is the corner at which the sweep begins,
// whatever its direction. All kernels use these indices.
#pragma once

#include <cstdint>

#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::wavefront {

template <class T>
struct DeviceGrid {
  T* cells = nullptr;        // cell (0,0,0); (i,j,k) is at offset x i + y j + z k
  const T* top = nullptr;    // of (0,0); (i,j) is at offset top_x i + top_y j
  const T* north = nullptr;  // of (0,0); (i,k) is at offset north_x i + z k
  const T* west = nullptr;   // of (0,0); (j,k) is at offset west_y j + z k
  std::int32_t nx = 0, ny = 0, nz = 0;
  std::int32_t z = 1;  // 1 or -1
  std::int64_t x = 0, y = 0, top_x = 0, top_y = 0, north_x = 0, west_y = 0;

  SPEEDWELL_HD
  T* row(std::int64_t i, std::int64_t j) const { return cells + i * x + j * y; }
  SPEEDWELL_HD
  T& operator()(std::int64_t i, std::int64_t j, std::int64_t k) const { return row(i, j)[k * z]; }

  /// The predecessor of a cell along each axis: a neighbouring cell or the inflow.
  SPEEDWELL_HD
  T top_of(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return k > 0 ? (*this)(i, j, k - 1) : top[i * top_x + j * top_y];
  }
  SPEEDWELL_HD
  T north_of(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return j > 0 ? (*this)(i, j - 1, k) : north[i * north_x + k * z];
  }
  SPEEDWELL_HD
  T west_of(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return i > 0 ? (*this)(i - 1, j, k) : west[j * west_y + k * z];
  }
};

/// Describes a grid and its inflow planes in the layout of problem.hpp for a sweep in `direction`. Extents must fit in
/// 32 bits.
template <class T>
DeviceGrid<T> device_grid(const Extents& e, const Direction& d, T* cells, const T* top, const T* north, const T* west) {
  const auto towards = [](bool down, std::int64_t step) { return down ? -step : step; };
  const std::int64_t i = d.down_x ? e.nx - 1 : 0, j = d.down_y ? e.ny - 1 : 0, k = d.down_z ? e.nz - 1 : 0;
  return {.cells = cells + (i * e.ny + j) * e.nz + k,
          .top = top + i * e.ny + j,
          .north = north + i * e.nz + k,
          .west = west + j * e.nz + k,
          .nx = static_cast<std::int32_t>(e.nx),
          .ny = static_cast<std::int32_t>(e.ny),
          .nz = static_cast<std::int32_t>(e.nz),
          .z = d.down_z ? -1 : 1,
          .x = towards(d.down_x, e.ny * e.nz),
          .y = towards(d.down_y, e.nz),
          .top_x = towards(d.down_x, e.ny),
          .top_y = towards(d.down_y, 1),
          .north_x = towards(d.down_x, e.nz),
          .west_y = towards(d.down_y, e.nz)};
}

}  // namespace speedwell::wavefront
