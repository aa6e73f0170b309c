#include "speedwell/apps/stream/problem.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::stream {
namespace {

template <class T, class Value>
core::HostBuffer<T> filled(std::int64_t n, const Value& value) {
  core::HostBuffer<T> array(static_cast<std::size_t>(n), core::Pages::large);
  core::parallel_for(array.size(), sizeof(T), 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) array[i] = value(i);
  });
  return array;
}

}  // namespace

template <class T>
Inputs<T> make_inputs(const Problem& problem) {
  Inputs<T> inputs;
  if (problem.kernel == Kernel::sequence) {
    inputs.x = filled<T>(problem.n, [](std::size_t) { return static_cast<T>(sequence_a); });
    return inputs;
  }
  inputs.x = filled<T>(problem.n, [&](std::size_t i) { return input<T>(problem.seed, 0, i); });
  if (problem.reads_y()) inputs.y = filled<T>(problem.n, [&](std::size_t i) { return input<T>(problem.seed, 1, i); });
  return inputs;
}

template Inputs<double> make_inputs(const Problem&);
template Inputs<float> make_inputs(const Problem&);

}  // namespace speedwell::stream
