// The two sets of velocities of a slab in memory that the neighbours' kernels write, and what kernels know of the
// neighbours (slab_neighbors.hpp). For CUDA sources only.
#pragma once

#include <array>
#include <cstddef>

#include "speedwell/apps/incompressible_flow/fields.hpp"
#include "speedwell/apps/incompressible_flow/gpu/ranks/slab_neighbors.hpp"
#include "speedwell/apps/incompressible_flow/ranks/slab.hpp"
#include "speedwell/comm/gpu/peer_memory.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::incompressible_flow::gpu {

/// Enqueues the beginning of a step: the count of steps in device memory, which a PartNumber refers to.
void enqueue_step_count(unsigned long long* steps, const core::Stream& stream);

template <class T>
class SlabFields {
 public:
  /// Collective. `extents`: of the box. All fields are 0. Throws core::Unavailable as comm::PeerMemory.
  SlabFields(const comm::Communicator& ranks, const Extents& extents, const Slab& slab);

  T* field(int set, int component) const { return field_of(ranks_.rank(), set, component); }
  /// In device memory: for the kernels of part 0 … 2 of a step that computes the velocities of `set`.
  const SlabNeighbors<T>* neighbors(int set, int part) const { return neighbors_.data() + set * parts + part; }
  PartNumber number(int part) const { return {steps(), part}; }
  /// In device memory: set if a neighbour did not come.
  int* timed_out() const;
  /// Enqueues the beginning of a step.
  void begin_step(const core::Stream& stream) const;
  /// Collective. Enqueues a wait for the neighbours to come here, too: before their stores and after them, a copy to
  /// the fields must be between two of these.
  void barrier(const core::Stream& stream);

  /// The time that blocks waited for planes, in the mean over those that wait in a kernel.
  double exchange_seconds() const;
  /// Waits. Throws core::DeviceError if a neighbour did not come.
  void check(const core::Stream& stream) const;

 private:
  static constexpr int parts = 3, sets = 2;
  /// In the memory of the rank that waits.
  enum Flag { velocities_from_below, velocities_from_above, third_from_below, barrier_below, barrier_above, flags };

  Layout layout_of(int rank) const;
  T* field_of(int rank, int set, int component) const;
  unsigned long long* flag_of(int rank, Flag flag) const;
  SlabNeighbors<T> neighbors_of(int set, int part) const;
  unsigned long long* steps() const { return const_cast<unsigned long long*>(counters_.data()); }
  int below() const { return (ranks_.rank() + ranks_.size() - 1) % ranks_.size(); }
  int above() const { return (ranks_.rank() + 1) % ranks_.size(); }

  const comm::Communicator& ranks_;
  Extents extents_;
  bool has_below_, has_above_;
  comm::PeerMemory window_;
  core::DeviceBuffer<unsigned long long> counters_;  // steps; waits; blocks that have stored; whether one is late
  core::DeviceBuffer<SlabNeighbors<T>> neighbors_;
  unsigned long long barriers_ = 0;
};

extern template class SlabFields<float>;
extern template class SlabFields<double>;

}  // namespace speedwell::incompressible_flow::gpu
