#include "speedwell/apps/incompressible_flow/linear_solvers/axis_modes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "speedwell/apps/incompressible_flow/mesh/geometry.hpp"

namespace speedwell::incompressible_flow {
namespace {

using Vector = std::vector<double>;

// Reduction of a square matrix to tridiagonal form by a similarity transform; `rows` is the transpose of that.
class Reduction {
 public:
  Reduction(std::span<const double> matrix, int n) : n_(static_cast<std::size_t>(n)), a_(n_ * n_), rows_(n_ * n_) {
    for (std::size_t i = 0; i < n_; ++i) {
      rows_[i * n_ + i] = 1;
      for (std::size_t j = 0; j <= i; ++j) a_[i * n_ + j] = a_[j * n_ + i] = matrix[i * n_ + j];
    }
    for (std::size_t k = 0; k + 2 < n_; ++k) reflect(k);
  }
  Vector diagonal() const {
    Vector d(n_);
    for (std::size_t i = 0; i < n_; ++i) d[i] = a_[i * n_ + i];
    return d;
  }
  Vector subdiagonal() const {  // the subdiagonal
    Vector e(n_ > 0 ? n_ - 1 : 0);
    for (std::size_t i = 0; i + 1 < n_; ++i) e[i] = a_[(i + 1) * n_ + i];
    return e;
  }
  Vector take_rows() { return std::move(rows_); }

 private:
  // Makes the entries of column k below the subdiagonal zero.
  void reflect(std::size_t k) {
    double below = 0;
    for (std::size_t i = k + 2; i < n_; ++i) below += a_[i * n_ + k] * a_[i * n_ + k];
    if (below == 0) return;
    const double first = a_[(k + 1) * n_ + k], alpha = -std::copysign(std::sqrt(first * first + below), first);
    Vector v(n_), p(n_);
    for (std::size_t i = k + 1; i < n_; ++i) v[i] = a_[i * n_ + k];
    v[k + 1] -= alpha;
    const double beta = 2 / (v[k + 1] * v[k + 1] + below);
    double pv = 0;
    for (std::size_t i = k + 1; i < n_; ++i) {
      double sum = 0;
      for (std::size_t j = k + 1; j < n_; ++j) sum += a_[i * n_ + j] * v[j];
      p[i] = beta * sum;
      pv += p[i] * v[i];
    }
    for (std::size_t i = k + 1; i < n_; ++i) p[i] -= 0.5 * beta * pv * v[i];
    for (std::size_t i = k + 1; i < n_; ++i)
      for (std::size_t j = k + 1; j < n_; ++j) a_[i * n_ + j] -= v[i] * p[j] + p[i] * v[j];
    for (std::size_t i = k + 1; i < n_; ++i) a_[i * n_ + k] = a_[k * n_ + i] = i == k + 1 ? alpha : 0;
    Vector across(n_);
    for (std::size_t i = k + 1; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) across[j] += v[i] * rows_[i * n_ + j];
    for (std::size_t i = k + 1; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) rows_[i * n_ + j] -= beta * v[i] * across[j];
  }

  std::size_t n_;
  Vector a_, rows_;
};

// One QR step on the rows lo … hi of a tridiagonal matrix with diagonal d and subdiagonal e, none of which is 0 there.
// The rotations are applied to the rows of `vectors`, too.
void qr_step(Vector& d, Vector& e, std::size_t lo, std::size_t hi, Vector& vectors) {
  const std::size_t n = d.size();
  const double half = 0.5 * (d[hi - 1] - d[hi]), last = e[hi - 1];
  const double shift = d[hi] - last * last / (half + std::copysign(std::hypot(half, last), half));
  double x = d[lo] - shift, z = e[lo];
  for (std::size_t k = lo; k < hi; ++k) {
    const double r = std::hypot(x, z), c = r == 0 ? 1 : x / r, s = r == 0 ? 0 : -z / r;
    if (k > lo) e[k - 1] = r;
    const double here = d[k], next = d[k + 1], between = e[k];
    d[k] = c * c * here - 2 * c * s * between + s * s * next;
    d[k + 1] = s * s * here + 2 * c * s * between + c * c * next;
    e[k] = c * s * (here - next) + (c * c - s * s) * between;
    if (k + 1 < hi) {
      x = e[k];
      z = -s * e[k + 1];
      e[k + 1] *= c;
    }
    double *a = vectors.data() + k * n, *b = a + n;
    for (std::size_t i = 0; i < n; ++i) {
      const double v = a[i], w = b[i];
      a[i] = c * v - s * w;
      b[i] = s * v + c * w;
    }
  }
}

}  // namespace

SymmetricModes symmetric_modes(std::span<const double> matrix, int n) {
  if (n < 1 || matrix.size() != static_cast<std::size_t>(n) * static_cast<std::size_t>(n))
    throw std::invalid_argument("a matrix that is not square");
  if (!std::all_of(matrix.begin(), matrix.end(), [](double a) { return std::isfinite(a); }))
    throw std::invalid_argument("a matrix that is not finite");
  Reduction reduction(matrix, n);
  Vector d = reduction.diagonal(), e = reduction.subdiagonal();
  SymmetricModes modes{{}, reduction.take_rows()};
  // Convergence is cubic: two or three steps for each eigenvalue.
  int left = 60 * n;
  for (std::size_t hi = d.size() - 1; hi > 0;) {
    for (std::size_t i = 0; i < hi; ++i)
      if (std::abs(e[i]) <= std::numeric_limits<double>::epsilon() * (std::abs(d[i]) + std::abs(d[i + 1]))) e[i] = 0;
    if (e[hi - 1] == 0) {
      --hi;
      continue;
    }
    std::size_t lo = hi - 1;
    while (lo > 0 && e[lo - 1] != 0) --lo;
    if (left-- == 0) throw std::runtime_error("the eigenvalues of a symmetric matrix were not found");
    qr_step(d, e, lo, hi, modes.vectors);
  }
  modes.values = std::move(d);
  return modes;
}

AxisModes axis_modes(const Problem& problem, int axis) {
  const Geometry g(problem);
  AxisModes found;
  const int n = found.n = problem.extents().extent(axis);
  const auto at = [n](int i, int j) {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + static_cast<std::size_t>(j);
  };
  Vector s(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)), root;
  for (int i = 0; i < n; ++i) root.push_back(std::sqrt(g.width(axis, i)));
  const auto w = [&](int i) { return root[static_cast<std::size_t>(i)]; };
  for (int i = 0; i < n; ++i) {
    const int next = i + 1 < n ? i + 1 : 0;
    if (next == i || (next == 0 && !problem.periodic(axis))) continue;
    const double flux = 1 / g.distance(axis, i);
    s[at(i, i)] -= flux / (w(i) * w(i));
    s[at(next, next)] -= flux / (w(next) * w(next));
    s[at(i, next)] += flux / (w(i) * w(next));
    s[at(next, i)] += flux / (w(i) * w(next));
  }
  SymmetricModes modes = symmetric_modes(s, n);
  // The constant mode has the eigenvalue 0 exactly; the computed one is rounded.
  const auto constant = std::max_element(modes.values.begin(), modes.values.end()) - modes.values.begin();
  std::swap(modes.values[0], modes.values[static_cast<std::size_t>(constant)]);
  if (constant != 0)
    std::swap_ranges(modes.vectors.begin(), modes.vectors.begin() + n, modes.vectors.begin() + constant * n);
  modes.values[0] = 0;
  double length = 0;
  for (int i = 0; i < n; ++i) length += w(i) * w(i);
  for (int i = 0; i < n; ++i) modes.vectors[static_cast<std::size_t>(i)] = w(i) / std::sqrt(length);
  found.values = std::move(modes.values);
  found.to_modes.resize(s.size());
  found.from_modes.resize(s.size());
  for (int m = 0; m < n; ++m)
    for (int i = 0; i < n; ++i) {
      found.to_modes[at(m, i)] = modes.vectors[at(m, i)] * w(i);
      found.from_modes[at(i, m)] = modes.vectors[at(m, i)] / w(i);
    }
  return found;
}

}  // namespace speedwell::incompressible_flow
