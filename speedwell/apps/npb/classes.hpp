// The classes of problems that all kernels of the suite share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace speedwell::npb {

enum class Class { S, W, A, B, C, D, E, F };

/// All, from the least.
std::vector<Class> all_classes();
char letter(Class c);
/// Throws std::invalid_argument, naming the classes, for what is none.
Class class_named(std::string_view name);

}  // namespace speedwell::npb
