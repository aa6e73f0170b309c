// StateSlabs: distributes a state from the first rank in slabs along the third axis of a solver, and collects it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>

#include "speedwell/apps/incompressible_flow/choice.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/parts.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::incompressible_flow {

/// The velocities along the axes of the solver, and the pressure, of the planes of a rank: contiguous, x fastest.
template <class T>
struct StateSlab {
  Extents extents;  // of the slab
  core::HostBuffer<T> values;

  explicit StateSlab(const Extents& e) : extents(e), values(4 * static_cast<std::size_t>(e.cells())) {}
  T* velocity(std::size_t c) { return values.data() + c * static_cast<std::size_t>(extents.cells()); }
  T* pressure() { return velocity(3); }
};

/// The functions are collective; a state is read or written on rank 0 only.
template <class T>
class StateSlabs {
 public:
  /// `ranks` must outlive the object.
  StateSlabs(const comm::Communicator& ranks, const AxisOrder& order) : ranks_(ranks), order_(order) {}

  StateSlab<T> make_slab() const { return StateSlab<T>(extents_of(ranks_.rank())); }
  /// Throws std::invalid_argument on all ranks for a state of another mesh.
  StateSlab<T> scatter(const State<T>* whole) const {
    require_mesh(whole);
    StateSlab<T> mine = make_slab();
    if (!is_root()) {
      ranks_.receive(mine.values.span(), 0);
      return mine;
    }
    for (int r = 0; r < ranks_.size(); ++r) {
      StateSlab<T> slab(extents_of(r));
      for_cells_of(r, [&](std::size_t to, std::size_t from) {
        for (std::size_t c = 0; c < 3; ++c)
          slab.velocity(c)[to] = whole->velocity[static_cast<std::size_t>(order_.order[c])][from];
        slab.pressure()[to] = whole->pressure[from];
      });
      if (r == 0)
        mine = std::move(slab);
      else
        ranks_.send(std::span<const T>(slab.values.span()), r);
    }
    return mine;
  }
  /// Throws as scatter().
  void gather(StateSlab<T> mine, State<T>* whole) const {
    require_mesh(whole);
    if (!is_root()) {
      ranks_.send(std::span<const T>(mine.values.span()), 0);
      return;
    }
    for (int r = 0; r < ranks_.size(); ++r) {
      if (r > 0) {
        mine = StateSlab<T>(extents_of(r));
        ranks_.receive(mine.values.span(), r);
      }
      for_cells_of(r, [&](std::size_t from, std::size_t to) {
        for (std::size_t c = 0; c < 3; ++c)
          whole->velocity[static_cast<std::size_t>(order_.order[c])][to] = mine.velocity(c)[from];
        whole->pressure[to] = mine.pressure()[from];
      });
    }
  }
  /// The time and the step of the state, on every rank.
  double time_of(const State<T>* whole) const { return ranks_.broadcast(is_root() ? whole->time : 0); }
  std::int64_t step_of(const State<T>* whole) const { return ranks_.broadcast(is_root() ? whole->step : 0); }

 private:
  bool is_root() const { return ranks_.rank() == 0; }
  comm::Range planes_of(int rank) const { return comm::part_of(order_.extents.nz, ranks_.size(), rank); }
  Extents extents_of(int rank) const {
    return {order_.extents.nx, order_.extents.ny, static_cast<int>(planes_of(rank).size())};
  }
  void require_mesh(const State<T>* whole) const {
    const bool fits = ranks_.broadcast(!is_root() || (whole && whole->extents == order_.given()));
    if (!fits) throw std::invalid_argument("a state of another mesh");
  }
  /// Calls copy(index in the slab of a rank, index in a state) for the cells of the slab.
  template <class Copy>
  void for_cells_of(int rank, const Copy& copy) const {
    const Extents slab = extents_of(rank);
    const auto first = static_cast<int>(planes_of(rank).begin);
    for (int k = 0; k < slab.nz; ++k)
      for (int j = 0; j < slab.ny; ++j)
        for (int i = 0; i < slab.nx; ++i) copy(slab.at(i, j, k), order_.at(i, j, first + k));
  }

  const comm::Communicator& ranks_;
  AxisOrder order_;
};

}  // namespace speedwell::incompressible_flow
