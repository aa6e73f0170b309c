// Lazy: a value that is computed when it is first asked for.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

namespace speedwell::core {

/// Holds a value of type T that the first call of get() computes. Safe to call from several threads: the others wait.
/// If the computation throws, the exception propagates and the next call computes again.
template <class T>
class Lazy {
 public:
  template <class Compute>
  const T& get(Compute&& compute) const {
    std::call_once(once_, [&] { value_.emplace(std::forward<Compute>(compute)()); });
    return *value_;
  }

 private:
  mutable std::once_flag once_;
  mutable std::optional<T> value_;
};

}  // namespace speedwell::core
