// Verification of an answer, the same for all variants.
#pragma once

#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::blast_wave {

/// The result of a run: the final state and the history.
struct Answer {
  State state;
  History history;
};

/// Whether iterations must be those of BiCGSTAB with exact blocks.
enum class Iterations { as_the_oracle, free };

/// The error of the verdict is the largest of several, each relative to its tolerance: the norm of the difference of
/// states, the norm of the last change, iterations per step and in total, residuals, the drift of conserved quantities.
core::Verdict verify(const Problem& problem, const State& start, const Answer& expected, const Answer& got,
                     Iterations iterations = Iterations::as_the_oracle);

}  // namespace speedwell::blast_wave
