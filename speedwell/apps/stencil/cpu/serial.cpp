// The serial product, cell by cell in the order of memory.
#include "speedwell/apps/stencil/contract.hpp"
#include "speedwell/apps/stencil/point.hpp"
#include "speedwell/apps/stencil/stencil.hpp"

namespace speedwell::stencil {

template <class T>
void multiply_serially(const Operator<T>& a, std::span<const T> x, std::span<T> y) {
  require_product(a, x, y);
  const Grid& g = a.grid;
  with_form(a.form, [&]<Form form>() {
    for (std::int64_t k = 0; k < g.nz; ++k)
      for (std::int64_t j = 0; j < g.ny; ++j)
        for (std::int64_t i = 0; i < g.nx; ++i) {
          CellIndex at{.i = i, .j = j, .k = k, .cell = g.cell(i, j, k), .west = 0, .south = 0, .below = 0};
          const auto value = [&](std::int64_t cell) { return x[static_cast<std::size_t>(cell)]; };
          const Star<T> star = star_at(g, a.boundary, value, at);
          y[static_cast<std::size_t>(at.cell)] = product<form>(a, star, at);
        }
  });
}

template void multiply_serially(const Operator<float>&, std::span<const float>, std::span<float>);
template void multiply_serially(const Operator<double>&, std::span<const double>, std::span<double>);

}  // namespace speedwell::stencil
