// The result of an application's verify().
#pragma once

#include <string>

namespace speedwell::core {

/// Whether an answer is correct, and how that was determined. `error` and `tolerance` are in the application's measure,
/// which `oracle` names ("serial reference, largest ULP distance"). A NaN error never passes.
struct Verdict {
  bool passed = false;
  double error = 0;
  double tolerance = 0;
  std::string oracle;

  /// Passed if the error is at most the tolerance, which a NaN is not.
  static Verdict from_error(double error, double tolerance, std::string oracle) {
    return {error <= tolerance, error, tolerance, std::move(oracle)};
  }
};

}  // namespace speedwell::core
