// What an assignment to distributed fields needs to know of its expression, in the memory of hosts or of GPUs: the
// fields whose halos it reads.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/vector_calculus/distributed_grid.hpp"
#include "speedwell/apps/vector_calculus/expression.hpp"

namespace speedwell::vector_calculus::host {
namespace {

/// The fields that an expression differentiates, each once, a vector in three arrays as three of them.
template <class T, class E>
std::vector<TileField<T>> differentiated_fields(const E& e) {
  std::vector<TileField<T>> fields;
  e.visit([&]<class Leaf>(const Leaf& leaf, int derivatives) {
    // Fields are memory of the library's that is not const; their halos are no part of their values.
    T* const data = const_cast<T*>(leaf.data);
    const bool known =
        std::any_of(fields.begin(), fields.end(), [&](const TileField<T>& other) { return other.data == data; });
    if (derivatives == 0 || known) return;
    if constexpr (Leaf::components == 3 && !Leaf::template flat<Layout::aos>)
      for (int component = 0; component < 3; ++component) fields.push_back({data + component * leaf.grid->size(), 1});
    else
      fields.push_back({data, Leaf::components});
  });
  return fields;
}

template <class E>
void require_on(const DistributedGrid& grid, const E& e) {
  require_grid(grid.whole(), E::reach);
  e.visit([&](const auto& leaf) {
    if (leaf.grid != &grid.local())
      throw std::invalid_argument("vector_calculus: the fields of an expression and its result are on different grids");
  });
}

}  // namespace
}  // namespace speedwell::vector_calculus::host
