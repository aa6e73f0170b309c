// The blast wave on a GPU as in the 2010 article: see PublishedVariant in ladder.hpp. The state and the loops are on
// the host.
#pragma once

#include "speedwell/apps/blast_wave/ladder.hpp"
#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/core/pimpl.hpp"

namespace speedwell::blast_wave {

class ArticleSolver {
 public:
  /// Allocates all memory, on the current device and the host. `threads` of the host: 0 is OpenMP's default. Throws
  /// std::invalid_argument for a problem that is not valid and for PublishedVariant::none, core::Unavailable if the
  /// device has too little free memory, core::DeviceError.
  ArticleSolver(const Problem& problem, PublishedVariant variant, int threads, const core::Stream& stream);

  /// Throws as require_admissible().
  void set(const State& state);
  void get(State& state) const;
  /// Does the same as CpuSolver::run().
  History run(int steps, const core::Stream& stream);
  /// Seconds of the last run(), on the host's clock; for concurrent blocks only their launch.
  struct Seconds {
    double blocks = 0, right_hand_side = 0, bicgstab = 0;
  };
  Seconds seconds() const;

 private:
  struct Parts;
  core::Pimpl<Parts> parts_;
};

}  // namespace speedwell::blast_wave
