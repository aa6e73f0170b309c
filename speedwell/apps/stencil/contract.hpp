// Argument checks of the public host functions.
#pragma once

#include <functional>
#include <span>
#include <stdexcept>
#include <string>

#include "speedwell/apps/stencil/operator.hpp"

namespace speedwell::stencil {

template <class T>
void require_field(const Grid& grid, std::span<const T> field, const char* name) {
  if (field.size() != static_cast<std::size_t>(grid.size()))
    throw std::invalid_argument(std::string("stencil: ") + name + " has " + std::to_string(field.size()) +
                                " values, the box " + std::to_string(grid.size()) + " cells");
}

template <class T>
void require_apart(std::span<const T> a, std::span<const T> b) {
  const std::less<const T*> before;
  if (before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size()))
    throw std::invalid_argument("stencil: an operand and the result overlap");
}

template <class T>
void require_product(const Operator<T>& a, std::span<const T> x, std::span<const T> y) {
  require_operator(a);
  require_field<T>(a.grid, x, "x");
  require_field<T>(a.grid, y, "y");
  require_apart<T>(x, y);
}
template <class T>
void require_product(const Operator<T>& a, std::span<const T> x, std::span<T> y) {
  require_product(a, x, std::span<const T>(y));
}

}  // namespace speedwell::stencil
