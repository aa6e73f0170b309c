// A device-side loop: a CUDA graph with a conditional while node repeats its body until a kernel clears the condition,
// without synchronising with the host. For CUDA sources only.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <utility>

#include "speedwell/core/cuda.hpp"

namespace speedwell::numerics {

/// Whether solvers should decide on their iterations on the host although they could record a LoopGraph: if the
/// environment has SPEEDWELL_LOOPS_BY_HOST, for compute-sanitizer, which reports errors in kernels of conditional
/// nodes.
inline bool loops_by_host() { return std::getenv("SPEEDWELL_LOOPS_BY_HOST") != nullptr; }

class LoopGraph {
 public:
  LoopGraph() = default;
  /// Captures the work that `enqueue(handle)` enqueues on `stream` as the body; its last kernel must call
  /// cudaGraphSetConditional(). The body runs at least once. All operands must outlive the graph. Throws DeviceError.
  template <class Enqueue>
  LoopGraph(const core::Stream& stream, const Enqueue& enqueue)
      : LoopGraph(
            stream, [](cudaGraphConditionalHandle) {}, enqueue, 1) {}
  /// As above, but `first(handle)` enqueues one kernel that precedes the loop and sets the condition of its first
  /// execution.
  template <class First, class Enqueue>
  LoopGraph(const core::Stream& stream, const First& first, const Enqueue& enqueue)
      : LoopGraph(stream, first, enqueue, 0) {}
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
  template <class First, class Enqueue>
  LoopGraph(const core::Stream& stream, const First& first, const Enqueue& enqueue, unsigned runs) {
    cudaGraph_t graph = nullptr;
    core::check(cudaGraphCreate(&graph, 0));
    try {
      cudaGraphConditionalHandle handle{};
      core::check(cudaGraphConditionalHandleCreate(&handle, graph, runs, cudaGraphCondAssignDefault));
      record(stream, graph, [&] { first(handle); });
      cudaGraphNode_t before = nullptr;
      std::size_t count = runs == 0 ? 1 : 0;
      if (count > 0) core::check(cudaGraphGetNodes(graph, &before, &count));
      cudaGraphNodeParams parameters{};
      parameters.type = cudaGraphNodeTypeConditional;
      parameters.conditional.handle = handle;
      parameters.conditional.type = cudaGraphCondTypeWhile;
      parameters.conditional.size = 1;
      cudaGraphNode_t node = nullptr;
#if CUDART_VERSION >= 13000
      core::check(cudaGraphAddNode(&node, graph, &before, nullptr, count, &parameters));
#else
      core::check(cudaGraphAddNode(&node, graph, &before, count, &parameters));
#endif
      record(stream, parameters.conditional.phGraph_out[0], [&] { enqueue(handle); });
      core::check(cudaGraphInstantiate(&graph_, graph, 0));
    } catch (...) {
      cudaGraphDestroy(graph);
      throw;
    }
    cudaGraphDestroy(graph);
  }

  template <class Work>
  static void record(const core::Stream& stream, cudaGraph_t graph, const Work& work) {
    core::check(cudaStreamBeginCaptureToGraph(stream.get(), graph, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
    try {
      work();
    } catch (...) {
      cudaStreamEndCapture(stream.get(), &graph);
      (void)cudaGetLastError();
      throw;
    }
    core::check(cudaStreamEndCapture(stream.get(), &graph));
  }

  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace speedwell::numerics
