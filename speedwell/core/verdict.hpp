// What an application's one verify() says of an answer.
#pragma once

#include <string>

namespace speedwell::core {

/// Whether an answer was held right, and against what. `error` and `tolerance` are in the application's own measure,
/// which `oracle` names ("serial reference, largest ULP distance"). A NaN error never passes.
struct Verdict {
  bool passed = false;
  double error = 0;
  double tolerance = 0;
  std::string oracle;

  static Verdict judge(double error, double tolerance, std::string oracle) {
    return {error <= tolerance, error, tolerance, std::move(oracle)};
  }
};

}  // namespace speedwell::core
