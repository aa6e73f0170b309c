// Row kernels in one instruction set. The loops along the contiguous axis have no loop-carried dependencies, so that
// the compiler vectorises them.
#include "speedwell/apps/incompressible_flow/cpu/row_kernels.hpp"

namespace speedwell::incompressible_flow::SPEEDWELL_ISA {
namespace {

/// A field relative to one row.
template <class T>
struct Rows {
  const T* first;
  std::ptrdiff_t row, plane;
  SPEEDWELL_ALWAYS_INLINE T operator()(int i, int j, int k) const { return first[i + j * row + k * plane]; }
};

template <int C, bool Before, bool Keeps, bool Solids, class T>
void momentum_of(const MomentumRow<T>& m) {
  const Rows<T> u = {m.u[0], m.row, m.plane}, v = {m.u[1], m.row, m.plane}, w = {m.u[2], m.row, m.plane};
  const MeshMetrics<T> metrics = m.metrics;
  const T *base = m.base[C], *wall_drag = m.wall_drag[C];
  T *rate = m.rate[C], *next = m.next[C];
  const T viscosity = m.viscosity, now = m.now, before = m.before, acceleration = m.acceleration[C];
  const int open = m.open[C];
#pragma omp simd
  for (int i = 0; i < open; ++i) {
    T here = momentum<C>(metrics, viscosity, u, v, w, CellPosition{i, 0, 0}) + acceleration;
    if constexpr (Solids) here -= viscosity * wall_drag[i] * m.u[C][i];
    T result = base[i] + now * here;
    if constexpr (Before) result += before * rate[i];
    if constexpr (Keeps) rate[i] = here;
    if constexpr (Solids) result = wall_drag[i] < T(0) ? T(0) : result;
    next[i] = result;
  }
  for (int i = open; i < m.cells; ++i) next[i] = T(0);
}
template <int C, bool Solids, class T>
void momentum_in(const MomentumRow<T>& m) {
  if (m.before != T(0))
    m.keeps_rate ? momentum_of<C, true, true, Solids>(m) : momentum_of<C, true, false, Solids>(m);
  else
    m.keeps_rate ? momentum_of<C, false, true, Solids>(m) : momentum_of<C, false, false, Solids>(m);
}
template <class T>
void momentum_row(const MomentumRow<T>& m) {
  if (m.wall_drag[0]) {
    momentum_in<0, true>(m);
    momentum_in<1, true>(m);
    momentum_in<2, true>(m);
  } else {
    momentum_in<0, false>(m);
    momentum_in<1, false>(m);
    momentum_in<2, false>(m);
  }
}

template <int C, class T>
void diffusion_of(const DiffusionRow<T>& d) {
  const Rows<T> u = {d.u, d.row, d.plane};
  const MeshMetrics<T> metrics = d.metrics;
  const std::ptrdiff_t ahead = C == 0 ? 1 : C == 1 ? d.row : d.plane;
#pragma omp simd
  for (int i = 0; i < d.open; ++i) {
    T here = d.factor * diffusion<C>(metrics, u, CellPosition{i, 0, 0});
    if (d.pressure)
      here -=
          d.pressure_step * metrics.axis[C].inverse_distance[C == 0 ? i : 0] * (d.pressure[i + ahead] - d.pressure[i]);
    if (d.wall_drag) here = d.wall_drag[i] < T(0) ? T(0) : here - d.factor * d.wall_drag[i] * d.u[i];
    d.next[i] += here;
  }
}
template <class T>
void diffusion_row(const DiffusionRow<T>& d) {
  d.component == 0 ? diffusion_of<0>(d) : d.component == 1 ? diffusion_of<1>(d) : diffusion_of<2>(d);
}

template <int C, class T>
double helmholtz_of(const HelmholtzRow<T>& h) {
  const Rows<T> x = {h.x, h.row, h.plane};
  const MeshMetrics<T> m = h.metrics;
  const T across = (C == 1 ? T(1) / m.axis[1].inverse_distance[0] : m.axis[1].width[0]) *
                   (C == 2 ? T(1) / m.axis[2].inverse_distance[0] : m.axis[2].width[0]);
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < h.open; ++i) {
    const T volume = across * (C == 0 ? T(1) / m.axis[0].inverse_distance[i] : m.axis[0].width[i]);
    T y = x(i, 0, 0) - h.factor * diffusion<C>(m, x, CellPosition{i, 0, 0});
    if (h.wall_drag) y = h.wall_drag[i] < T(0) ? T(0) : y + h.factor * h.wall_drag[i] * x(i, 0, 0);
    y *= volume;
    h.y[i] = y;
    sum += static_cast<double>(y) * static_cast<double>(x(i, 0, 0));
  }
  for (int i = h.open; i < h.cells; ++i) h.y[i] = T(0);
  return sum;
}
template <class T>
double helmholtz_row(const HelmholtzRow<T>& h) {
  return h.component == 0 ? helmholtz_of<0>(h) : h.component == 1 ? helmholtz_of<1>(h) : helmholtz_of<2>(h);
}

template <class T>
void divergence_row(const DivergenceRow<T>& d) {
  const Rows<T> u = {d.u[0], d.row, d.plane}, v = {d.u[1], d.row, d.plane}, w = {d.u[2], d.row, d.plane};
  const MeshMetrics<T> metrics = d.metrics;
  T* out = d.out;
  const T factor = d.factor;
#pragma omp simd
  for (int i = 0; i < d.cells; ++i) out[i] = factor * divergence(metrics, u, v, w, CellPosition{i, 0, 0});
}

template <bool Solids, class T>
void project_in(const ProjectionRow<T>& r) {
  const T *p = r.p[0], *py = r.p[1], *pz = r.p[2];
  const T step = r.step, y = step * r.metrics.axis[1].link[0], z = step * r.metrics.axis[2].link[0];
  const T* x = r.metrics.axis[0].link;
  const auto closed = [&](int c, int i) { return Solids && r.wall_drag[c][i] < T(0); };
  const int last = r.cells - 1;
#pragma omp simd
  for (int i = 0; i < last; ++i) r.u[0][i] -= closed(0, i) ? T(0) : step * x[i] * (p[i + 1] - p[i]);
  if (!closed(0, last)) r.u[0][last] -= step * x[last] * (r.p_next - p[last]);
  if (r.open[1] > 0) {
#pragma omp simd
    for (int i = 0; i <= last; ++i) r.u[1][i] -= closed(1, i) ? T(0) : y * (py[i] - p[i]);
  }
  if (r.open[2] > 0) {
#pragma omp simd
    for (int i = 0; i <= last; ++i) r.u[2][i] -= closed(2, i) ? T(0) : z * (pz[i] - p[i]);
  }
}
template <class T>
void project_row(const ProjectionRow<T>& r) {
  r.wall_drag[0] ? project_in<true>(r) : project_in<false>(r);
}

template <bool Solids, class T>
double poisson_in(const PoissonRow<T>& p) {
  const Rows<T> x = {p.x, p.row, p.plane}, fluid = {p.fluid, p.row, p.plane};
  const MeshMetrics<T> m = p.metrics;
  const T wy = m.axis[1].width[0], wz = m.axis[2].width[0];
  const T low_y = m.axis[1].link[-1] * wz, high_y = m.axis[1].link[0] * wz;
  const T low_z = m.axis[2].link[-1] * wy, high_z = m.axis[2].link[0] * wy;
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < p.cells; ++i) {
    const auto through = [&](int di, int dj, int dk) {
      const T difference = x(i, 0, 0) - x(i + di, dj, dk);
      if constexpr (Solids) return difference * fluid(i + di, dj, dk);
      return difference;
    };
    const T wx = m.axis[0].width[i];
    T y = wy * wz * (m.axis[0].link[i] * through(1, 0, 0) + m.axis[0].link[i - 1] * through(-1, 0, 0)) +
          wx * (high_y * through(0, 1, 0) + low_y * through(0, -1, 0) + high_z * through(0, 0, 1) +
                low_z * through(0, 0, -1));
    if constexpr (Solids) y *= fluid(i, 0, 0);
    p.y[i] = y;
    sum += static_cast<double>(y) * static_cast<double>(x(i, 0, 0));
  }
  return sum;
}
template <class T>
double poisson_row(const PoissonRow<T>& p) {
  return p.fluid ? poisson_in<true>(p) : poisson_in<false>(p);
}

// While it lives, the calling thread takes denormal numbers for 0, and gets 0 in place of them.
class DenormalsAreZero {
 public:
#ifdef __SSE2__
  DenormalsAreZero() : before_(__builtin_ia32_stmxcsr()) {
    constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x40;
    __builtin_ia32_ldmxcsr(before_ | flush_to_zero | denormals_are_zero);
  }
  ~DenormalsAreZero() { __builtin_ia32_ldmxcsr(before_); }

 private:
  unsigned before_;
#endif
};

// Elimination without pivoting, which diagonally dominant systems do not need. What closes a periodic system decays
// with the distance from its end, in single precision down to denormal numbers, with which processors compute slowly.
template <class T>
void tridiagonal(const TridiagonalLines<T>& t) {
  [[maybe_unused]] const DenormalsAreZero while_here;
  const int n = t.n, width = t.width;
  const T* lambda = t.lambda;
  if (n == 1) {
#pragma omp simd
    for (int m = 0; m < width; ++m) t.x[m] /= lambda[m];
    return;
  }
  const int last =
      t.periodic ? n - 2 : n - 1;  // last row of the eliminated system; periodic systems are closed afterwards
  const auto diagonal = [&](int k) { return -(t.low[k] + t.high[k]); };
  for (int k = 0; k <= last; ++k) {
    T *x = t.x + k * t.pitch, *c = t.c + k * t.pitch, *q = t.q + k * t.pitch;
    const T low = k > 0 ? t.low[k] : T(0), high = k < last ? t.high[k] : T(0), b = diagonal(k);
    const T* x_before = k > 0 ? x - t.pitch : x;
    const T* c_before = k > 0 ? c - t.pitch : c;
    const T* q_before = k > 0 ? q - t.pitch : q;
    if (k == 0) {
      const T right = -t.low[0] - (last == 0 ? t.high[0] : T(0));
#pragma omp simd
      for (int m = 0; m < width; ++m) {
        const T inverse = T(1) / (b + lambda[m]);
        c[m] = high * inverse;
        x[m] *= inverse;
      }
      if (t.periodic) {
#pragma omp simd
        for (int m = 0; m < width; ++m) q[m] = right / (b + lambda[m]);
      }
    } else if (!t.periodic) {
#pragma omp simd
      for (int m = 0; m < width; ++m) {
        const T inverse = T(1) / (b + lambda[m] - low * c_before[m]);
        c[m] = high * inverse;
        x[m] = (x[m] - low * x_before[m]) * inverse;
      }
    } else {
      const T right = k == last ? -t.high[last] : T(0);
#pragma omp simd
      for (int m = 0; m < width; ++m) {
        const T inverse = T(1) / (b + lambda[m] - low * c_before[m]);
        c[m] = high * inverse;
        x[m] = (x[m] - low * x_before[m]) * inverse;
        q[m] = (right - low * q_before[m]) * inverse;
      }
    }
  }
  for (int k = last - 1; k >= 0; --k) {
    T *x = t.x + k * t.pitch, *c = t.c + k * t.pitch, *q = t.q + k * t.pitch;
    const T *x_after = x + t.pitch, *q_after = q + t.pitch;
    if (t.periodic) {
#pragma omp simd
      for (int m = 0; m < width; ++m) {
        x[m] -= c[m] * x_after[m];
        q[m] -= c[m] * q_after[m];
      }
    } else {
#pragma omp simd
      for (int m = 0; m < width; ++m) x[m] -= c[m] * x_after[m];
    }
  }
  if (!t.periodic) return;
  T* end = t.x + (n - 1) * t.pitch;
  const T low = t.low[n - 1], high = t.high[n - 1], b = diagonal(n - 1);
  const T *x_last = t.x + last * t.pitch, *q_last = t.q + last * t.pitch;
#pragma omp simd
  for (int m = 0; m < width; ++m)
    end[m] = (end[m] - high * t.x[m] - low * x_last[m]) / (b + lambda[m] + high * t.q[m] + low * q_last[m]);
  for (int k = 0; k <= last; ++k) {
    T *x = t.x + k * t.pitch, *q = t.q + k * t.pitch;
#pragma omp simd
    for (int m = 0; m < width; ++m) x[m] += q[m] * end[m];
  }
}

// The sums of a tile of R rows and `tile` columns are in registers.
template <class T, int R, int W>
void product_tile(const MatrixProduct<T>& p, int row, int column) {
  T sums[R][W] = {};
  const T *a = p.a + row * p.a_row, *b = p.b + column;
  for (int i = 0; i < p.n; ++i, b += p.b_row)
    for (int r = 0; r < R; ++r) {
      const T factor = a[r * p.a_row + i];
#pragma omp simd
      for (int m = 0; m < W; ++m) sums[r][m] += factor * b[m];
    }
  for (int r = 0; r < R; ++r)
    for (int m = 0; m < W; ++m) p.c[(row + r) * p.c_row + column + m] = sums[r][m];
}

template <class T, int W>
void product_columns(const MatrixProduct<T>& p, int column) {
  int row = 0;
  for (; row + 4 <= p.rows; row += 4) product_tile<T, 4, W>(p, row, column);
  for (; row < p.rows; ++row) product_tile<T, 1, W>(p, row, column);
}

template <class T>
void product(const MatrixProduct<T>& p) {
  constexpr int tile = 128 / static_cast<int>(sizeof(T));  // two of the widest vectors
  int column = 0;
  for (; column + tile <= p.width; column += tile) product_columns<T, tile>(p, column);
  for (; column < p.width; ++column) product_columns<T, 1>(p, column);
}

template <class T>
constexpr RowKernels<T> all = {momentum_row<T>, diffusion_row<T>, helmholtz_row<T>, divergence_row<T>,
                               project_row<T>,  poisson_row<T>,   tridiagonal<T>,   product<T>};

}  // namespace

RowKernels<float> kernels_f32() { return all<float>; }
RowKernels<double> kernels_f64() { return all<double>; }

}  // namespace speedwell::incompressible_flow::SPEEDWELL_ISA
