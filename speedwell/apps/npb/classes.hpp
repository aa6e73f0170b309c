// The problem classes that all kernels of the suite share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace speedwell::npb {

enum class Class { S, W, A, B, C, D, E, F };

/// All classes, in ascending order of their size.
std::vector<Class> all_classes();
char letter(Class c);
/// Throws std::invalid_argument, which names the classes, if there is no such class.
Class class_named(std::string_view name);

}  // namespace speedwell::npb
