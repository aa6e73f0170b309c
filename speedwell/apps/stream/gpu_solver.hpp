// The GPU solver: buffers, transfers and the kernels of one execute, for all GPU variants of stream.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "speedwell/apps/stream/cuda.hpp"
#include "speedwell/apps/stream/problem.hpp"
#include "speedwell/core/cuda/cuda_graph.hpp"

namespace speedwell::stream {

/// Launch method of the kernels of one execute.
enum class Dispatch { one_by_one, graph };

/// A sequence stores a, b and c in x_, y_ and out_.
template <class T>
class GpuSolver {
 public:
  GpuSolver(const Problem& problem, Launch<T>* launch, Dispatch dispatch)
      : problem_(problem), launch_(launch), dispatch_(dispatch) {}

  void allocate(const core::Stream& stream) {
    const auto n = static_cast<std::size_t>(problem_.n);
    std::int64_t working_set = 0;
    const auto take = [&](core::DeviceBuffer<T>& buffer) {
      buffer = {};  // released before the next allocation
      buffer = core::DeviceBuffer<T>(n);
      working_set += static_cast<std::int64_t>(buffer.bytes());
    };
    take(x_);
    if (problem_.reads_y() || problem_.kernel == Kernel::sequence) take(y_);
    if (problem_.kernel != Kernel::dot) take(out_);
    streaming_ = working_set > streaming_threshold();
    if (problem_.kernel == Kernel::dot) dot_ = DotWorkspace(problem_.n, stream);
    if (dispatch_ == Dispatch::graph) graph_ = core::Graph(stream, [&] { enqueue_kernels(stream); });
    stream.synchronize();
  }
  void upload(const Inputs<T>& inputs, const core::Stream& stream) {
    core::copy_async(x_.data(), inputs.x.data(), x_.size(), stream);
    if (problem_.reads_y()) core::copy_async(y_.data(), inputs.y.data(), y_.size(), stream);
    stream.synchronize();
  }
  /// Only a sequence modifies its input.
  void reset(const core::Stream& stream) {
    if (problem_.kernel == Kernel::sequence) fill(x_.data(), problem_.n, static_cast<T>(sequence_a), stream);
  }
  void poison(const core::Stream& stream) {
    core::fill_bytes_async(out_, 0xFF, stream);
    if (problem_.kernel == Kernel::sequence) core::fill_bytes_async(y_, 0xFF, stream);
    stream.synchronize();  // no kernel writes the sum any more
    if (problem_.kernel == Kernel::dot) *dot_.sum() = std::numeric_limits<double>::quiet_NaN();
  }
  void enqueue(const core::Stream& stream) {
    if (dispatch_ == Dispatch::graph)
      graph_.launch(stream);
    else
      enqueue_kernels(stream);
  }
  /// Copies the arrays that are not empty: out (the c of a sequence), and a and b of a sequence. Returns when they have
  /// arrived.
  void download(std::span<T> out, std::span<T> a, std::span<T> b, const core::Stream& stream) {
    for (const auto& [to, from] : {std::pair{out, &out_}, std::pair{a, &x_}, std::pair{b, &y_}})
      if (!to.empty()) core::copy_async(to.data(), from->data(), to.size(), stream);
    stream.synchronize();
  }
  /// The sum of dot, valid after the last synchronisation.
  double sum() const { return dot_.result(); }
  bool streaming() const { return streaming_; }

 private:
  void enqueue_kernels(const core::Stream& stream) {
    for (std::int64_t r = 0; r < problem_.repeats; ++r) {
      if (problem_.kernel == Kernel::sequence)
        enqueue_sequence(stream);
      else
        launch_(problem_.kernel, operands(x_.data(), y_.data(), out_.data()), stream);
    }
  }
  void enqueue_sequence(const core::Stream& stream) {
    T *a = x_.data(), *b = y_.data(), *c = out_.data();
    for (int r = 0; r < sequence_repeats; ++r) {
      launch_(Kernel::copy, operands(a, nullptr, c), stream);
      launch_(Kernel::scale, operands(c, nullptr, b), stream);
      launch_(Kernel::add, operands(a, b, c), stream);
      launch_(Kernel::triad, operands(b, c, a), stream);
    }
  }
  Operands<T> operands(const T* x, const T* y, T* out) {
    return {.x = x,
            .y = y,
            .out = out,
            .n = problem_.n,
            .scalar = static_cast<T>(stream_scalar),
            .streaming = streaming_,
            .dot = &dot_};
  }

  Problem problem_;
  Launch<T>* launch_;
  Dispatch dispatch_;
  bool streaming_ = false;
  core::DeviceBuffer<T> x_, y_, out_;
  DotWorkspace dot_;
  core::Graph graph_;
};

}  // namespace speedwell::stream
