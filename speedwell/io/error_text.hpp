// What the system says of an error. Not installed.
#pragma once

#include <string>
#include <system_error>

namespace speedwell::io {

/// The text of a value of errno: "No such file or directory".
inline std::string text_of(int error) { return std::generic_category().message(error); }

}  // namespace speedwell::io
