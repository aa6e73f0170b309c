#include "speedwell/apps/stream/problem.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::stream {
namespace {

template <class T, class Value>
core::HostBuffer<T> filled(std::int64_t first, std::int64_t count, const Value& value) {
  core::HostBuffer<T> array(static_cast<std::size_t>(count), core::Pages::large);
  core::parallel_for(array.size(), sizeof(T), 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) array[i] = value(static_cast<std::uint64_t>(first) + i);
  });
  return array;
}

}  // namespace

template <class T>
Inputs<T> make_inputs(const Problem& problem, std::int64_t first, std::int64_t count) {
  Inputs<T> inputs;
  if (problem.kernel == Kernel::sequence) {
    inputs.x = filled<T>(first, count, [](std::uint64_t) { return static_cast<T>(sequence_a); });
    return inputs;
  }
  inputs.x = filled<T>(first, count, [&](std::uint64_t i) { return input<T>(problem.seed, 0, i); });
  if (problem.reads_y())
    inputs.y = filled<T>(first, count, [&](std::uint64_t i) { return input<T>(problem.seed, 1, i); });
  return inputs;
}

template <class T>
Inputs<T> make_inputs(const Problem& problem) {
  return make_inputs<T>(problem, 0, problem.n);
}

template Inputs<double> make_inputs(const Problem&, std::int64_t, std::int64_t);
template Inputs<float> make_inputs(const Problem&, std::int64_t, std::int64_t);
template Inputs<double> make_inputs(const Problem&);
template Inputs<float> make_inputs(const Problem&);

}  // namespace speedwell::stream
