// SharedLibrary: a library that is loaded while the program runs, when it is first needed.
#pragma once

#include <optional>
#include <string>

#include "speedwell/core/error.hpp"

namespace speedwell::core {

/// A shared library of the system, loaded when an object of it is made. It stays loaded until the process ends, so that
/// its functions outlive the object.
class SharedLibrary {
 public:
  /// Loads the library `name`, such as "libcublas.so.13", as the dynamic linker finds it, or else from `folder`. Throws
  /// Unavailable, with the linker's reason, if it is in neither.
  SharedLibrary(const std::string& name, const std::string& folder);

  /// The function `name`, of type Pointer. Throws Unavailable if the library does not have it.
  template <class Pointer>
  Pointer function(const char* name) const {
    return reinterpret_cast<Pointer>(address(name));
  }

 private:
  void* address(const char* name) const;

  std::string name_;
  void* handle_;
};

/// The message of the Unavailable that load() throws; nothing if it throws none.
template <class Load>
std::optional<std::string> unavailable_reason(const Load& load) {
  try {
    (void)load();
    return std::nullopt;
  } catch (const Unavailable& missing) {
    return missing.what();
  }
}

}  // namespace speedwell::core
