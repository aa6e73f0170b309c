// The linear system of a step in the format of sparse-matrix libraries, with the state that it advances, on a GPU:
// block compressed rows (BSR) of 5 x 5 blocks with sorted columns, and vectors with the five variables of a point
// adjacent.
#pragma once

#include <cstdint>

#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/core/pimpl.hpp"

namespace speedwell::blast_wave {

class GpuBlockRows {
 public:
  static constexpr int block = 5, blocks_of_row = 7;

  /// Allocates on the current device. Throws std::invalid_argument for a problem that is not valid, core::Unavailable
  /// if the device has too little free memory, core::DeviceError.
  GpuBlockRows(const Problem& problem, const core::Stream& stream);

  /// Throws as require_admissible().
  void set(const State& state, const core::Stream& stream);
  void get(State& state, const core::Stream& stream) const;
  /// Computes the matrix and the right-hand side of a step from the present state. Waits, and returns the time step.
  double begin(const core::Stream& stream);
  /// Adds x to the state and ends a step of `dt` if every point stays admissible, and returns -1. Otherwise returns the
  /// first point that would not, and leaves the state unchanged.
  std::int64_t commit(const double* x, double dt, const core::Stream& stream);

  int rows() const;
  const int* offsets() const;    // rows() + 1
  const int* columns() const;    // blocks_of_row * rows()
  const double* values() const;  // blocks by rows of 5
  const double* right_hand_side() const;

 private:
  struct Parts;
  core::Pimpl<Parts> parts_;
};

}  // namespace speedwell::blast_wave
