// What variants on all cores say of themselves.
#pragma once

#include <string>

#include "speedwell/core/simd/isa.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::harness {

/// The instruction set of the vectors.
inline Choices::value_type instruction_set() {
  return {"instruction_set", std::string(core::to_string(core::best_isa()))};
}

/// The same, and the number of threads that a run may use.
inline Choices host_choices(int threads) { return {instruction_set(), {"threads_at_most", std::to_string(threads)}}; }

}  // namespace speedwell::harness
