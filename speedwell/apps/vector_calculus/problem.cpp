#include "speedwell/apps/vector_calculus/problem.hpp"

#include <stdexcept>
#include <string>

#include "speedwell/core/parts.hpp"
#include "speedwell/core/random.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::vector_calculus {

template <class T>
Inputs<T>::Inputs(const Problem& problem, bool whole) : problem_(problem) {
  const OperationInfo& operation = info(problem.operation);
  require_grid(problem.grid, operation.reach);
  const bool integers = problem.values == Values::integers;
  if (integers)
    for (int axis = 0; axis < 3; ++axis) {
      const double h = problem.grid.spacing(axis);
      if (h != 1 && h != 0.5 && h != 0.25 && h != 0.125)
        throw std::invalid_argument("vector_calculus: d" + std::string(1, "xyz"[axis]) + "=" + core::format_number(h) +
                                    ": values=integers are exact with spacings of 1, 0.5, 0.25 and 0.125");
    }
  // The largest intermediate of any chain, (curl a) x a . b, is then below 2^53 and 2^24.
  const int most = sizeof(T) == 8 ? 1000 : 15;
  for (int field = 0; field < 6 && whole; ++field) {
    const bool scalar = field < 2;
    if (scalar ? field >= operation.scalars : field - 2 >= operation.vectors) continue;
    const std::size_t size = static_cast<std::size_t>((scalar ? 1 : 3) * problem.grid.size());
    fields_[field] = core::HostBuffer<T>(size, core::Pages::large);
    const std::uint64_t stream = problem.seed * 8 + static_cast<std::uint64_t>(field);
    core::parallel_for(size, sizeof(T), 0, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        fields_[field][i] =
            integers ? static_cast<T>(static_cast<int>(core::random_bits(stream, i) >> 33) % (2 * most + 1) - most)
                     : static_cast<T>(2 * core::random_uniform(stream, i) - 1);
    });
  }
  const double whole_numbers[] = {3, -2, 5, -7}, fractions[] = {0.7, -1.3, 2.1, -0.3};
  for (int n = 0; n < 4; ++n) numbers_[n] = static_cast<T>(integers ? whole_numbers[n] : fractions[n]);
}

template <class T>
Operands<T> Inputs<T>::operands() const {
  Operands<T> o{&problem_.grid,    fields_[0].data(), fields_[1].data(), fields_[2].data(),
                fields_[3].data(), fields_[4].data(), fields_[5].data()};
  for (int n = 0; n < 4; ++n) o.s[n] = numbers_[n];
  return o;
}

template class Inputs<float>;
template class Inputs<double>;

}  // namespace speedwell::vector_calculus
