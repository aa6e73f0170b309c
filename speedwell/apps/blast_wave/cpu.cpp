// The blast wave on all cores: tiles of 32 points, three passes over them per iteration, and reductions whose result
// does not depend on the number of threads. Products are computed from the state, or from stored blocks. The iteration
// is that of gpu/device.hpp.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cmath>

#include "speedwell/apps/blast_wave/blast_wave.hpp"
#include "speedwell/apps/blast_wave/point.hpp"
#include "speedwell/apps/blast_wave/tiles.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::blast_wave {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

struct CpuSolver::Data {
  using Buffer = core::HostBuffer<double>;
  Problem problem;
  Medium m;
  TileMesh mesh;
  TileKernels kernels;
  SystemKernels systems;
  ProductOfTile* without_blocks;
  Products products;
  int threads, tiles;
  double time = 0;
  std::int64_t step = 0;
  Weights weights{};  // of the last step
  Buffer q, w, b, x, r, shadow, p, v, t;
  Buffer blocks, strength;   // one of the two is used, depending on `products`
  std::vector<double> sums;  // five of each tile
  Parts spent;

  Data(const Problem& chosen, int wanted, Products how)
      : problem(chosen),
        m(medium_of(chosen)),
        mesh{{m.extent[0], m.extent[1], m.extent[2]}, m.points, m.stride},
        kernels(tile_kernels(core::best_isa())),
        systems(system_kernels(core::best_isa())),
        without_blocks(product_kernel(core::best_isa())),
        products(how),
        threads(core::resolve_threads(wanted)),
        tiles(m.stride / tile),
        sums(5 * static_cast<std::size_t>(tiles)) {
    const std::size_t n = 5 * static_cast<std::size_t>(m.stride);
    for (Buffer* vector : {&q, &w, &b, &x, &r, &shadow, &p, &v, &t}) *vector = Buffer(n, core::Pages::large);
    const bool stored = products == Products::stored;
    const std::size_t rows = stored ? entries : 3;
    (stored ? blocks : strength) = Buffer(rows * static_cast<std::size_t>(m.stride), core::Pages::large);
    for_tiles([&](int number, int, int) {  // first touched by the thread that works there
      for (Buffer* vector : {&q, &w, &b, &x, &r, &shadow, &p, &v, &t})
        for (int c = 0; c < 5; ++c) std::fill_n(vector->data() + c * m.stride + number * tile, tile, 0.0);
      if (stored)
        std::fill_n(blocks.data() + static_cast<std::size_t>(number) * entries * tile, entries * tile, 0.0);
      else
        for (int d = 0; d < 3; ++d) std::fill_n(strength.data() + d * m.stride + number * tile, tile, 0.0);
    });
  }

  /// y = A x for a tile.
  void product(const double* from, double* to, int number) const {
    if (products == Products::stored)
      kernels.multiply(mesh, blocks.data(), from, to, number);
    else
      without_blocks(mesh, m, weights, w.data(), strength.data(), from, to, number);
  }
  /// Calls body(tile, first point, number of points) for all tiles.
  template <class Body>
  void for_tiles(const Body& body) const {
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1 && tiles > 64)
    for (int number = 0; number < tiles; ++number)
      body(number, number * tile, std::min(tile, m.points - number * tile));
  }
  template <class Body>
  void for_points(const Body& body) const {
    for_tiles([&](int, int first, int count) {
      for (int p_ = first; p_ < first + count; ++p_) body(p_);
    });
  }
  /// Adds the partial sums of all tiles pairwise.
  void total(double result[5]) const {
    std::vector<double> level = sums;
    for (std::size_t n = static_cast<std::size_t>(tiles); n > 1; n = (n + 1) / 2)
      for (std::size_t i = 0; i < (n + 1) / 2; ++i)
        for (std::size_t c = 0; c < 5; ++c)
          level[5 * i + c] = level[10 * i + c] + (2 * i + 1 < n ? level[10 * i + 5 + c] : 0.0);
    std::copy_n(level.begin(), 5, result);
  }
  void dots(const Buffer& one, const Buffer& two, const Buffer& three, int number, int first, int count) {
    kernels.dots(one.data() + first, two.data() + first, three.data() + first, m.stride, count,
                 sums.data() + 5 * static_cast<std::size_t>(number));
  }
  template <class Body>
  void for_values(int first, int count, const Body& body) const {
    for (int c = 0; c < 5; ++c)
      for (int at = c * m.stride + first; at < c * m.stride + first + count; ++at) body(static_cast<std::size_t>(at));
  }

  double step_in_time() {
    std::vector<double> fastest(static_cast<std::size_t>(tiles), 0.0);
    for_tiles([&](int number, int first, int count) {
      for (int at = first; at < first + count; ++at) {
        double own[5];
        for (int c = 0; c < 5; ++c) own[c] = q[static_cast<std::size_t>(c * m.stride + at)];
        const Specific s = specific(own);
        const double made[] = {s.u[0], s.u[1], s.u[2], s.energy, s.volume};
        for (int c = 0; c < 5; ++c) w[static_cast<std::size_t>(c * m.stride + at)] = made[c];
        auto& most = fastest[static_cast<std::size_t>(number)];
        most = std::max(most, rate(m, s));
      }
    });
    return m.dt > 0 ? m.dt : m.cfl / *std::max_element(fastest.begin(), fastest.end());
  }

  double begin(double dt) {
    auto began = Clock::now();
    weights = weights_of(m, dt);
    for_tiles([&](int number, int, int) {
      if (products == Products::stored)
        systems.blocks(mesh, m, weights, q.data(), w.data(), blocks.data(), number);
      else
        systems.strengths(mesh, m, q.data(), w.data(), strength.data(), number);
    });
    spent.blocks += seconds_since(began);
    began = Clock::now();
    for_tiles([&](int number, int first, int count) {
      systems.right_hand_side(mesh, m, dt, q.data(), w.data(), b.data(), number);
      for_values(first, count, [&](std::size_t at) {
        r[at] = shadow[at] = p[at] = b[at];
        x[at] = 0;
      });
      dots(r, r, r, number, first, count);
    });
    double squares[5];
    total(squares);
    spent.right_hand_side += seconds_since(began);
    return squares[0];
  }

  /// Solves for x from r = r^ = p = b, with the sums that gpu/device.hpp explains.
  StopReason bicgstab(StepRecord& record) {
    double rho = record.right_hand_side, rr = rho;
    StopReason stop_reason = StopReason::done;
    while (rr > problem.max_squared_residual) {
      if (record.iterations == problem.max_iterations) {
        stop_reason = StopReason::iteration_limit;
        break;
      }
      double s[5];
      for_tiles([&](int number, int first, int count) {
        product(p.data(), v.data(), number);
        dots(v, shadow, shadow, number, first, count);
      });
      total(s);
      const double alpha = rho / s[0];
      for_tiles([&](int, int first, int count) {
        for_values(first, count, [&](std::size_t at) { r[at] -= alpha * v[at]; });
      });
      for_tiles([&](int number, int first, int count) {
        product(r.data(), t.data(), number);
        dots(t, r, shadow, number, first, count);
      });
      total(s);
      const double omega = s[1] > 0 ? s[0] / s[1] : 0, before = rho;
      rr = std::max(s[2] - omega * s[0], 0.0);
      rho = s[3] - omega * s[4];
      const double beta = rho / before * (alpha / omega);
      ++record.iterations;
      for_tiles([&](int, int first, int count) {
        for_values(first, count, [&](std::size_t at) {
          x[at] += alpha * p[at] + omega * r[at];
          r[at] -= omega * t[at];
          p[at] = r[at] + beta * (p[at] - omega * v[at]);
        });
      });
      if (!std::isfinite(rr) || !std::isfinite(alpha) ||
          (rr > problem.max_squared_residual && (!std::isfinite(beta) || rho == 0 || omega == 0))) {
        stop_reason = StopReason::breakdown;
        break;
      }
    }
    record.residual = rr;
    return stop_reason;
  }
  /// |b - A x|^2; r is overwritten.
  double true_residual() {
    for_tiles([&](int number, int first, int count) {
      product(x.data(), r.data(), number);
      for_values(first, count, [&](std::size_t at) { r[at] = b[at] - r[at]; });
      dots(r, r, r, number, first, count);
    });
    double squares[5];
    total(squares);
    return squares[0];
  }

  /// Adds the change to q if all points stay admissible. Returns the first point that would not, or INT_MAX.
  int commit(StepRecord& record) {
    for_tiles([&](int number, int first, int count) { dots(x, x, x, number, first, count); });
    double squares[5];
    total(squares);
    record.change = std::sqrt(squares[0]);
    std::atomic<int> bad{INT_MAX};
    for_points([&](int at) {
      double own[5];
      for (int c = 0; c < 5; ++c) {
        const auto from = static_cast<std::size_t>(c * m.stride + at);
        own[c] = q[from] + x[from];
      }
      const double pressure = own[4] - 0.5 * (own[1] * own[1] + own[2] * own[2] + own[3] * own[3]) / own[0];
      if (own[0] > 0 && pressure > 0 && std::isfinite(own[0]) && std::isfinite(pressure)) return;
      for (int known = bad; at < known && !bad.compare_exchange_weak(known, at);) {
      }
    });
    if (bad == INT_MAX)
      for_tiles([&](int, int first, int count) { for_values(first, count, [&](std::size_t at) { q[at] += x[at]; }); });
    return bad;
  }
};

CpuSolver::CpuSolver(const Problem& problem, int threads, Products products) {
  require_valid(problem);
  data_ = std::make_unique<Data>(problem, threads, products);
}

void CpuSolver::set(const State& state) {
  Data& d = *data_;
  require_admissible(d.problem, state);
  const auto n = static_cast<std::size_t>(d.m.points);
  d.for_points([&](int at) {
    for (int c = 0; c < 5; ++c)
      d.q[static_cast<std::size_t>(c * d.m.stride + at)] =
          state.q[static_cast<std::size_t>(c) * n + static_cast<std::size_t>(at)];
  });
  d.time = state.time;
  d.step = state.step;
}

void CpuSolver::get(State& state) const {
  const Data& d = *data_;
  const auto n = static_cast<std::size_t>(d.m.points);
  state.extents = d.problem.extents;
  state.q.resize(5 * n);
  d.for_points([&](int at) {
    for (int c = 0; c < 5; ++c)
      state.q[static_cast<std::size_t>(c) * n + static_cast<std::size_t>(at)] =
          d.q[static_cast<std::size_t>(c * d.m.stride + at)];
  });
  state.time = d.time;
  state.step = d.step;
}

History CpuSolver::run(int steps) {
  Data& d = *data_;
  d.spent = {};
  History history;
  for (int step = 0; step < steps && history.stop_reason == StopReason::done; ++step) {
    StepRecord record;
    record.dt = d.step_in_time();
    record.right_hand_side = d.begin(record.dt);
    const auto began = Clock::now();
    history.stop_reason = std::isfinite(record.right_hand_side) ? d.bicgstab(record) : StopReason::not_admissible;
    d.spent.bicgstab += seconds_since(began);
    record.true_residual = d.true_residual();
    if (history.stop_reason == StopReason::done) {
      if (const int bad = d.commit(record); bad != INT_MAX) {
        history.stop_reason = StopReason::not_admissible;
        history.point = bad;
        double own[5];
        for (int c = 0; c < 5; ++c) {
          const auto at = static_cast<std::size_t>(c * d.m.stride + bad);
          own[c] = d.q[at] + d.x[at];
        }
        history.density = own[0];
        history.pressure = pressure_of(d.problem.gas, own);
      } else {
        d.time += record.dt;
        ++d.step;
      }
    }
    history.steps.push_back(record);
  }
  return history;
}

CpuSolver::Parts CpuSolver::seconds() const { return data_->spent; }

void CpuSolver::multiply(const double* x, double* y) const {
  const Data& d = *data_;
  d.for_tiles([&](int number, int, int) { d.product(x, y, number); });
}
std::size_t CpuSolver::stride() const { return static_cast<std::size_t>(data_->m.stride); }

double CpuSolver::host_bytes(const Extents& e, Products products) {
  const int rows = products == Products::stored ? entries : 3;
  return static_cast<double>(rounded(e.points())) * 8 * (rows + 5 * 9) + (1 << 20);
}

}  // namespace speedwell::blast_wave
