#include "speedwell/core/shared_library.hpp"

#include <dlfcn.h>

#include "speedwell/core/error.hpp"

namespace speedwell::core {

SharedLibrary::SharedLibrary(const std::string& name, const std::string& folder)
    : name_(name), handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_) return;
  const std::string reason = dlerror();
  if (!folder.empty()) handle_ = dlopen((folder + "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle_) throw Unavailable("the library " + name + " cannot be loaded: " + reason);
}

void* SharedLibrary::address(const char* name) const {
  void* const found = dlsym(handle_, name);
  if (!found) throw Unavailable("the library " + name_ + " has no function " + name);
  return found;
}

}  // namespace speedwell::core
