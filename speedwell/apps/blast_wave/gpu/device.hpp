// BiCGSTAB on the device, in three passes over memory per iteration with two grid-wide reductions: the operands of the
// passes (sources), the use of a product (sinks), and the scalars, which stay on the device.
#pragma once

#include "speedwell/apps/blast_wave/point.hpp"
#include "speedwell/numerics/grid_sums.hpp"

namespace speedwell::blast_wave::device {

using numerics::SumWorkspace;
using numerics::Terms;

// Cycles with blocks in f32. Their solution differs by some 1e-7 of the change, so that more iterations are of no use.
// At large CFL numbers the recurrence may stagnate for hundreds of iterations long before that; a restart with the
// residual as the shadow residual ends the stagnation. On a host 100 steps of 33 x 33 x 32 points with CFL 5 took 2378
// iterations in cycles to 1e-6, 3079 to 1e-10, and did not converge within 500 in one cycle to 1e-13.
constexpr double cycle_depth = 1e-6;  // relative to the sum of squares at the start of the cycle
constexpr int longest_cycle = 50;     // iterations: cycles that do not stagnate took up to 37 there

struct Scalars {
  double dt, time;
  Weights weights;
  unsigned long long rate_bits;  // bits of the largest rate: positive doubles are ordered as their bits are
  double rho, alpha, omega, beta, rr, bb, true_residual;
  double cycle;    // sum of squares at which a cycle with f32 blocks ends
  double mean[5];  // means of x at its end
  double max_squared_residual;
  int max_iterations;
  int running, candidate, iteration, restarts;
  int cycle_began;  // number of iterations before it
  int stop_reason;  // other than StopReason::done: everything that comes later does nothing
  int bad_point;    // INT_MAX: none
  int updated;      // iterations whose x, r and p are written
  int open;         // the step has begun and not ended
  int step;
};

/// A plain vector.
struct Plain {
  const double* v;
  int stride;
  __device__ double operator()(Site s, int c) const { return __ldg(v + c * stride + s.p); }
};
/// r - alpha v: the residual at the half point of an iteration, which is not stored.
struct HalfPointState {
  const double *r, *v;
  int stride;
  const Scalars* k;
  double alpha = 0;
  __device__ double operator()(Site s, int c) const {
    return __ldg(r + c * stride + s.p) - alpha * __ldg(v + c * stride + s.p);
  }
};

/// v = A p, and alpha from r^ . v.
struct KeepV {
  static constexpr int sums = 1;
  static constexpr bool begins = true;  // this sink begins an iteration
  double* v;
  const double* shadow;
  int stride;
  Scalars* k;
  template <class Source>
  __device__ void at(Site s, const Source&, const double y[5], Terms<sums>& t) const {
    for (int c = 0; c < 5; ++c) {
      v[c * stride + s.p] = y[c];
      t[0] += __ldg(shadow + c * stride + s.p) * y[c];
    }
  }
  __device__ void finish(const Terms<sums>& t) const { k->alpha = k->rho / t[0]; }
};

/// t = A s for s = r - alpha v, and with the five sums of both: omega, the next rho and beta, and whether to continue.
/// |r|^2 and r . r^ of the residual r = s - omega t follow from these sums, before r is computed.
struct KeepT {
  static constexpr int sums = 5;
  double* t_;
  const double* shadow;
  int stride;
  Scalars* k;
  bool exact;  // exact blocks
  template <class Source>
  __device__ void at(Site p, const Source& source, const double y[5], Terms<sums>& t) const {
    for (int c = 0; c < 5; ++c) {
      const double s = source(p, c), h = __ldg(shadow + c * stride + p.p);
      t_[c * stride + p.p] = y[c];
      t[0] += y[c] * s;
      t[1] += y[c] * y[c];
      t[2] += s * s;
      t[3] += h * s;
      t[4] += h * y[c];
    }
  }
  __device__ void finish(const Terms<sums>& t) const {
    ++k->iteration;
    // If s = 0, alpha p completes the solution.
    const double omega = t[1] > 0 ? t[0] / t[1] : 0;
    double rr = t[2] - omega * t[0];
    if (rr < 0) rr = 0;  // round-off of a difference
    const double rho = t[3] - omega * t[4];
    k->beta = rho / k->rho * (k->alpha / omega);
    k->omega = omega;
    k->rho = rho;
    k->rr = rr;
    const bool breakdown = !isfinite(k->beta) || rho == 0 || omega == 0;
    const bool ends_cycle = rr <= k->cycle || k->iteration - k->cycle_began >= longest_cycle || breakdown;
    if (!isfinite(rr) || !isfinite(k->alpha)) {
      k->stop_reason = static_cast<int>(StopReason::breakdown);
      k->running = 0;
    } else if (exact ? rr <= k->max_squared_residual : ends_cycle) {
      k->running = 0;
      k->candidate = !exact;
    } else if (k->iteration >= k->max_iterations) {
      k->stop_reason = static_cast<int>(StopReason::iteration_limit);
      k->running = 0;
    } else if (breakdown) {
      k->stop_reason = static_cast<int>(StopReason::breakdown);
      k->running = 0;
    }
  }
};

/// The residual b - A x with exact blocks at the end of a cycle with f32 blocks; the next cycle starts from it.
struct Restart {
  static constexpr int sums = 1;
  const double* b;
  double *r, *shadow, *p;
  int stride;
  Scalars* k;
  template <class Source>
  __device__ void at(Site s, const Source&, const double y[5], Terms<sums>& t) const {
    for (int c = 0; c < 5; ++c) {
      const int at = c * stride + s.p;
      const double rest = b[at] - y[c];
      r[at] = shadow[at] = p[at] = rest;
      t[0] += rest * rest;
    }
  }
  __device__ void finish(const Terms<sums>& t) const {
    k->candidate = 0;
    k->rr = k->rho = t[0];
    if (!isfinite(t[0])) {
      k->stop_reason = static_cast<int>(StopReason::breakdown);
    } else if (t[0] > k->max_squared_residual && k->iteration >= k->max_iterations) {
      k->stop_reason = static_cast<int>(StopReason::iteration_limit);
    } else if (t[0] > k->max_squared_residual) {
      ++k->restarts;
      k->running = 1;
      k->cycle = fmax(k->max_squared_residual, cycle_depth * t[0]);
      k->cycle_began = k->iteration;
    }
  }
};

/// |b - A x|^2 when the iterations of a step have ended.
struct TrueResidual {
  static constexpr int sums = 1;
  const double* b;
  int stride;
  Scalars* k;
  template <class Source>
  __device__ void at(Site s, const Source&, const double y[5], Terms<sums>& t) const {
    for (int c = 0; c < 5; ++c) {
      const double rest = __ldg(b + c * stride + s.p) - y[c];
      t[0] += rest * rest;
    }
  }
  __device__ void finish(const Terms<sums>& t) const { k->true_residual = t[0]; }
};

/// Recomputes the blocks.
struct Recomputed {
  Medium m;
  const double *q, *w, *strength;
  template <class Source>
  __device__ void operator()(const Weights& weights, Site s, const Source& x, double y[5]) const {
    apply_blocks(m, weights, Flow{&m, q, w}, strength, x, s, y);
  }
};
/// Reads the blocks.
template <class T>
struct Stored {
  Medium m;
  const T* a;
  template <class Source>
  __device__ void operator()(const Weights&, Site s, const Source& x, double y[5]) const {
    const T* const own = a + static_cast<std::int64_t>(s.p / tile) * entries * tile + s.p % tile;
    for (int c = 0; c < 5; ++c) y[c] = 0;
#pragma unroll
    for (int b = 0; b < 7; ++b) {
      const Site to = b == 0 ? s : moved(m, s, (b - 1) / 2, b % 2 == 1 ? -1 : 1);
      double v[5];
#pragma unroll
      for (int c = 0; c < 5; ++c) v[c] = x(to, c);
#pragma unroll
      for (int row = 0; row < 5; ++row)
#pragma unroll
        for (int c = 0; c < 5; ++c) y[row] += static_cast<double>(__ldcs(own + (b * 25 + row * 5 + c) * tile)) * v[c];
    }
  }
};

}  // namespace speedwell::blast_wave::device
