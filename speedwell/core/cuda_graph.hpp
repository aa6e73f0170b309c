// A CUDA graph: work of a stream, recorded once and replayed with one launch. For CUDA sources only.
#pragma once

#include <utility>

#include "speedwell/core/cuda.hpp"

namespace speedwell::core {

class Graph {
 public:
  Graph() = default;
  /// Records the work that `enqueue()` enqueues on `stream` without running it. The operands must outlive the graph.
  /// Throws DeviceError, or what enqueue() throws.
  template <class Enqueue>
  Graph(const Stream& stream, const Enqueue& enqueue) {
    cudaGraph_t recorded = nullptr;
    // Relaxed: the first use of a kernel loads its module, which stricter modes may refuse while recording.
    check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed));
    try {
      enqueue();
    } catch (...) {
      if (cudaStreamEndCapture(stream.get(), &recorded) == cudaSuccess && recorded) cudaGraphDestroy(recorded);
      (void)cudaGetLastError();
      throw;
    }
    check(cudaStreamEndCapture(stream.get(), &recorded));
    const cudaError_t status = cudaGraphInstantiate(&graph_, recorded, 0);
    cudaGraphDestroy(recorded);
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
  void launch(const Stream& stream) const { check(cudaGraphLaunch(graph_, stream.get())); }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace speedwell::core
