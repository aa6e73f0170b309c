// Steps from moments to moments on all cores: strips of rows march along z (cpu_march.hpp). A first march with g alone
// computes phi.
#include <algorithm>
#include <utility>
#include <vector>

#include "speedwell/apps/binary_fluid/cpu/cpu_lattice.hpp"
#include "speedwell/apps/binary_fluid/cpu/cpu_march.hpp"
#include "speedwell/apps/binary_fluid/cpu/cpu_moments.hpp"
#include "speedwell/apps/binary_fluid/lattice/in_place.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/core/team_member.hpp"

namespace speedwell::binary_fluid {
namespace {

int around(int at, int n) { return at < 0 ? at + n : at >= n ? at - n : at; }

template <class S, class R>
class MomentLattice final : public CpuSolver::Lattice {
 public:
  MomentLattice(const Problem& problem, int threads, core::Isa isa)
      : problem_(problem),
        box_(problem),
        coefficients_(problem),
        kernels_(moment_kernels<S, R>(isa)),
        threads_(core::resolve_threads(threads)),
        sites_(problem.extents.sites()),
        stride_(slot_stride(sites_, sizeof(S))),
        pitch_(row_pitch(problem.extents.nx)),
        f_(slots(), core::Pages::large),
        g_(slots(), core::Pages::large),
        phi_(static_cast<std::size_t>(pitch_ * problem.extents.ny * problem.extents.nz), core::Pages::large) {
    const MarchScratch<R> needed(problem.extents.nx);
    rows_ = needed.rows;
    scratch_size_ = needed.size;
    scratch_ = core::HostBuffer<R>(static_cast<std::size_t>(scratch_size_ * threads_), core::Pages::large);
    each_row([&](int j, int k) {  // first touched by the thread that works there
      for (int p = 0; p < velocities; ++p) {
        std::fill_n(f_.data() + p * stride_ + first_of(j, k), box_.n[0], S(0));
        std::fill_n(g_.data() + p * stride_ + first_of(j, k), box_.n[0], S(0));
      }
      std::fill_n(phi_.data() + (j + std::int64_t{box_.n[1]} * k) * pitch_, pitch_, R(0));
    });
    core::parallel_for(scratch_.size(), sizeof(R), threads_, [&](std::size_t begin, std::size_t end) {
      std::fill(scratch_.data() + begin, scratch_.data() + end, R(0));
    });
  }

  void set(const State& state) override {
    require_extents(problem_, state);
    step_ = state.step;
    collided_ = false;
    each_row([&](int j, int k) {
      for (std::int64_t p = 0; p < velocities; ++p)
        for (std::int64_t i = first_of(j, k); i < first_of(j, k) + box_.n[0]; ++i) {
          f_[static_cast<std::size_t>(p * stride_ + i)] =
              static_cast<S>(state.f[static_cast<std::size_t>(p * sites_ + i)]);
          g_[static_cast<std::size_t>(p * stride_ + i)] =
              static_cast<S>(state.g[static_cast<std::size_t>(p * sites_ + i)]);
        }
    });
  }

  void run(int steps) override {
    for (int step = 0; step < steps; ++step, ++step_) {
      if (collided_) {
        march<false>();
        march<true>();
        std::swap(f_, g_);
        continue;
      }
      each_row([&](int j, int k) {
        kernels_.first_phi(box_.n[0], Ghosts::periodic, g_.data() + first_of(j, k), stride_, phi_row(j, k));
      });
      each_row([&](int j, int k) {
        kernels_.first_step(coefficients_, box_.n[0], f_.data() + first_of(j, k), g_.data() + first_of(j, k), stride_,
                            stack_of(j, k));
      });
      collided_ = true;
    }
  }

  /// Computes the populations that arrive at each site from what its neighbours send.
  void get(State& state) const override {
    state.extents = problem_.extents;
    state.step = step_;
    state.f.resize(static_cast<std::size_t>(velocities * sites_));
    state.g.resize(state.f.size());
    each_row([&](int j, int k) {
      if (!collided_) {
        for (std::int64_t p = 0; p < velocities; ++p)
          for (std::int64_t i = first_of(j, k); i < first_of(j, k) + box_.n[0]; ++i) {
            state.f[static_cast<std::size_t>(p * sites_ + i)] =
                static_cast<double>(f_[static_cast<std::size_t>(p * stride_ + i)]);
            state.g[static_cast<std::size_t>(p * sites_ + i)] =
                static_cast<double>(g_[static_cast<std::size_t>(p * stride_ + i)]);
          }
        return;
      }
      std::vector<R> rows(static_cast<std::size_t>(2 * velocities * pitch_));
      R *const f = rows.data() + row_margin, *const g = f + velocities * pitch_;
      kernels_.leave(coefficients_, box_.n[0], Ghosts::periodic, f_.data() + first_of(j, k), stride_, f, g);
      for (int p = 0; p < velocities; ++p) {
        const std::int64_t to =
            p * sites_ + first_of(around(j + lattice::c(p, 1), box_.n[1]), around(k + lattice::c(p, 2), box_.n[2]));
        const std::int64_t from = p * pitch_ - lattice::c(p, 0);
        for (int i = 0; i < box_.n[0]; ++i) {
          // Rounds as the in-place lattice stores them.
          state.f[static_cast<std::size_t>(to + i)] = static_cast<double>(static_cast<S>(f[from + i]));
          state.g[static_cast<std::size_t>(to + i)] = static_cast<double>(static_cast<S>(g[from + i]));
        }
      }
    });
  }

 private:
  std::size_t slots() const { return static_cast<std::size_t>(velocities * stride_ + row_margin); }
  std::int64_t first_of(int j, int k) const { return std::int64_t{box_.n[0]} * (j + std::int64_t{box_.n[1]} * k); }
  R* phi_row(int j, int k) { return phi_.data() + (j + std::int64_t{box_.n[1]} * k) * pitch_ + row_margin; }

  template <class Body>
  void each_row(const Body& body) const {
    const int rows = box_.n[1] * box_.n[2];
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int row = 0; row < rows; ++row) body(row % box_.n[1], row / box_.n[1]);
  }

  Stack<R> stack_of(int j, int k) const {
    Stack<R> stack;
    for (int y = 0; y < 3; ++y)
      for (int z = 0; z < 3; ++z) {
        const std::int64_t row = around(j + y - 1, box_.n[1]) + std::int64_t{box_.n[1]} * around(k + z - 1, box_.n[2]);
        stack.row[y][z] = phi_.data() + row * pitch_ + row_margin;
      }
    return stack;
  }

  /// The rows of a march.
  struct Rows {
    MomentLattice& of;
    int n;
    Ghosts ghosts;
    std::int64_t stride;
    bool streaming;
    const S* collided(int j, int k) const {
      return of.f_.data() + of.first_of(around(j, of.box_.n[1]), around(k, of.box_.n[2]));
    }
    S* next(int j, int k) const { return of.g_.data() + of.first_of(j, k); }
    R* phi(int j, int k) const { return of.phi_row(j, k); }
    Stack<R> stack(int j, int k) const { return of.stack_of(j, k); }
    void plane_done() const {}
  };

  // Threads with adjacent strips along y march along z together, so that the rows next to a strip are in their shared
  // cache; if there are few rows, the planes are divided among the threads instead.
  template <bool whole>
  void march() {
#pragma omp parallel num_threads(threads_)
    {
      const core::TeamMember member = core::team_member();
      const int thread = member.index, count = member.size;
      const std::int64_t ny = box_.n[1], nz = box_.n[2];
      const bool rows = ny >= 4 * count;
      const auto share = [&](std::int64_t n, bool divided, int at) {
        return static_cast<int>(divided ? n * at / count : at == thread ? 0 : n);
      };
      const int j0 = share(ny, rows, thread), j1 = share(ny, rows, thread + 1);
      const int k0 = share(nz, !rows, thread), k1 = share(nz, !rows, thread + 1);
      const int strips = (j1 - j0 + rows_ - 1) / rows_;
      R* const scratch = scratch_.data() + thread * scratch_size_ + row_margin;
      const Rows in{*this, box_.n[0], Ghosts::periodic, stride_, streams<S>(box_.n[0], static_cast<double>(sites_))};
      for (int strip = 0; strip < strips && k0 < k1; ++strip)
        march_strip<whole>(coefficients_, kernels_, in,
                           Strip{j0 + (j1 - j0) * strip / strips, j0 + (j1 - j0) * (strip + 1) / strips, k0, k1},
                           scratch);
      if (whole) kernels_.fence();
    }
  }

  Problem problem_;
  Domain box_;
  Coefficients<R> coefficients_;
  MomentKernels<S, R> kernels_;
  int threads_, rows_ = 0;
  std::int64_t sites_, stride_, pitch_, scratch_size_ = 0;
  /// Before the first step: populations. After it: collided sites in the first fifteen slots of f_, those of the next
  /// step in g_.
  core::HostBuffer<S> f_, g_;
  core::HostBuffer<R> phi_, scratch_;
  std::int64_t step_ = 0;
  bool collided_ = false;
};

}  // namespace

std::unique_ptr<CpuSolver::Lattice> lattice_of_moments(const Problem& problem, Precision precision, int threads,
                                                       core::Isa isa) {
  switch (precision) {
    case Precision::f64:
      return std::make_unique<MomentLattice<double, double>>(problem, threads, isa);
    case Precision::f32:
      return std::make_unique<MomentLattice<float, float>>(problem, threads, isa);
    case Precision::mixed:
      break;
  }
  return std::make_unique<MomentLattice<float, double>>(problem, threads, isa);
}

}  // namespace speedwell::binary_fluid
