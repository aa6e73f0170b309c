#include "speedwell/apps/new_application/problem.hpp"

#include <cstddef>

#include "speedwell/core/parts.hpp"
#include "speedwell/core/random.hpp"

namespace speedwell::new_application {

template <class T>
void fill(const Problem& problem, std::span<T> x, std::span<T> y) {
  const auto value = [&](std::uint64_t vector, std::size_t i) {
    return static_cast<T>(2 * core::random_uniform(2 * problem.seed + vector, i) - 1);
  };
  core::parallel_for(x.size(), sizeof(T), 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      x[i] = value(0, i);
      y[i] = value(1, i);
    }
  });
}

template void fill(const Problem&, std::span<double>, std::span<double>);
template void fill(const Problem&, std::span<float>, std::span<float>);

}  // namespace speedwell::new_application
