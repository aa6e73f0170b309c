// A CUDA graph: the work of a stream, captured once and launched repeatedly. For CUDA sources only.
#pragma once

#include <utility>

#include "speedwell/core/cuda.hpp"

namespace speedwell::core {

/// An executable graph. A default-constructed or moved-from one cannot be launched.
class Graph {
 public:
  Graph() = default;
  /// Captures the work that `enqueue()` enqueues on `stream`, without running it, and instantiates the graph. Device
  /// memory that the work uses must outlive the graph. Throws DeviceError, or what enqueue() throws.
  template <class Enqueue>
  Graph(const Stream& stream, const Enqueue& enqueue) {
    cudaGraph_t captured = nullptr;
    // The first use of a kernel may load its module, and stricter modes may reject that during a capture.
    check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed));
    try {
      enqueue();
    } catch (...) {
      if (cudaStreamEndCapture(stream.get(), &captured) == cudaSuccess && captured) cudaGraphDestroy(captured);
      (void)cudaGetLastError();  // clears the error of the interrupted capture
      throw;
    }
    check(cudaStreamEndCapture(stream.get(), &captured));
    const cudaError_t status = cudaGraphInstantiate(&graph_, captured, 0);
    cudaGraphDestroy(captured);
    check(status);
  }
  Graph(Graph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  Graph& operator=(Graph&& other) noexcept {
    std::swap(graph_, other.graph_);
    return *this;
  }
  ~Graph() {
    if (graph_) cudaGraphExecDestroy(graph_);
  }
  /// Enqueues the work on `stream`. Throws DeviceError.
  void launch(const Stream& stream) const { check(cudaGraphLaunch(graph_, stream.get())); }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace speedwell::core
