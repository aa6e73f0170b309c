// How the adapters of this folder say their parameters.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::alignment {

inline harness::Parameter word(std::string key, std::string default_value, std::string description,
                               std::vector<std::string> choices = {}) {
  return {.key = std::move(key),
          .default_value = std::move(default_value),
          .description = std::move(description),
          .minimum = {},
          .maximum = {},
          .choices = std::move(choices)};
}
inline harness::Parameter number(std::string key, harness::Value default_value, std::string description, double minimum,
                                 double maximum) {
  return {.key = std::move(key),
          .default_value = std::move(default_value),
          .description = std::move(description),
          .minimum = minimum,
          .maximum = maximum,
          .choices = {}};
}

}  // namespace speedwell::alignment
