#include "speedwell/apps/fft/problem.hpp"

#include "speedwell/apps/fft/accuracy.hpp"
#include "speedwell/core/random.hpp"

namespace speedwell::fft {
namespace {

std::int64_t spectrum_points(const Problem& problem) {
  const std::int64_t n = problem.shape.extents.back();
  return points(problem) / n * (n / 2 + 1);
}
bool spectrum_in(const Problem& p) { return p.data == Data::real && p.direction == Direction::backward; }
bool spectrum_out(const Problem& p) { return p.data == Data::real && p.direction == Direction::forward; }

double random_component(const Problem& problem, std::int64_t i) {
  return core::random_uniform(problem.seed, static_cast<std::uint64_t>(i)) - 0.5;
}

// The real data whose spectrum is the input of a backward transform, rounded to T.
template <class T>
Points real_points(const Problem& problem) {
  Points x(points(problem));
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<T>(random_component(problem, static_cast<std::int64_t>(i)));
  return x;
}

// The n / 2 + 1 bins of every row that a real transform stores.
Points half_spectrum(const Problem& problem, const Points& whole) {
  const std::int64_t n = problem.shape.extents.back();
  Points half;
  half.reserve(spectrum_points(problem));
  for (std::size_t row = 0; row < whole.size(); row += n)
    half.insert(half.end(), whole.begin() + row, whole.begin() + row + n / 2 + 1);
  return half;
}

}  // namespace

std::int64_t points(const Problem& problem) {
  std::int64_t points = problem.shape.batch;
  for (const std::int64_t n : problem.shape.extents) points *= n;
  return points;
}
std::int64_t input_reals(const Problem& problem) {
  if (problem.data == Data::complex) return 2 * points(problem);
  return spectrum_in(problem) ? 2 * spectrum_points(problem) : points(problem);
}
std::int64_t output_reals(const Problem& problem) {
  if (problem.data == Data::complex) return 2 * points(problem);
  return spectrum_out(problem) ? 2 * spectrum_points(problem) : points(problem);
}

double oracle_bytes(const Problem& problem) {
  const auto whole = static_cast<double>(points(problem) * sizeof(reference::Complex));
  // For a single axis, a line of the oracle is as long as the array; a half spectrum has half of the bins.
  return whole * (problem.shape.extents.size() == 1 ? 2 : 1) + whole * (problem.data == Data::real ? 0.6 : 0);
}

template <class T>
void fill(const Problem& problem, std::span<T> in) {
  const auto size = static_cast<std::int64_t>(in.size());
  if (!spectrum_in(problem)) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < size; ++i) in[i] = static_cast<T>(random_component(problem, i));
    return;
  }
  Points x = real_points<T>(problem);
  reference::forward(std::span(x), problem.shape.extents);
  const Points half = half_spectrum(problem, x);
  for (std::size_t i = 0; i < half.size(); ++i) {
    in[2 * i] = static_cast<T>(half[i].real());
    in[2 * i + 1] = static_cast<T>(half[i].imag());
  }
}

template <class T>
Points expect(const Problem& problem, std::span<const T> in) {
  Points x;
  if (problem.data == Data::real) {
    x = real_points<T>(problem);
    if (problem.direction == Direction::backward) {  // the result is N times the reals whose spectrum is the input
      const auto size = static_cast<reference::Real>(points(problem) / problem.shape.batch);
      for (reference::Complex& z : x) z *= size;
      return x;
    }
  } else {
    x.resize(in.size() / 2);
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = {in[2 * i], in[2 * i + 1]};
  }
  if (problem.direction == Direction::forward)
    reference::forward(std::span(x), problem.shape.extents);
  else
    reference::backward(std::span(x), problem.shape.extents);
  return problem.data == Data::real ? half_spectrum(problem, x) : x;
}

template <class T>
core::Verdict verify(const Problem& problem, std::span<const reference::Complex> expected, std::span<const T> out) {
  const bool reals = spectrum_in(problem);
  std::vector<std::complex<T>> of_reals(reals ? expected.size() : 0);
  for (std::size_t i = 0; i < of_reals.size(); ++i) of_reals[i] = out[i];
  std::span<const std::complex<T>> got(of_reals);
  if (!reals) got = {reinterpret_cast<const std::complex<T>*>(out.data()), out.size() / 2};
  // The rounding of the spectrum to T adds an error of its own.
  const double allowed = tolerance<T>(points(problem) / problem.shape.batch) * (reals ? 1.5 : 1);
  return core::Verdict::from_error(errors<T>(expected, got).l2, allowed, "extended precision, relative L2 error");
}

template void fill(const Problem&, std::span<float>);
template void fill(const Problem&, std::span<double>);
template Points expect(const Problem&, std::span<const float>);
template Points expect(const Problem&, std::span<const double>);
template core::Verdict verify(const Problem&, std::span<const reference::Complex>, std::span<const float>);
template core::Verdict verify(const Problem&, std::span<const reference::Complex>, std::span<const double>);

}  // namespace speedwell::fft
