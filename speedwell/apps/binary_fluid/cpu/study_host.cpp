#include "speedwell/apps/binary_fluid/cpu/study_host.hpp"

#include <algorithm>

#include "speedwell/apps/binary_fluid/lattice/gradients.hpp"
#include "speedwell/apps/binary_fluid/lattice/lattice.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::binary_fluid {

template <class S>
StudyHost<S>::StudyHost(const Problem& problem, int threads)
    : extents_(problem.extents), stencil_(problem.scheme.stencil), threads_(core::resolve_threads(threads)) {
  const std::size_t n = sites_with_halo();
  sites.resize(2 * velocities * n);
  next_.resize(2 * velocities * n);
  differences.resize(4 * n);
  velocity.resize(3 * n);
  phi_.resize(n);
}

template <class S>
template <class Body>
void StudyHost<S>::each(const Body& body) const {
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (std::int64_t i = 0; i < extents_.nx; ++i)
    for (std::int64_t j = 0; j < extents_.ny; ++j)
      for (std::int64_t k = 0; k < extents_.nz; ++k) body(i, j, k);
}

template <class S>
void StudyHost<S>::set(const State& state) {
  const auto n = static_cast<std::size_t>(extents_.sites());
  each([&](std::int64_t i, std::int64_t j, std::int64_t k) {
    for (std::size_t p = 0; p < velocities; ++p) {
      sites[2 * velocities * at(i, j, k) + p] = static_cast<S>(state.f[p * n + extents_.at(i, j, k)]);
      sites[2 * velocities * at(i, j, k) + velocities + p] = static_cast<S>(state.g[p * n + extents_.at(i, j, k)]);
    }
  });
}

template <class S>
void StudyHost<S>::get(State& state) const {
  const auto n = static_cast<std::size_t>(extents_.sites());
  state.extents = extents_;
  state.f.resize(velocities * n);
  state.g.resize(velocities * n);
  each([&](std::int64_t i, std::int64_t j, std::int64_t k) {
    for (std::size_t p = 0; p < velocities; ++p) {
      state.f[p * n + extents_.at(i, j, k)] = static_cast<double>(sites[2 * velocities * at(i, j, k) + p]);
      state.g[p * n + extents_.at(i, j, k)] = static_cast<double>(sites[2 * velocities * at(i, j, k) + velocities + p]);
    }
  });
}

// Copies axis after axis, so that edges and corners are filled, too.
template <class S>
void StudyHost<S>::exchange(std::vector<S>& values, std::size_t width) const {
  const Extents& e = extents_;
  for (int d = 0; d < 3; ++d) {
    std::int64_t low[] = {-1, -1, -1}, high[] = {e.nx + 1, e.ny + 1, e.nz + 1};
    for (int later = d; later < 3; ++later) low[later] = 0, high[later] = e.extent(later);
    low[d] = -1;
    high[d] = 0;
    const std::int64_t n = e.extent(d);
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::int64_t i = low[0]; i < high[0]; ++i)
      for (std::int64_t j = low[1]; j < high[1]; ++j)
        for (std::int64_t k = low[2]; k < high[2]; ++k) {
          std::int64_t below[] = {i, j, k}, last[] = {i, j, k}, first[] = {i, j, k}, above[] = {i, j, k};
          last[d] = n - 1;
          first[d] = 0;
          above[d] = n;
          const auto copy = [&](const std::int64_t(&from)[3], const std::int64_t(&to)[3]) {
            std::copy_n(&values[width * at(from[0], from[1], from[2])], width,
                        &values[width * at(to[0], to[1], to[2])]);
          };
          copy(last, below);
          copy(first, above);
        }
  }
}

template <class S>
void StudyHost<S>::differentiate() {
  each([&](std::int64_t i, std::int64_t j, std::int64_t k) {
    S sum = 0;
    for (std::size_t p = 0; p < velocities; ++p) sum += sites[2 * velocities * at(i, j, k) + velocities + p];
    phi_[at(i, j, k)] = sum;
  });
  exchange(phi_, 1);
  each([&](std::int64_t i, std::int64_t j, std::int64_t k) {
    const auto d =
        binary_fluid::differences<S>(stencil_, [&](int x, int y, int z) { return phi_[at(i + x, j + y, k + z)]; });
    S* const to = &differences[4 * at(i, j, k)];
    std::copy_n(d.gradient, 3, to);
    to[3] = d.laplacian;
  });
}

template <class S>
void StudyHost<S>::propagate() {
  exchange(sites, 2 * velocities);
  each([&](std::int64_t i, std::int64_t j, std::int64_t k) {
    for (int p = 0; p < velocities; ++p) {
      const std::size_t from = 2 * velocities * at(i - lattice::c(p, 0), j - lattice::c(p, 1), k - lattice::c(p, 2)) +
                               static_cast<std::size_t>(p);
      const std::size_t to = 2 * velocities * at(i, j, k) + static_cast<std::size_t>(p);
      next_[to] = sites[from];
      next_[to + velocities] = sites[from + velocities];
    }
  });
  sites.swap(next_);
}

template <class S>
void StudyHost<S>::to_slots(std::vector<S>& slots, std::int64_t pitch) const {
  const auto stride = static_cast<std::size_t>(pitch * extents_.ny * extents_.nz);
  each([&](std::int64_t i, std::int64_t j, std::int64_t k) {
    const auto to = static_cast<std::size_t>(i + pitch * (j + extents_.ny * k));
    for (std::size_t p = 0; p < 2 * velocities; ++p) slots[p * stride + to] = sites[2 * velocities * at(i, j, k) + p];
  });
}
template <class S>
void StudyHost<S>::from_slots(const std::vector<S>& slots, std::int64_t pitch) {
  const auto stride = static_cast<std::size_t>(pitch * extents_.ny * extents_.nz);
  each([&](std::int64_t i, std::int64_t j, std::int64_t k) {
    const auto from = static_cast<std::size_t>(i + pitch * (j + extents_.ny * k));
    for (std::size_t p = 0; p < 2 * velocities; ++p) sites[2 * velocities * at(i, j, k) + p] = slots[p * stride + from];
  });
}
template <class S>
void StudyHost<S>::differences_to_slots(std::vector<S>& slots, std::int64_t pitch) const {
  const auto stride = static_cast<std::size_t>(pitch * extents_.ny * extents_.nz);
  each([&](std::int64_t i, std::int64_t j, std::int64_t k) {
    const auto to = static_cast<std::size_t>(i + pitch * (j + extents_.ny * k));
    for (std::size_t q = 0; q < 4; ++q) slots[q * stride + to] = differences[4 * at(i, j, k) + q];
  });
}

template class StudyHost<double>;
template class StudyHost<float>;

}  // namespace speedwell::binary_fluid
