// Work that a device repeats by itself as long as a flag in its memory is set: a graph with a conditional node, so that
// no iteration waits for the host. Included by CUDA sources alone.
#pragma once

#include <utility>

#include "speedwell/core/cuda.hpp"

namespace speedwell::numerics {

class LoopGraph {
 public:
  LoopGraph() = default;
  /// Records what `enqueue(handle)` puts on `stream`: the body, whose last kernel must call cudaGraphSetConditional().
  /// The body runs at least once. The operands must outlive the graph. Throws DeviceError.
  template <class Enqueue>
  LoopGraph(const core::Stream& stream, const Enqueue& enqueue) {
    cudaGraph_t graph = nullptr;
    core::check(cudaGraphCreate(&graph, 0));
    try {
      cudaGraphConditionalHandle handle{};
      core::check(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
      cudaGraphNodeParams parameters{};
      parameters.type = cudaGraphNodeTypeConditional;
      parameters.conditional.handle = handle;
      parameters.conditional.type = cudaGraphCondTypeWhile;
      parameters.conditional.size = 1;
      cudaGraphNode_t node = nullptr;
#if CUDART_VERSION >= 13000
      core::check(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters));
#else
      core::check(cudaGraphAddNode(&node, graph, nullptr, 0, &parameters));
#endif
      cudaGraph_t body = parameters.conditional.phGraph_out[0];
      core::check(cudaStreamBeginCaptureToGraph(stream.get(), body, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
      try {
        enqueue(handle);
      } catch (...) {
        cudaStreamEndCapture(stream.get(), &body);
        (void)cudaGetLastError();
        throw;
      }
      core::check(cudaStreamEndCapture(stream.get(), &body));
      core::check(cudaGraphInstantiate(&graph_, graph, 0));
    } catch (...) {
      cudaGraphDestroy(graph);
      throw;
    }
    cudaGraphDestroy(graph);
  }
  LoopGraph(LoopGraph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  LoopGraph& operator=(LoopGraph&& other) noexcept {
    std::swap(graph_, other.graph_);
    return *this;
  }
  ~LoopGraph() {
    if (graph_) cudaGraphExecDestroy(graph_);
  }
  void launch(const core::Stream& stream) const { core::check(cudaGraphLaunch(graph_, stream.get())); }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace speedwell::numerics
