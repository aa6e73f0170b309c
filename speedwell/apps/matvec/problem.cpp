// The data are a function of the indices alone, so that they do not depend on the number of threads.
#include "speedwell/apps/matvec/problem.hpp"

#include <stdexcept>
#include <string>

#include "speedwell/core/random.hpp"

namespace speedwell::matvec {
namespace {

template <class T>
T uniform(std::uint64_t seed, std::int64_t index) {
  return static_cast<T>(2 * core::random_uniform(seed, static_cast<std::uint64_t>(index)) - 1);
}

}  // namespace

template <class T>
void require_problem(const Problem& problem) {
  constexpr std::int64_t most = INT64_MAX / static_cast<std::int64_t>(sizeof(T));
  const std::string shape = std::to_string(problem.rows) + " x " + std::to_string(problem.columns);
  if (problem.rows < 1 || problem.columns < 1)
    throw std::invalid_argument("matvec: the matrix is " + shape + "; it needs at least one row and one column");
  if (problem.rows > most / problem.columns)
    throw std::invalid_argument("matvec: " + shape + " elements are more bytes than 64 bits can count");
  if (problem.values == Values::integers && problem.columns > exact_columns<T>())
    throw std::invalid_argument("matvec: integers are exact for at most " + std::to_string(exact_columns<T>()) +
                                " columns in this precision, not " + std::to_string(problem.columns) +
                                "; use values=random or precision=f64");
}

template <class T>
void fill(const Problem& problem, std::span<T> a, std::span<T> b) {
  require_problem<T>(problem);
  const std::int64_t rows = problem.rows, columns = problem.columns;
  if (a.size() != static_cast<std::size_t>(rows * columns) || b.size() != static_cast<std::size_t>(columns))
    throw std::invalid_argument("matvec: the arrays to fill do not have the problem's sizes");
  if (problem.values == Values::integers) {
    const std::int64_t shift = static_cast<std::int64_t>((problem.seed % 17 + 16) % 17);
#pragma omp parallel for schedule(static)
    for (std::int64_t k = 0; k < rows * columns; ++k) {
      const std::int64_t i = k / columns % 17, j = k % columns % 17;
      a[k] = static_cast<T>((7 * i + 13 * j + shift) % 17 - 8);
    }
    for (std::int64_t j = 0; j < columns; ++j) b[j] = static_cast<T>(5 * (j % 11) % 11 - 5);
  } else {
#pragma omp parallel for schedule(static)
    for (std::int64_t k = 0; k < rows * columns; ++k) a[k] = uniform<T>(problem.seed, k);
    // B uses another stream: a user is unlikely to give A the complement as a seed.
    for (std::int64_t j = 0; j < columns; ++j) b[j] = uniform<T>(~problem.seed, j);
  }
}

template void require_problem<float>(const Problem&);
template void require_problem<double>(const Problem&);
template void fill(const Problem&, std::span<float>, std::span<float>);
template void fill(const Problem&, std::span<double>, std::span<double>);

}  // namespace speedwell::matvec
