// Tolerance. A result is a sum of terms, products of inputs and of 1/(2 h), each of which is rounded at most n times
// (OperationInfo::roundings): got = sum of t_m (1 + theta_m), |theta_m| <= gamma_n = n u / (1 - n u) (Higham 2002,
// 3.1), so that |got - exact| <= gamma_n sum |t_m|, whatever is contracted to a fused multiply-add. The oracle computes
// the sum of magnitudes. One more rounding allows for its own.
#include "speedwell/apps/vector_calculus/verify/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "speedwell/core/compare.hpp"

namespace speedwell::vector_calculus {
namespace {

template <class T>
void require_size(const Inputs<T>& inputs, std::size_t got) {
  if (got != static_cast<std::size_t>(inputs.result_words()))
    throw std::invalid_argument("vector_calculus: " + std::to_string(got) + " words to verify, the result has " +
                                std::to_string(inputs.result_words()));
}

template <class T>
void compare(StudyCriteria& seen, T expected, T got) {
  const bool finite = std::isfinite(expected) && std::isfinite(got);
  const double relative = expected == got ? 0
                          : finite        ? std::abs(static_cast<double>(got) - static_cast<double>(expected)) /
                                         std::abs(static_cast<double>(expected))
                                   : std::numeric_limits<double>::infinity();
  const std::uint64_t ulps = expected == got ? 0
                             : finite        ? core::ulp_distance(expected, got)
                                             : std::numeric_limits<std::uint64_t>::max();
  seen.largest_relative = std::max(seen.largest_relative, relative);
  seen.largest_ulps = std::max(seen.largest_ulps, ulps);
  seen.over_relative += relative > study_relative;
  seen.over_ulps += ulps > study_ulps;
}

// The extremes that one thread has found.
template <class T>
struct Seen {
  std::int64_t differing = 0;
  double worst = 0;  // times the magnitude
  bool nan = false;
  StudyCriteria study;

  void see(const Exact& expected, T got) {
    compare(study, static_cast<T>(expected.value), got);
    const long double distance = std::abs(static_cast<long double>(got) - expected.value);
    nan = nan || std::isnan(distance);
    if (distance == 0) return;
    ++differing;
    worst = std::max(worst, static_cast<double>(distance / expected.magnitude));
  }
  void merge(const Seen& other) {
    differing += other.differing;
    worst = std::max(worst, other.worst);
    nan = nan || other.nan;
    study.largest_relative = std::max(study.largest_relative, other.study.largest_relative);
    study.largest_ulps = std::max(study.largest_ulps, other.study.largest_ulps);
    study.over_relative += other.study.over_relative;
    study.over_ulps += other.study.over_ulps;
  }
};

}  // namespace

template <class T>
VerificationResult verify_in_detail(const Inputs<T>& inputs, std::span<const T> got) {
  require_size(inputs, got.size());
  const Problem& problem = inputs.problem();
  const Grid& g = problem.grid;
  const int components = info(problem.operation).components;
  const std::int64_t of_point = problem.layout == Layout::aos ? components : 1,
                     of_component = problem.layout == Layout::aos ? 1 : g.size();
  const Reference<T> reference(problem.operation, problem.layout, inputs.operands());
  Seen<T> all;
#pragma omp parallel
  {
    Seen<T> own;
#pragma omp for collapse(2) schedule(static) nowait
    for (std::int64_t k = 0; k < g.nz; ++k)
      for (std::int64_t j = 0; j < g.ny; ++j)
        for (std::int64_t i = 0; i < g.nx; ++i) {
          const T* const point = got.data() + of_point * (i + g.nx * (j + g.ny * k));
          const ExactPoint expected = reference.at(i, j, k);
          for (int c = 0; c < components; ++c) own.see(expected.component[c], point[c * of_component]);
        }
#pragma omp critical(vector_calculus_verify)
    all.merge(own);
  }
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  if (problem.values == Values::integers)
    return {core::Verdict::from_error(all.nan ? not_a_number : static_cast<double>(all.differing), 0,
                                      "definition in extended precision, words that differ"),
            all.study};
  const double nu =
      (info(problem.operation).roundings + 1) * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  return {core::Verdict::from_error(all.nan ? not_a_number : all.worst / (nu / (1 - nu)), 1,
                                    "definition in extended precision, error over its bound"),
          all.study};
}

template <class T>
core::Verdict verify(const Inputs<T>& inputs, std::span<const T> got) {
  return verify_in_detail(inputs, got).verdict;
}

template <class T>
StudyCriteria study_criteria(std::span<const T> expected, std::span<const T> got) {
  if (expected.size() != got.size())
    throw std::invalid_argument("vector_calculus: " + std::to_string(got.size()) + " words to compare with " +
                                std::to_string(expected.size()));
  StudyCriteria seen;
  for (std::size_t i = 0; i < got.size(); ++i) compare(seen, expected[i], got[i]);
  return seen;
}

template VerificationResult verify_in_detail(const Inputs<float>&, std::span<const float>);
template VerificationResult verify_in_detail(const Inputs<double>&, std::span<const double>);
template core::Verdict verify(const Inputs<float>&, std::span<const float>);
template core::Verdict verify(const Inputs<double>&, std::span<const double>);
template StudyCriteria study_criteria(std::span<const float>, std::span<const float>);
template StudyCriteria study_criteria(std::span<const double>, std::span<const double>);

}  // namespace speedwell::vector_calculus
