// What the variants of stencil move and compute: README, section Limits.
#pragma once

#include <string_view>

#include "speedwell/apps/stencil/adapter_workload.hpp"

namespace speedwell::stencil {

/// Entries of the matrix of `spec` and how many diagonals they lie on, as its grid tells; of a file's 0.
struct Entries {
  double entries = 0, diagonals = 0;
};
Entries entries_of(const Spec& spec);

/// The work of the best known algorithm. `word`: bytes of a number.
harness::Work best_work(const Spec& spec, double word);
/// The work of the variant `row`.
harness::Work row_work(std::string_view row, const Spec& spec, double word);

/// The same for a matrix from a file after it has been read.
harness::Work best_work_of(const harness::Workload& prepared);
harness::Work row_work_of(std::string_view row, const harness::Workload& prepared);

}  // namespace speedwell::stencil
