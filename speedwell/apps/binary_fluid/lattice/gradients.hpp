// Neighbours of a site, and finite differences of a field.
#pragma once

#include <cstdint>

#include "speedwell/apps/binary_fluid/lattice/arithmetic.hpp"
#include "speedwell/apps/binary_fluid/problem.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::binary_fluid {

/// The box for index arithmetic, passed to kernels by value.
struct Domain {
  std::int32_t n[3] = {};
  bool walls[3] = {};
  double push[3][2][3] = {};  // 6 times the walls' velocities

  Domain() = default;
  explicit Domain(const Problem& p) {
    for (int d = 0; d < 3; ++d) {
      const Axis& axis = p.axes[static_cast<std::size_t>(d)];
      n[d] = static_cast<std::int32_t>(p.extents.extent(d));
      walls[d] = axis.walls;
      for (std::size_t side = 0; side < 2; ++side)
        for (std::size_t x = 0; x < 3; ++x) push[d][side][x] = 6 * axis.velocity[side][x];
    }
  }
  SPEEDWELL_HD
  std::int64_t sites() const { return std::int64_t{n[0]} * n[1] * n[2]; }
};

/// Offsets of the neighbours of a site: `wrapped` for the propagation in a periodic box; `near` for differences, where
/// the neighbour behind a wall is the last site before it.
struct Near {
  std::int32_t x[3], y[3], z[3];  // offsets of the sites below, here and above, times their strides

  SPEEDWELL_HD
  Near(const Domain& box, int i, int j, int k) {
    along(box.n[0], box.walls[0], i, 1, x);
    along(box.n[1], box.walls[1], j, box.n[0], y);
    along(box.n[2], box.walls[2], k, box.n[0] * box.n[1], z);
  }
  Near(const Problem& p, std::int64_t i, std::int64_t j, std::int64_t k)
      : Near(Domain(p), static_cast<int>(i), static_cast<int>(j), static_cast<int>(k)) {}
  SPEEDWELL_HD
  std::int32_t site(int dx, int dy, int dz) const { return x[1 + dx] + y[1 + dy] + z[1 + dz]; }

 private:
  SPEEDWELL_HD
  static void along(int n, bool walls, int at, int stride, std::int32_t (&to)[3]) {
    to[0] = (at > 0 ? at - 1 : walls ? 0 : n - 1) * stride;
    to[1] = at * stride;
    to[2] = (at < n - 1 ? at + 1 : walls ? n - 1 : 0) * stride;
  }
};

/// Gradient and Laplacian of a field at a site: of phi, and for Brazovskii's free energy also of its Laplacian.
template <class T>
struct Differences {
  T gradient[3] = {};
  T laplacian = {};
};

/// near(dx, dy, dz) is the value of the field at that offset.
template <class T, class Field>
SPEEDWELL_HD
Differences<T> differences(Stencil stencil, const Field& near) {
  using R = Real<T>;
  Differences<T> d;
  const T here = near(0, 0, 0);
  if (stencil == Stencil::seven) {
    const T xl = near(-1, 0, 0), xh = near(1, 0, 0), yl = near(0, -1, 0), yh = near(0, 1, 0), zl = near(0, 0, -1),
            zh = near(0, 0, 1);
    d.gradient[0] = R(0.5) * (xh - xl);
    d.gradient[1] = R(0.5) * (yh - yl);
    d.gradient[2] = R(0.5) * (zh - zl);
    d.laplacian = mad<T>(splat<T>(R(-6)), here, ((xl + xh) + (yl + yh)) + (zl + zh));
    return d;
  }
  // Each plane is reduced to three numbers in turn, so that few registers are needed.
  T sum[3], of_x = {}, of_y = {};
#pragma unroll
  for (int z = -1; z <= 1; ++z) {
    T row[3], across = {};
#pragma unroll
    for (int y = -1; y <= 1; ++y) {
      const T low = near(-1, y, z), middle = near(0, y, z), high = near(1, y, z);
      row[1 + y] = (low + high) + middle;
      across = across + (high - low);
    }
    sum[1 + z] = (row[0] + row[2]) + row[1];
    of_x = of_x + across;
    of_y = of_y + (row[2] - row[0]);
  }
  d.gradient[0] = R(1.0 / 18) * of_x;
  d.gradient[1] = R(1.0 / 18) * of_y;
  d.gradient[2] = R(1.0 / 18) * (sum[2] - sum[0]);
  d.laplacian = R(1.0 / 9) * mad<T>(splat<T>(R(-27)), here, (sum[0] + sum[2]) + sum[1]);
  return d;
}

}  // namespace speedwell::binary_fluid
