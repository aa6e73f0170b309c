// The one judgement of an answer, for every variant.
#pragma once

#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::blast_wave {

/// What a run gives: the state that it ended with, and its history.
struct Answer {
  State state;
  History history;
};

/// Whether iterations must be those of BiCGSTAB with exact blocks.
enum class Iterations { as_the_oracle, free };

/// The largest of several errors, each relative to what is allowed of it: the norm of the difference of states, the
/// norm of the last change, iterations of each step and in all, residuals, the drift of what is conserved.
core::Verdict verify(const Problem& problem, const State& begun, const Answer& expected, const Answer& got,
                     Iterations iterations = Iterations::as_the_oracle);

}  // namespace speedwell::blast_wave
