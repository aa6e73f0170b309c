#include "speedwell/apps/npb/classes.hpp"

#include <stdexcept>

namespace speedwell::npb {
namespace {

constexpr std::string_view letters = "SWABCDEF";

}  // namespace

std::vector<Class> all_classes() {
  return {Class::S, Class::W, Class::A, Class::B, Class::C, Class::D, Class::E, Class::F};
}

char letter(Class c) { return letters[static_cast<std::size_t>(c)]; }

Class class_named(std::string_view name) {
  const auto at = name.size() == 1 ? letters.find(name[0]) : std::string_view::npos;
  if (at == std::string_view::npos)
    throw std::invalid_argument("npb: there is no class '" + std::string(name) +
                                "'; the classes are S, W, A, B, C, D, E and F");
  return static_cast<Class>(at);
}

}  // namespace speedwell::npb
