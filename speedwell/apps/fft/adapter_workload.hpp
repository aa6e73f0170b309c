// The workload of fft for the harness: the input, the oracle's transform when it is first needed, and the output in
// host memory.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "speedwell/apps/fft/problem.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/lazy.hpp"
#include "speedwell/harness/measurement/precision.hpp"

namespace speedwell::fft {

/// The input of one problem in T. Complex numbers are two reals each.
template <class T>
class Inputs {
 public:
  using Answer = core::HostBuffer<T>;  // the transform

  /// `whole`: the input is generated; ranks other than the first need none.
  explicit Inputs(const Problem& problem, bool whole = true) : problem_(problem) {
    if (!whole) return;
    in_ = core::HostBuffer<T>(static_cast<std::size_t>(input_reals(problem)), core::Pages::large);
    fill<T>(problem, in_.span());
  }
  const Problem& problem() const { return problem_; }
  bool is_real() const { return problem_.data == Data::real; }
  bool is_backward() const { return problem_.direction == Direction::backward; }
  std::span<const T> in() const { return in_.span(); }

  Answer make_answer() const { return Answer(output_reals(problem_), core::Pages::large); }
  /// Its extents count reals, two of which are a point of complex results.
  std::vector<harness::Output> outputs(Answer& out) const {
    std::vector<std::size_t> extents = {static_cast<std::size_t>(problem_.shape.batch)};
    std::size_t lines = extents[0];
    for (std::size_t d = 0; d + 1 < problem_.shape.extents.size(); ++d) {
      extents.push_back(static_cast<std::size_t>(problem_.shape.extents[d]));
      lines *= extents.back();
    }
    extents.push_back(out.size() / lines);
    return {{.name = "out",
             .type = harness::element_type<T>,
             .data = out.data(),
             .count = out.size(),
             .extents = std::move(extents)}};
  }
  core::Verdict verify(const Answer& out) const {
    const auto& expected = expected_.get([this] { return expect<T>(problem_, in_.span()); });
    return fft::verify<T>(problem_, expected, out.span());
  }

 private:
  Problem problem_;
  core::HostBuffer<T> in_;
  core::Lazy<Points> expected_;
};

using FftWorkload = harness::PrecisionWorkload<Inputs>;

/// The complex numbers that pairs of reals are.
template <class T>
std::span<std::complex<T>> complexes(std::span<T> x) {
  return {reinterpret_cast<std::complex<T>*>(x.data()), x.size() / 2};
}
template <class T>
std::span<const std::complex<T>> complexes(std::span<const T> x) {
  return {reinterpret_cast<const std::complex<T>*>(x.data()), x.size() / 2};
}

}  // namespace speedwell::fft
