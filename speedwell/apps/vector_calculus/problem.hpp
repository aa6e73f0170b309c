// A problem of the application: an operation on fields of known contents.
#pragma once

#include <cstdint>

#include "speedwell/apps/vector_calculus/fields.hpp"
#include "speedwell/apps/vector_calculus/operations/operation.hpp"

namespace speedwell::vector_calculus {

/// integers: small integers, for which all operations and chains of operations are exact if the spacings of the grid
/// are powers of two. random: uniform in [-1, 1).
enum class Values { integers, random };

struct Problem {
  Operation operation = Operation::copy;
  Layout layout = Layout::aos;
  Grid grid;
  Values values = Values::random;
  std::uint64_t seed = 1;
};

/// The fields that an operation reads. Throws std::invalid_argument as require_grid() and for integers on a grid whose
/// spacings are not 1, 1/2, 1/4 or 1/8; std::bad_alloc.
template <class T>
class Inputs {
 public:
  /// Generates the fields if `whole`; a rank that receives its part from the first one has no need of them.
  explicit Inputs(const Problem& problem, bool whole = true);
  const Problem& problem() const { return problem_; }
  /// Points to the fields; null for those that the operation does not read.
  Operands<T> operands() const;
  /// The number of words of the result.
  std::int64_t result_words() const { return info(problem_.operation).components * problem_.grid.size(); }

 private:
  Problem problem_;
  core::HostBuffer<T> fields_[6];  // f, g, a, b, c, d
  T numbers_[4];                   // the scalar factors s of the operands
};

}  // namespace speedwell::vector_calculus
