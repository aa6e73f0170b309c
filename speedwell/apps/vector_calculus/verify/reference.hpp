// The oracle: every operation written out in extended precision. It shares no code with the variants.
#pragma once

#include <functional>

#include "speedwell/apps/vector_calculus/problem.hpp"

namespace speedwell::vector_calculus {

/// A value, and the sum of the magnitudes of its terms.
struct Exact {
  long double value = 0, magnitude = 0;
};

/// The components of the result at a point.
struct ExactPoint {
  Exact component[3];
};

/// An operation on fields in host memory. The fields and their grid must outlive it.
template <class T>
class Reference {
 public:
  Reference(Operation operation, Layout layout, const Operands<T>& fields);
  ExactPoint at(std::int64_t i, std::int64_t j, std::int64_t k) const;

 private:
  int components_;
  std::function<Exact(std::int64_t, std::int64_t, std::int64_t, int)> quantity_;
};

}  // namespace speedwell::vector_calculus
