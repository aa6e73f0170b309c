// Built with -ffp-contract=off: a contracted product and sum would reject results that IEEE 754 permits, or accept
// others.
#include "speedwell/apps/stream/verify.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace speedwell::stream {
namespace {

__extension__ typedef __int128 Integer128;

template <class T>
bool right(Kernel kernel, T x, T y, T got) {
  const T scalar = static_cast<T>(stream_scalar);
  switch (kernel) {
    case Kernel::copy:
      return got == x;
    case Kernel::scale:
      return got == scalar * x;
    case Kernel::add:
      return got == x + y;
    case Kernel::triad: {
      const T product = scalar * y;
      return got == product + x || got == std::fma(scalar, y, x);
    }
    case Kernel::dot:
    case Kernel::sequence:
      break;
  }
  throw std::logic_error("stream: not an elementwise kernel");
}

template <class T>
core::Verdict verify_elements(const Problem& problem, std::span<const T> got) {
  const char* oracle = problem.kernel == Kernel::triad ? "exact result rounded once or twice, number of wrong elements"
                                                       : "exact result rounded once, number of wrong elements";
  if (static_cast<std::int64_t>(got.size()) != problem.n) return {false, static_cast<double>(problem.n), 0, oracle};
  std::int64_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
  for (std::int64_t i = 0; i < problem.n; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    const T x = input<T>(problem.seed, 0, index);
    const T y = problem.reads_y() ? input<T>(problem.seed, 1, index) : T{};
    wrong += !right(problem.kernel, x, y, got[static_cast<std::size_t>(i)]);
  }
  return core::Verdict::from_error(static_cast<double>(wrong), 0, oracle);
}

// Inputs are multiples of 2^-53 below 2, so that products are multiples of 2^-106 below 2^107 of those, and a block of
// 2^16 of them fits in 127 bits. Blocks are added in units of 2^-74: the truncation is below n 2^-90 in total, far
// below u.
template <class T>
core::Verdict verify_dot(const Problem& problem, double got) {
  constexpr std::int64_t block = 1 << 16;
  const auto whole = [](T value) { return static_cast<std::int64_t>(static_cast<double>(value) * 0x1p53); };
  Integer128 sum = 0, magnitude = 0;
#pragma omp parallel
  {
    Integer128 my_sum = 0, my_magnitude = 0;
#pragma omp for nowait
    for (std::int64_t first = 0; first < problem.n; first += block) {
      Integer128 block_sum = 0, block_magnitude = 0;
      const std::int64_t last = std::min(problem.n, first + block);
      for (std::int64_t i = first; i < last; ++i) {
        const auto index = static_cast<std::uint64_t>(i);
        const Integer128 product =
            static_cast<Integer128>(whole(input<T>(problem.seed, 0, index))) * whole(input<T>(problem.seed, 1, index));
        block_sum += product;
        block_magnitude += product < 0 ? -product : product;
      }
      my_sum += block_sum >> 32;
      my_magnitude += block_magnitude >> 32;
    }
#pragma omp critical
    {
      sum += my_sum;
      magnitude += my_magnitude;
    }
  }
  const double exact = static_cast<double>(sum) * 0x1p-74;
  const double k = additions(problem.n), u = 0x1p-53;
  const double tolerance = k * u / (1 - k * u) * static_cast<double>(magnitude) * 0x1p-74;
  return core::Verdict::from_error(std::abs(got - exact), tolerance,
                                   "dot product in exact integer arithmetic, difference");
}

// Largest relative error of any element; NaN if an element is NaN.
template <class T>
double largest_error(std::span<const T> got, double expected) {
  double largest = 0;
  bool not_a_number = false;
#pragma omp parallel for reduction(max : largest) reduction(|| : not_a_number)
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = std::abs(static_cast<double>(got[i]) - expected) / expected;
    not_a_number = not_a_number || std::isnan(error);
    largest = std::max(largest, error);
  }
  return not_a_number ? std::numeric_limits<double>::quiet_NaN() : largest;
}

template <class T>
core::Verdict verify_sequence(const Problem& problem, const Answer<T>& answer) {
  constexpr const char* oracle = "STREAM's validation, largest relative error of any element";
  const double epsilon = sizeof(T) == 8 ? 1e-13 : 1e-6;
  double a = 1, b = 2, c = 0;
  a = 2 * a;
  for (int repetition = 0; repetition < 10; ++repetition) {
    c = a;
    b = 3 * c;
    c = a + b;
    a = b + 3 * c;
  }
  double error = 0;
  for (const auto& [array, expected] : {std::pair{answer.a, a}, std::pair{answer.b, b}, std::pair{answer.c, c}}) {
    if (static_cast<std::int64_t>(array.size()) != problem.n) return {false, 1, epsilon, oracle};
    const double of_array = largest_error(array, expected);
    if (!(of_array <= error)) error = of_array;  // also true for NaN
    if (std::isnan(error)) break;
  }
  return core::Verdict::from_error(error, epsilon, oracle);
}

}  // namespace

template <class T>
core::Verdict verify(const Problem& problem, const Answer<T>& answer) {
  if (problem.kernel == Kernel::dot) return verify_dot<T>(problem, answer.sum);
  if (problem.kernel == Kernel::sequence) return verify_sequence<T>(problem, answer);
  return verify_elements<T>(problem, answer.out);
}

template core::Verdict verify(const Problem&, const Answer<double>&);
template core::Verdict verify(const Problem&, const Answer<float>&);

}  // namespace speedwell::stream
