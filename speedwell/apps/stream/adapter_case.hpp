// A stream problem made ready for the harness: its inputs in host memory.
#pragma once

#include <type_traits>

#include "speedwell/apps/stream/problem.hpp"
#include "speedwell/harness/application.hpp"

namespace speedwell::stream {

/// Throws std::invalid_argument where the values do not go together.
Problem problem_of(const harness::Problem& problem);

struct StreamCase : harness::Workload {
  Problem problem;
  Inputs<double> f64;
  Inputs<float> f32;

  template <class T>
  const Inputs<T>& inputs() const {
    if constexpr (std::is_same_v<T, double>)
      return f64;
    else
      return f32;
  }
};

}  // namespace speedwell::stream
