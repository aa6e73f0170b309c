// StateSlabs: distributes a state from the first rank in slabs along the third axis of a solver, and collects it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/incompressible_flow/choice.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/parts.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::incompressible_flow {

/// The velocities along the axes of the solver, and the pressure, of the planes of a rank: contiguous, x fastest.
template <class T>
struct StateSlab {
  Extents extents;  // of the slab
  core::HostBuffer<T> values;

  explicit StateSlab(const Extents& e)
      : extents(e), values(4 * static_cast<std::size_t>(e.cells()), core::Pages::large) {}
  T* velocity(std::size_t c) { return values.data() + c * static_cast<std::size_t>(extents.cells()); }
  T* pressure() { return velocity(3); }
  /// One of the four arrays: a velocity, or the pressure.
  std::span<T> array(std::size_t a) { return {velocity(a), static_cast<std::size_t>(extents.cells())}; }
};

/// The functions are collective; a state is read or written on rank 0 only. Where the solver has the axes of the state,
/// an array of a slab is contiguous in the state, and is transferred without a copy on its way.
template <class T>
class StateSlabs {
 public:
  /// `ranks` must outlive the object. The first rank permutes axes with `threads` threads (0: OpenMP's default).
  StateSlabs(const comm::Communicator& ranks, const AxisOrder& order, int threads)
      : ranks_(ranks), order_(order), threads_(threads) {
    const Extents given = order.given();
    const std::array<std::size_t, 3> strides{given.at(1, 0, 0), given.at(0, 1, 0), given.at(0, 0, 1)};
    for (std::size_t d = 0; d < 3; ++d) strides_[d] = strides[static_cast<std::size_t>(order.order[d])];
    is_permuted_ = order.order != std::array<int, 3>{0, 1, 2};
  }

  StateSlab<T> make_slab() const { return StateSlab<T>(extents_of(ranks_.rank())); }
  /// Throws std::invalid_argument on all ranks for a state of another mesh.
  StateSlab<T> scatter(const State<T>* whole) const {
    require_mesh(whole);
    StateSlab<T> mine = make_slab();
    if (!is_root()) {
      for (std::size_t a = 0; a < arrays; ++a) ranks_.receive(mine.array(a), 0);
      return mine;
    }
    const Permuted permuted = make_permuted();
    for (int r = ranks_.size() - 1; r >= 0; --r)
      for (std::size_t a = 0; a < arrays; ++a) {
        const T* const from = array_of(*whole, a);
        if (r == 0) {
          copy_cells(0,
                     [to = mine.array(a).data(), from](std::size_t own, std::size_t there) { to[own] = from[there]; });
        } else if (is_permuted_) {
          T* const to = permuted.values;
          copy_cells(r, [to, from](std::size_t own, std::size_t there) { to[own] = from[there]; });
          ranks_.send(std::span<const T>(to, cells_of(r)), r);
        } else {
          ranks_.send(std::span<const T>(from + first_cell_of(r), cells_of(r)), r);
        }
      }
    return mine;
  }
  /// Throws as scatter().
  void gather(StateSlab<T>& mine, State<T>* whole) const {
    require_mesh(whole);
    if (!is_root()) {
      for (std::size_t a = 0; a < arrays; ++a) ranks_.send(std::span<const T>(mine.array(a)), 0);
      return;
    }
    const Permuted permuted = make_permuted();
    for (int r = 0; r < ranks_.size(); ++r)
      for (std::size_t a = 0; a < arrays; ++a) {
        T* const to = array_of(*whole, a);
        if (r > 0 && !is_permuted_) {
          ranks_.receive(std::span<T>(to + first_cell_of(r), cells_of(r)), r);
          continue;
        }
        if (r > 0) ranks_.receive(std::span<T>(permuted.values, cells_of(r)), r);
        const T* const from = r > 0 ? permuted.values : mine.array(a).data();
        copy_cells(r, [to, from](std::size_t own, std::size_t there) { to[there] = from[own]; });
      }
  }
  /// Those of the values of a state whose cells this rank has, as arrays, axes and planes of its slab.
  std::vector<CellValue> own_cells(std::span<const CellValue> wanted) const {
    std::vector<CellValue> own;
    for (const std::size_t n : indices_of(ranks_.rank(), wanted)) {
      own.push_back(order_.of_solver(wanted[n]));
      own.back().cell[2] -= static_cast<int>(planes_of(ranks_.rank()).begin);
    }
    return own;
  }
  /// The wanted values on rank 0, in their order, from those of own_cells() on each rank; elsewhere empty.
  std::vector<T> gather_values(std::span<const CellValue> wanted, std::span<const T> mine) const {
    if (!is_root()) {
      if (!mine.empty()) ranks_.send(mine, 0);
      return {};
    }
    std::vector<T> all(wanted.size()), of_rank(mine.begin(), mine.end());
    for (int r = 0; r < ranks_.size(); ++r) {
      const std::vector<std::size_t> indices = indices_of(r, wanted);
      of_rank.resize(indices.size());
      if (r > 0 && !indices.empty()) ranks_.receive(std::span<T>(of_rank), r);
      for (std::size_t n = 0; n < indices.size(); ++n) all[indices[n]] = of_rank[n];
    }
    return all;
  }
  /// The time and the step of the state, on every rank.
  double time_of(const State<T>* whole) const { return ranks_.broadcast(is_root() ? whole->time : 0); }
  std::int64_t step_of(const State<T>* whole) const { return ranks_.broadcast(is_root() ? whole->step : 0); }

 private:
  static constexpr std::size_t arrays = 4;
  /// An array of a slab with the axes of the solver, on its way.
  struct Permuted {
    core::HostBuffer<T> memory;
    T* values = nullptr;
  };

  bool is_root() const { return ranks_.rank() == 0; }
  comm::Range planes_of(int rank) const { return comm::part_of(order_.extents.nz, ranks_.size(), rank); }
  Extents extents_of(int rank) const {
    return {order_.extents.nx, order_.extents.ny, static_cast<int>(planes_of(rank).size())};
  }
  /// The indices of the values that a rank has.
  std::vector<std::size_t> indices_of(int rank, std::span<const CellValue> wanted) const {
    const comm::Range planes = planes_of(rank);
    std::vector<std::size_t> indices;
    for (std::size_t n = 0; n < wanted.size(); ++n) {
      const int plane = wanted[n].cell[static_cast<std::size_t>(order_.order[2])];
      if (plane >= planes.begin && plane < planes.end) indices.push_back(n);
    }
    return indices;
  }
  std::size_t cells_of(int rank) const { return static_cast<std::size_t>(extents_of(rank).cells()); }
  std::size_t first_cell_of(int rank) const { return static_cast<std::size_t>(planes_of(rank).begin) * strides_[2]; }
  void require_mesh(const State<T>* whole) const {
    const bool fits = ranks_.broadcast(!is_root() || (whole && whole->extents == order_.given()));
    if (!fits) throw std::invalid_argument("a state of another mesh");
  }
  Permuted make_permuted() const {
    Permuted buffer;
    // The first rank has the thickest slab.
    if (is_permuted_ && ranks_.size() > 1) buffer.memory = core::HostBuffer<T>(cells_of(0), core::Pages::large);
    buffer.values = buffer.memory.data();
    return buffer;
  }
  /// Array a of the solver in a state with given axes.
  template <class S>
  auto* array_of(S& state, std::size_t a) const {
    return a < 3 ? state.velocity[static_cast<std::size_t>(order_.order[a])].data() : state.pressure.data();
  }
  /// Calls copy(index in the slab of a rank, index in a state) for the cells of the slab.
  template <class Copy>
  void copy_cells(int rank, const Copy& copy) const {
    const Extents slab = extents_of(rank);
    const auto nx = static_cast<std::size_t>(slab.nx), ny = static_cast<std::size_t>(slab.ny);
    core::parallel_for(
        static_cast<std::size_t>(slab.nz) * ny, nx * sizeof(T), threads_, [&](std::size_t begin, std::size_t end) {
          for (std::size_t row = begin; row < end; ++row) {
            const std::size_t own = row * nx,
                              there = first_cell_of(rank) + row / ny * strides_[2] + row % ny * strides_[1];
            for (std::size_t i = 0; i < nx; ++i) copy(own + i, there + i * strides_[0]);
          }
        });
  }

  const comm::Communicator& ranks_;
  AxisOrder order_;
  int threads_;
  std::array<std::size_t, 3> strides_{};  // in a state, of the solver's axes
  bool is_permuted_ = false;
};

}  // namespace speedwell::incompressible_flow
