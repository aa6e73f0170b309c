// Why something is not possible, where the library that would do it throws for the same reason.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

namespace speedwell::harness {

/// The message of the std::invalid_argument that act() throws; nothing if it throws none. For unsupported_reason() and
/// unsupported_ranks_reason() of a variant.
template <class Act>
std::optional<std::string> refusal_of(const Act& act) {
  try {
    (void)act();
    return std::nullopt;
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

}  // namespace speedwell::harness
