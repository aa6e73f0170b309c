// The study's GPU versions as a table without CUDA. Vectors are its AT1 arrays, with the three components of a point
// adjacent; numbers and fields are in device memory.
#pragma once

#include "speedwell/apps/vector_calculus/operations/operation.hpp"
#include "speedwell/core/ladder_step.hpp"

namespace speedwell::vector_calculus {

/// The lineage is the study's letter.
struct Step : core::LadderStep {
  bool restructured = false;         // the layout of AT1 arrays is converted in upload and download
  bool (*has)(Operation) = nullptr;  // whether the step supports an operation; null: all but chains
};

constexpr bool shares_values(Operation o) {
  return o == Operation::scale || o == Operation::axpy || o == Operation::lincomb4 || o == Operation::cross;
}
constexpr bool is_pointwise_on_vectors(Operation o) {
  return info(o).reach == 0 && info(o).vectors > 0 && !is_chain(o);
}
constexpr bool is_gradient(Operation o) { return o == Operation::grad; }

inline constexpr Step steps[] = {
    {{"cuda-naive", "one thread per point, AT1 arrays, every operand read from memory wherever it occurs"}},
    {{"cuda-restructured", "structure of arrays: neighbouring threads read neighbouring words", "a"}, true},
    {{"cuda-registers", "values that occur more than once are read once into a register", "b"}, true},
    {{"cuda-shared", "numbers common to a block read once into shared memory; for cross, a thread's own values", "c"},
     true,
     shares_values},
    {{"cuda-z-loop", "points along z in a loop of the thread, 128 threads along x", "d"}, true},
    {{"cuda-staged",
      "no layout conversion: the block's part of AT1 arrays through shared memory in three coalesced passes", "e, f"},
     false,
     is_pointwise_on_vectors},
    {{"cuda-planes", "marching along z with planes in shared memory; indices wrapped by remainders", "i"},
     false,
     is_gradient},
    {{"cuda-planes-kept", "the remainders are kept in registers", "j"}, false, is_gradient},
    {{"cuda-planes-compared", "comparisons instead of remainders", "k"}, false, is_gradient},
};

constexpr bool has_operation(const Step& step, Operation o) { return step.has ? step.has(o) : !is_chain(o); }

/// Points along x of a marching block, and of the largest block of any step.
inline constexpr int ladder_threads = 128;

}  // namespace speedwell::vector_calculus
