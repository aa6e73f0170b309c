// Steps row by row: phi of every site, then collision and propagation in place (in_place.hpp).
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "speedwell/apps/binary_fluid/binary_fluid.hpp"
#include "speedwell/apps/binary_fluid/cpu/cpu_lattice.hpp"
#include "speedwell/apps/binary_fluid/cpu/cpu_rows.hpp"
#include "speedwell/apps/binary_fluid/cpu/cpu_wall_terms.hpp"
#include "speedwell/apps/binary_fluid/lattice/in_place.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::binary_fluid {

template <class S, class R>
class CpuSolver::LatticeIn final : public CpuSolver::Lattice {
 public:
  LatticeIn(const Problem& problem, int threads, core::Isa isa)
      : problem_(problem),
        box_(problem),
        coefficients_(problem),
        kernels_(row_kernels<S, R>(isa)),
        threads_(core::resolve_threads(threads)),
        sites_(problem.extents.sites()),
        stride_(slot_stride(sites_, sizeof(S))),
        f_(static_cast<std::size_t>(velocities * stride_), core::Pages::large),
        g_(static_cast<std::size_t>(velocities * stride_), core::Pages::large),
        phi_(static_cast<std::size_t>(sites_)) {
    if (coefficients_.brazovskii) laplacian_ = core::HostBuffer<R>(static_cast<std::size_t>(sites_));
    for (const auto& axis : box_.push)
      for (const auto& wall : axis)
        for (const double component : wall) moving_ = moving_ || component != 0;
  }

  void set(const State& state) override {
    require_extents(problem_, state);
    step_ = state.step;
    odd_ = false;
    each_row([&](int j, int k) {
      const std::int64_t first = std::int64_t{box_.n[0]} * (j + std::int64_t{box_.n[1]} * k);
      for (std::int64_t p = 0; p < velocities; ++p)
        for (std::int64_t i = first; i < first + box_.n[0]; ++i) {
          f_[static_cast<std::size_t>(p * stride_ + i)] =
              static_cast<S>(state.f[static_cast<std::size_t>(p * sites_ + i)]);
          g_[static_cast<std::size_t>(p * stride_ + i)] =
              static_cast<S>(state.g[static_cast<std::size_t>(p * sites_ + i)]);
        }
    });
  }

  void run(int steps) override {
    const bool slabs = !coefficients_.brazovskii && box_.n[2] >= 4 * threads_;
    for (int step = 0; step < steps; ++step) {
      if (slabs)
        step_in_slabs();
      else
        step_in_passes();
      odd_ = !odd_;
      ++step_;
    }
  }

  void get(State& state) const override {
    state.extents = problem_.extents;
    state.step = step_;
    state.f.resize(static_cast<std::size_t>(velocities * sites_));
    state.g.resize(state.f.size());
    each_row([&](int j, int k) {
      for (int i = 0; i < box_.n[0]; ++i) {
        const Surroundings around(box_, i, j, k);
        for (int p = 0; p < velocities; ++p) {
          const auto from = static_cast<std::size_t>(around.index(p, odd_, stride_));
          const auto to = static_cast<std::size_t>(p * sites_ + around.near.site(0, 0, 0));
          state.f[to] = static_cast<double>(f_[from]);
          state.g[to] = static_cast<double>(g_[from]);
        }
      }
    });
  }

 private:
  void step_in_passes() {
    each_row([&](int j, int k) { kernels_.phi(row_of(j, k), phi_.data() + first_of(j, k)); });
    if (coefficients_.brazovskii)
      each_row([&](int j, int k) {
        kernels_.laplacian(coefficients_.stencil(), box_.n[0], row_ends(), stack_of(phi_.data(), j, k),
                           laplacian_.data() + first_of(j, k));
      });
    each_row([&](int j, int k) {
      const Stack<R> second = coefficients_.brazovskii ? stack_of(laplacian_.data(), j, k) : Stack<R>{};
      kernels_.collide(coefficients_, row_of(j, k), stack_of(phi_.data(), j, k), second);
    });
  }

  // One pass over memory: each thread computes phi one plane ahead of its collisions, a few rows at a time, so that the
  // populations are still in its cache. The slots of a row are read and written by no other row, so that rows may go in
  // any order.
  void step_in_slabs() {
    const int ny = box_.n[1];
    const auto row_bytes = static_cast<std::int64_t>(2 * velocities * sizeof(S)) * box_.n[0];
    const int rows = static_cast<int>(std::clamp<std::int64_t>((std::int64_t{1} << 20) / row_bytes, 4, 64));
    core::HostBuffer<R>& phi = phi_;
    const auto make_phi = [&](int j, int k) { kernels_.phi(row_of(j, k), phi.data() + first_of(j, k)); };
#pragma omp parallel num_threads(threads_)
    {
      const auto [k0, k1] = planes_of_thread();
      for (int k = k0; k < k1; k += std::max(k1 - 1 - k0, 1))
        for (int j = 0; j < ny; ++j) make_phi(j, k);
#pragma omp barrier
      for (int y0 = 0; y0 < ny; y0 += rows) {
        const int y1 = std::min(y0 + rows, ny);
        for (int k = k0; k < k1; ++k) {
          if (k + 1 < k1 - 1) {
            // phi is needed of one row more than collide; the first rows need the last one, too.
            for (int j = y0 == 0 ? 0 : y0 + 1; j < std::min(y1 + 1, ny - 1); ++j) make_phi(j, k + 1);
            if (y0 == 0) make_phi(ny - 1, k + 1);
          }
          for (int j = y0; j < y1; ++j)
            kernels_.collide(coefficients_, row_of(j, k), stack_of(phi.data(), j, k), Stack<R>{});
        }
      }
    }
  }
  std::pair<int, int> planes_of_thread() const {
    int thread = 0, count = 1;
#ifdef _OPENMP
    thread = omp_get_thread_num();
    count = omp_get_num_threads();
#endif
    const std::int64_t nz = box_.n[2];
    return {static_cast<int>(nz * thread / count), static_cast<int>(nz * (thread + 1) / count)};
  }

  std::int64_t first_of(int j, int k) const { return std::int64_t{box_.n[0]} * (j + std::int64_t{box_.n[1]} * k); }

  template <class Body>
  void each_row(const Body& body) const {
    const int rows = box_.n[1] * box_.n[2];
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int row = 0; row < rows; ++row) body(row % box_.n[1], row / box_.n[1]);
  }

  RowEnds row_ends() const {
    const RowEnd both = box_.walls[0] ? RowEnd::wall : RowEnd::periodic;
    return {both, both};
  }

  Stack<R> stack_of(const R* field, int j, int k) const {
    const Near near(box_, 0, j, k);
    Stack<R> stack;
    for (int y = 0; y < 3; ++y)
      for (int z = 0; z < 3; ++z) stack.row[y][z] = field + near.y[y] + near.z[z];
    return stack;
  }

  Row<S> row_of(int j, int k) {
    Row<S> row;
    row.n = box_.n[0];
    row.ends = row_ends();
    // Only walls normal to y and z count here; walls normal to x concern the ends of the row.
    Domain across = box_;
    across.walls[0] = false;
    const Surroundings around(across, 0, j, k);
    const std::int64_t first = first_of(j, k);
    for (int p = 0; p < velocities; ++p) {
      const int y = -lattice::c(p, 1), z = -lattice::c(p, 2);
      const bool elsewhere = odd_ && !around.wall(0, y, z);
      const std::int64_t slot = elsewhere ? lattice::opposite(p) : p;
      const std::int64_t start = elsewhere ? std::int64_t{around.near.y[1 + y]} + around.near.z[1 + z] : first;
      row.shift[p] = static_cast<signed char>(elsewhere ? -lattice::c(p, 0) : 0);
      row.f_incoming[p] = f_.data() + slot * stride_ + start;
      row.g_incoming[p] = g_.data() + slot * stride_ + start;
      row.f_bounced[p] = f_.data() + p * stride_ + first;
      row.g_bounced[p] = g_.data() + p * stride_ + first;
    }
    if (moving_) add_wall_terms(around, box_, row);
    return row;
  }

  Problem problem_;
  Domain box_;
  Coefficients<R> coefficients_;
  RowKernels<S, R> kernels_;
  int threads_;
  std::int64_t sites_, stride_;
  core::HostBuffer<S> f_, g_;
  core::HostBuffer<R> phi_, laplacian_;
  std::int64_t step_ = 0;
  bool odd_ = false, moving_ = false;  // moving_: at least one wall moves
};

CpuSolver::CpuSolver(const Problem& problem, Precision precision, int threads, core::Isa isa, Method method) {
  require_valid(problem);
  if (method != Method::moments && method != Method::in_place)
    throw std::invalid_argument("binary_fluid: CpuSolver supports Method::moments and Method::in_place");
  if (method == Method::moments && choose(problem) == Method::moments) {
    lattice_ = lattice_of_moments(problem, precision, threads, isa);
    return;
  }
  switch (precision) {
    case Precision::f64:
      lattice_ = std::make_unique<LatticeIn<double, double>>(problem, threads, isa);
      break;
    case Precision::f32:
      lattice_ = std::make_unique<LatticeIn<float, float>>(problem, threads, isa);
      break;
    case Precision::mixed:
      lattice_ = std::make_unique<LatticeIn<float, double>>(problem, threads, isa);
      break;
  }
}

void CpuSolver::set(const State& state) { lattice_->set(state); }
void CpuSolver::run(int steps) { lattice_->run(steps); }
void CpuSolver::get(State& state) const { lattice_->get(state); }

double CpuSolver::host_bytes(const Problem& problem, Precision precision) {
  const auto sites = static_cast<double>(problem.extents.sites());
  const double kept = precision == Precision::f64 ? 8 : 4, computed = precision == Precision::f32 ? 4 : 8;
  const double fields = problem.fluid.energy.kind == FreeEnergy::Kind::brazovskii ? 2 : 1;
  const auto nx = static_cast<double>(problem.extents.nx);
  const double margins = 1 + 48 / nx;  // margins around rows of phi for the method of moments
  return sites * (2 * velocities * kept + fields * computed * margins);
}

}  // namespace speedwell::binary_fluid
