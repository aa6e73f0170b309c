// The workload of stream for the harness: the input arrays in either precision, and the results in host memory.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "speedwell/apps/stream/problem.hpp"
#include "speedwell/apps/stream/verify.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/harness/measurement/precision.hpp"

namespace speedwell::stream {

/// Throws std::invalid_argument where the values do not go together.
Problem problem_of(const harness::Problem& problem);

/// The results of a variant in host memory. Arrays that the kernel does not write are empty; those of a sequence are a,
/// b and c = out.
template <class T>
struct Results {
  core::HostBuffer<T> out, a, b;
  double sum = std::numeric_limits<double>::quiet_NaN();
};

template <class T>
class TypedWorkload {
 public:
  using Answer = Results<T>;

  /// `whole` is false on all ranks but the first one, which verifies: they make their parts of the arrays themselves.
  explicit TypedWorkload(const Problem& problem, bool whole = true)
      : problem_(problem), inputs_(make_inputs<T>(problem, 0, whole ? problem.n : 0)) {}
  const Problem& problem() const { return problem_; }
  const Inputs<T>& inputs() const { return inputs_; }
  bool is_sequence() const { return problem_.kernel == Kernel::sequence; }

  Answer make_answer() const {
    const auto array = [n = static_cast<std::size_t>(problem_.n)] {
      return core::HostBuffer<T>(n, core::Pages::large);
    };
    Answer results;
    if (problem_.kernel != Kernel::dot) results.out = array();
    if (is_sequence()) {
      results.a = array();
      results.b = array();
    }
    return results;
  }
  std::vector<harness::Output> outputs(Answer& results) const {
    const auto output = [](const char* name, core::HostBuffer<T>& array) {
      return harness::Output{name, harness::element_type<T>, array.data(), array.size()};
    };
    if (problem_.kernel == Kernel::dot) return {{"sum", harness::ElementType::f64, &results.sum, 1}};
    if (is_sequence()) return {output("a", results.a), output("b", results.b), output("c", results.out)};
    return {output("out", results.out)};
  }
  core::Verdict verify(const Answer& results) const {
    return stream::verify<T>(problem_, {.out = results.out.span(),
                                        .sum = results.sum,
                                        .a = results.a.span(),
                                        .b = results.b.span(),
                                        .c = results.out.span()});
  }

 private:
  Problem problem_;
  Inputs<T> inputs_;
};

/// Executes the kernel of a problem as often as that says, with vectors on all threads.
template <class T>
void execute_kernel(const Problem& problem, const Inputs<T>& inputs, Results<T>& results, const HostOptions& options) {
  const std::span<const T> x = inputs.x.span(), y = inputs.y.span();
  const std::span<T> out = results.out.span();
  const T s = static_cast<T>(stream_scalar);
  for (std::int64_t r = 0; r < problem.repeats; ++r) switch (problem.kernel) {
      case Kernel::copy:
        copy<T>(x, out, options);
        break;
      case Kernel::scale:
        scale<T>(s, x, out, options);
        break;
      case Kernel::add:
        add<T>(x, y, out, options);
        break;
      case Kernel::triad:
        triad<T>(s, x, y, out, options);
        break;
      case Kernel::dot:
        results.sum = dot<T>(x, y, options);
        break;
      case Kernel::sequence:
        for (int i = 0; i < sequence_repeats; ++i) sequence<T>(results.a.span(), results.b.span(), out, options);
        break;
    }
}

using StreamWorkload = harness::PrecisionWorkload<TypedWorkload>;

}  // namespace speedwell::stream
