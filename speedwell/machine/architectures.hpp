// The GPU architectures for which a binary has code.
#pragma once

#include <string>
#include <string_view>

namespace speedwell::machine {

/// Whether code built for `architectures`, in CMake's words separated by commas ("80-real,90-real,90-virtual"), runs on
/// compute capability `capability` (90 is 9.0). Machine code ("real") runs within its major version from its minor
/// version on, PTX ("virtual") on everything from its version on, a plain number means both; code with a suffix (90a,
/// 100f) runs only on its own version (a) or family (f). CUDA C++ Programming Guide, "Application Compatibility".
bool runs_on(std::string_view architectures, int capability);

/// "this GPU has compute capability 7.0; this build has code for 8.0, 9.0 and 9.0 PTX"
std::string why_not_runnable(std::string_view architectures, int capability);

}  // namespace speedwell::machine
