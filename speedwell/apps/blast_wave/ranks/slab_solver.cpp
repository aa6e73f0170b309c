// The iteration is that of gpu/device.hpp. No number depends on how the tiles are divided among ranks and threads: the
// kernels compute a point from its neighbours wherever it is, and tiles are summed in pairs (pairwise_sums.hpp).
#include "speedwell/apps/blast_wave/ranks/slab_solver.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "speedwell/core/parts.hpp"

namespace speedwell::blast_wave {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

constexpr std::int64_t no_point = std::numeric_limits<std::int64_t>::max();

}  // namespace

SlabSolver::SlabSolver(Slab& slab, const Problem& problem, int threads, Products products)
    : slab_(slab),
      problem_(problem),
      m_(medium_of(problem)),
      mesh_(slab.mesh()),
      kernels_(tile_kernels(core::best_isa())),
      systems_(system_kernels(core::best_isa())),
      without_blocks_(product_kernel(core::best_isa())),
      products_(products),
      threads_(core::resolve_threads(threads)),
      tiles_(slab.tiles()),
      sums_(PairwiseSums::numbers * static_cast<std::size_t>(tiles_)) {
  const bool stored = products == Products::stored;
  if (stored && slab.is_divided()) throw std::invalid_argument("stored blocks are for one process");
  const auto stride = static_cast<std::size_t>(mesh_.stride);
  for (Field* vector : {&q_, &w_, &b_, &x_, &r_, &shadow_, &p_, &v_, &t_}) *vector = Field(5 * stride, mesh_.origin);
  (stored ? blocks_ : strength_) = Field((stored ? entries : 3) * stride, mesh_.origin);
  for_tiles([&](int number, int first, int) {  // first touched by the thread that works there
    for (Field* vector : {&q_, &w_, &b_, &x_, &r_, &shadow_, &p_, &v_, &t_})
      for (int c = 0; c < 5; ++c) std::fill_n(vector->at(c * mesh_.stride + first), tile, 0.0);
    if (stored)
      std::fill_n(blocks_.data() + static_cast<std::size_t>(number) * entries * tile, entries * tile, 0.0);
    else
      for (int d = 0; d < 3; ++d) std::fill_n(strength_.at(d * mesh_.stride + first), tile, 0.0);
  });
  if (!slab.is_divided()) return;
  // The mesh has whole planes, of which the halo may fill a part: what a tile computes from the rest is not used.
  for (Field* vector : {&q_, &w_, &x_, &p_, &r_}) std::fill_n(vector->data(), 5 * stride, 0.0);
  std::fill_n(strength_.data(), 3 * stride, 0.0);
}

double SlabSolver::bytes(double points, Products products) {
  const int rows = products == Products::stored ? entries : 3;
  return points * 8 * (rows + 5 * 9) + (1 << 20);
}

void SlabSolver::product(const double* x, double* y, int number) const {
  if (products_ == Products::stored)
    kernels_.multiply(mesh_, blocks_.data(), x, y, number);
  else
    without_blocks_(mesh_, m_, weights_, w_.data(), strength_.data(), x, y, number);
}

template <class Body>
void SlabSolver::for_tiles_after_halo(Field& vector, const Body& body) {
  if (!slab_.is_divided()) return for_tiles(body);
  constexpr std::int64_t chunk = 256;  // a millisecond of products
  slab_.start(vector.data(), 1);
  const comm::Range inner = slab_.inner_tiles();
  for (std::int64_t at = inner.begin; at < inner.end; at += chunk) {
    for_tiles({at, std::min(at + chunk, inner.end)}, body);
    slab_.progress();
  }
  slab_.finish();
  for_tiles({0, std::min<std::int64_t>(inner.begin, tiles_)}, body);
  for_tiles({inner.end, tiles_}, body);
}

template <class Body>
void SlabSolver::for_values(int first, int count, const Body& body) const {
  for (int c = 0; c < 5; ++c)
    for (int at = c * mesh_.stride + first; at < c * mesh_.stride + first + count; ++at) body(at);
}

void SlabSolver::dots(const Field& t, const Field& s, const Field& h, int number, int first, int count) {
  kernels_.dots(t.at(first), s.at(first), h.at(first), mesh_.stride, count,
                sums_.data() + PairwiseSums::numbers * static_cast<std::size_t>(number));
}

void SlabSolver::compute_specific(int at) {
  double own[5];
  for (int c = 0; c < 5; ++c) own[c] = q_[c * mesh_.stride + at];
  store(specific(own), w_.data(), mesh_.stride, at);
}

double SlabSolver::time_step() {
  std::vector<double> fastest(static_cast<std::size_t>(tiles_), 0.0);
  slab_.start(q_.data(), halo_planes);
  for_tiles([&](int number, int first, int count) {
    for (int at = first; at < first + count; ++at) {
      compute_specific(at);
      const auto own = [&](int c) { return w_[c * mesh_.stride + at]; };
      auto& most = fastest[static_cast<std::size_t>(number)];
      most = std::max(most, rate(m_, {{own(0), own(1), own(2)}, own(3), own(4)}));
    }
  });
  slab_.finish();
  if (slab_.is_divided()) {
    const int end = mesh_.origin + slab_.count(), width = halo_planes * slab_.plane();
    for (int at = 0; at < width; ++at) {
      compute_specific(mesh_.origin - width + at);
      compute_specific(end + at);
    }
  }
  if (m_.dt > 0) return m_.dt;
  return m_.cfl / slab_.maximum(*std::max_element(fastest.begin(), fastest.end()));
}

double SlabSolver::begin(double dt) {
  auto began = Clock::now();
  weights_ = weights_of(m_, dt);
  if (slab_.is_divided()) {
    // Faces of a plane on each side are needed, too: the face before a point is that after its neighbour.
    TileMesh around = mesh_;
    around.origin -= slab_.plane();
    const int points = slab_.count() + 2 * slab_.plane();
    for (int number = 0; number * tile < points; ++number)
      systems_.strengths(around, m_, q_.data(), w_.data(), strength_.data(), number);
  } else {
    for_tiles([&](int number, int, int) {
      if (products_ == Products::stored)
        systems_.blocks(mesh_, m_, weights_, q_.data(), w_.data(), blocks_.data(), number);
      else
        systems_.strengths(mesh_, m_, q_.data(), w_.data(), strength_.data(), number);
    });
  }
  spent_.blocks += seconds_since(began);
  began = Clock::now();
  for_tiles([&](int number, int first, int count) {
    systems_.right_hand_side(mesh_, m_, dt, q_.data(), w_.data(), b_.data(), number);
    for_values(first, count, [&](int at) {
      r_[at] = shadow_[at] = p_[at] = b_[at];
      x_[at] = 0;
    });
    dots(r_, r_, r_, number, first, count);
  });
  double squares;
  total(1, &squares);
  spent_.right_hand_side += seconds_since(began);
  return squares;
}

StopReason SlabSolver::bicgstab(StepRecord& record) {
  const double max_squares = problem_.max_squared_residual;
  double rho = record.right_hand_side, rr = rho;
  StopReason stop_reason = StopReason::done;
  while (rr > max_squares) {
    if (record.iterations == problem_.max_iterations) {
      stop_reason = StopReason::iteration_limit;
      break;
    }
    double s[5];
    for_tiles_after_halo(p_, [&](int number, int first, int count) {
      product(p_.data(), v_.data(), number);
      dots(v_, shadow_, shadow_, number, first, count);
    });
    total(1, s);
    const double alpha = rho / s[0];
    for_tiles(
        [&](int, int first, int count) { kernels_.subtract(alpha, v_.at(first), r_.at(first), mesh_.stride, count); });
    for_tiles_after_halo(r_, [&](int number, int first, int count) {
      product(r_.data(), t_.data(), number);
      dots(t_, r_, shadow_, number, first, count);
    });
    total(5, s);
    const double omega = s[1] > 0 ? s[0] / s[1] : 0, before = rho;
    rr = std::max(s[2] - omega * s[0], 0.0);
    rho = s[3] - omega * s[4];
    const double beta = rho / before * (alpha / omega);
    ++record.iterations;
    for_tiles([&](int, int first, int count) {
      const IterationVectors vectors = {v_.at(first), t_.at(first), x_.at(first), r_.at(first), p_.at(first)};
      kernels_.end_iteration(alpha, omega, beta, vectors, mesh_.stride, count);
    });
    if (!std::isfinite(rr) || !std::isfinite(alpha) ||
        (rr > max_squares && (!std::isfinite(beta) || rho == 0 || omega == 0))) {
      stop_reason = StopReason::breakdown;
      break;
    }
  }
  record.residual = rr;
  return stop_reason;
}

std::int64_t SlabSolver::finish(StepRecord& record) {
  std::atomic<int> bad{mesh_.points};
  for_tiles_after_halo(x_, [&](int number, int first, int count) {
    product(x_.data(), r_.data(), number);
    for_values(first, count, [&](int at) { r_[at] = b_[at] - r_[at]; });
    dots(x_, r_, r_, number, first, count);
    for (int at = first; at < first + count; ++at) {
      double own[5];
      for (int c = 0; c < 5; ++c) own[c] = q_[c * mesh_.stride + at] + x_[c * mesh_.stride + at];
      const double pressure = own[4] - 0.5 * (own[1] * own[1] + own[2] * own[2] + own[3] * own[3]) / own[0];
      if (own[0] > 0 && pressure > 0 && std::isfinite(own[0]) && std::isfinite(pressure)) continue;
      for (int known = bad; at < known && !bad.compare_exchange_weak(known, at);) {
      }
      break;
    }
  });
  double squares[3];
  total(3, squares);
  record.change = std::sqrt(squares[1]);
  record.true_residual = squares[2];
  return slab_.minimum(bad == mesh_.points ? no_point : slab_.points().begin + (bad - mesh_.origin));
}

void SlabSolver::commit() {
  for_tiles([&](int, int first, int count) { for_values(first, count, [&](int at) { q_[at] += x_[at]; }); });
}

void SlabSolver::describe(std::int64_t point, History& history) {
  double own[5] = {};
  const comm::Range& points = slab_.points();
  if (point >= points.begin && point < points.end) {
    const int at = mesh_.origin + static_cast<int>(point - points.begin);
    for (int c = 0; c < 5; ++c) own[c] = q_[c * mesh_.stride + at] + x_[c * mesh_.stride + at];
  }
  slab_.broadcast_from_owner(point, own);
  history.point = point;
  history.density = own[0];
  history.pressure = pressure_of(problem_.gas, own);
}

History SlabSolver::run(int steps) {
  spent_ = {};
  History history;
  for (int taken = 0; taken < steps && history.stop_reason == StopReason::done; ++taken) {
    StepRecord record;
    record.dt = time_step();
    record.right_hand_side = begin(record.dt);
    const auto began = Clock::now();
    history.stop_reason = std::isfinite(record.right_hand_side) ? bicgstab(record) : StopReason::not_admissible;
    spent_.bicgstab += seconds_since(began);
    const std::int64_t bad = finish(record);
    if (history.stop_reason != StopReason::done) {
      record.change = 0;
    } else if (bad != no_point) {
      history.stop_reason = StopReason::not_admissible;
      describe(bad, history);
    } else {
      commit();
      time += record.dt;
      ++step;
    }
    history.steps.push_back(record);
  }
  return history;
}

}  // namespace speedwell::blast_wave
