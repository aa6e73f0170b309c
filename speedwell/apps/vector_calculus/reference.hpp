// The oracle: every operation written out longhand, in extended precision. It shares nothing with what it judges.
#pragma once

#include <functional>

#include "speedwell/apps/vector_calculus/problem.hpp"

namespace speedwell::vector_calculus {

/// A value, and the sum of the magnitudes of all the terms that it is the sum of.
struct Exact {
  long double value = 0, magnitude = 0;
};

/// The result at a point: as many components as it has.
struct ExactPoint {
  Exact component[3];
};

/// An operation on fields in host memory, which must outlive it with their grid.
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
