// Tridiagonal systems that are divided among slabs: what the unknowns beside a slab are, given what each slab finds for
// its first and last unknown as if its neighbours' were 0.
#pragma once

#include "speedwell/core/host_device.hpp"

namespace speedwell::incompressible_flow::gpu {

/// How the unknowns beside a slab, that of the row below its first one and that above its last one, act on its first
/// and its last unknown: first = y_first - first_below below - first_above above, and so for the last.
struct SlabInfluence {
  double first_below, first_above, last_below, last_above;
};

/// Row k of a slab after elimination of those before it: x_k + next x_{k+1} + below x_below = right. The slab's first
/// row in terms of it: x_0 + slope x_{k+1} + first_below x_below = first_right.
template <class T>
struct Eliminated {
  T next = 0, below = 0, right = 0, slope = 0, first_below = 0, first_right = 0;

  SPEEDWELL_HD
  void first(T low, T diagonal, T high, T value) {
    const T inverse = T(1) / diagonal;
    next = slope = high * inverse;
    below = first_below = low * inverse;
    right = first_right = value * inverse;
  }
  SPEEDWELL_HD
  void advance(T low, T diagonal, T high, T value) {
    const T inverse = T(1) / (diagonal - low * next);
    below = -low * below * inverse;
    right = (value - low * right) * inverse;
    next = high * inverse;
    first_below -= slope * below;
    first_right -= slope * right;
    slope = -slope * next;
  }
  /// After the last row.
  SPEEDWELL_HD
  SlabInfluence influence() const { return {first_below, slope, below, next}; }
};

/// The unknowns x = (first_0, last_0, first_1, last_1, …) of a system on `slabs` slabs: A x = y, where A has the
/// identity and the influences. `Values` is callable: values(i) is one of 2 slabs (2 slabs + 1) doubles. Sums of the
/// influences on an unknown are at most 1, so that elimination in the transposed matrix needs no pivots.
template <class Values>
class SlabCoupling {
 public:
  SPEEDWELL_HD
  SlabCoupling(const Values& values, int slabs, bool periodic)
      : values_(values), slabs_(slabs), n_(2 * slabs), periodic_(periodic) {
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) at(i, j) = i == j ? 1 : 0;
  }
  SPEEDWELL_HD
  void add(int slab, const SlabInfluence& of) {
    const int first = 2 * slab, last = 2 * slab + 1;
    if (has_below(slab)) {
      at(unknown_below(slab), first) += of.first_below;
      at(unknown_below(slab), last) += of.last_below;
    }
    if (has_above(slab)) {
      at(unknown_above(slab), first) += of.first_above;
      at(unknown_above(slab), last) += of.last_above;
    }
  }
  /// After the influences of all slabs.
  SPEEDWELL_HD
  void factorise() {
    for (int k = 0; k < n_; ++k)
      for (int i = k + 1; i < n_; ++i) {
        const double factor = at(i, k) /= at(k, k);
        if (factor == 0) continue;
        for (int j = k + 1; j < n_; ++j) at(i, j) -= factor * at(k, j);
      }
  }
  /// Calls put(j, factor) for the factors of y_j whose sum is the unknown below, or above, a slab: 0 where there is
  /// none.
  template <class Put>
  SPEEDWELL_HD
  void factors_below(int slab, const Put& put) { solve(has_below(slab) ? unknown_below(slab) : -1, put); }
  template <class Put>
  SPEEDWELL_HD
  void factors_above(int slab, const Put& put) { solve(has_above(slab) ? unknown_above(slab) : -1, put); }

 private:
  SPEEDWELL_HD
  bool has_below(int slab) const { return slab > 0 || periodic_; }
  SPEEDWELL_HD
  bool has_above(int slab) const { return slab < slabs_ - 1 || periodic_; }
  SPEEDWELL_HD
  int unknown_below(int slab) const { return 2 * (slab > 0 ? slab - 1 : slabs_ - 1) + 1; }
  SPEEDWELL_HD
  int unknown_above(int slab) const { return 2 * (slab < slabs_ - 1 ? slab + 1 : 0); }
  SPEEDWELL_HD
  double& at(int row, int column) const { return values_(row * n_ + column); }
  SPEEDWELL_HD
  double& row(int i) const { return values_(n_ * n_ + i); }

  // A row of the inverse of A is a solution with the transposed matrix.
  template <class Put>
  SPEEDWELL_HD
  void solve(int unknown, const Put& put) {
    for (int i = 0; i < n_; ++i) {
      double sum = i == unknown ? 1 : 0;
      for (int j = 0; j < i; ++j) sum -= at(i, j) * row(j);
      row(i) = sum;
    }
    for (int i = n_ - 1; i >= 0; --i) {
      double sum = row(i);
      for (int j = i + 1; j < n_; ++j) sum -= at(i, j) * row(j);
      row(i) = sum / at(i, i);
      put(i, row(i));
    }
  }

  Values values_;
  int slabs_, n_;
  bool periodic_;
};

}  // namespace speedwell::incompressible_flow::gpu
