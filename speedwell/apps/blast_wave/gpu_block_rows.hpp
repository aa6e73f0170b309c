// A step's system as libraries of sparse matrices want it, with the state that it advances, on a GPU: block rows of 5 x
// 5 blocks, columns in order, and vectors with the five variables of a point side by side.
#pragma once

#include <cstdint>
#include <memory>

#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::blast_wave {

class GpuBlockRows {
 public:
  static constexpr int block = 5, blocks_of_row = 7;

  /// Takes its memory on the current device. Throws std::invalid_argument for a problem that is not valid,
  /// core::Unavailable where the device has too little memory free, core::DeviceError.
  GpuBlockRows(const Problem& problem, const core::Stream& stream);
  GpuBlockRows(GpuBlockRows&&) noexcept;
  GpuBlockRows& operator=(GpuBlockRows&&) noexcept;
  ~GpuBlockRows();

  /// Throws as require_admissible().
  void set(const State& state, const core::Stream& stream);
  void get(State& state, const core::Stream& stream) const;
  /// Makes rows and right-hand side of a step from the present state; returns its length when the device has it.
  double begin(const core::Stream& stream);
  /// The state takes x, and a step of `dt` is over, if every point stays admissible; else the first that does not is
  /// returned and the state stays. -1: done.
  std::int64_t commit(const double* x, double dt, const core::Stream& stream);

  int rows() const;
  const int* offsets() const;    // rows() + 1
  const int* columns() const;    // blocks_of_row * rows()
  const double* values() const;  // blocks by rows of 5
  const double* right_hand_side() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace speedwell::blast_wave
