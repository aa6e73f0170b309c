// The blast wave as the 2010 article put it on a GPU: see ladder.hpp's Article. The host holds the state and the loops.
#pragma once

#include <memory>

#include "speedwell/apps/blast_wave/ladder.hpp"
#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::blast_wave {

class ArticleSolver {
 public:
  /// Takes all memory, on the current device and the host. threads: of the host, 0 is OpenMP's default. Throws
  /// std::invalid_argument for a problem that is not valid and for Article::none, core::Unavailable where the device
  /// has too little memory free, core::DeviceError.
  ArticleSolver(const Problem& problem, PublishedVariant way, int threads, const core::Stream& stream);
  ArticleSolver(ArticleSolver&&) noexcept;
  ArticleSolver& operator=(ArticleSolver&&) noexcept;
  ~ArticleSolver();

  /// Throws as require_admissible().
  void set(const State& state);
  void get(State& state) const;
  /// As CpuSolver::run().
  History run(int steps, const core::Stream& stream);
  /// Of the last run(), on the host's clock: of the blocks only their launch where they are concurrent.
  struct Seconds {
    double blocks = 0, right_hand_side = 0, bicgstab = 0;
  };
  Seconds seconds() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace speedwell::blast_wave
