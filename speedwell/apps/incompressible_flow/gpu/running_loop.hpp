// The loop of the conjugate gradient solvers, which goes on while their scalars in device memory say so, and what they
// report of it.
#pragma once

#include <utility>

#include "speedwell/core/cuda.hpp"
#include "speedwell/numerics/loop_graph.hpp"

namespace speedwell::incompressible_flow::gpu {

template <class Scalars>
__global__ void set_loop_condition(const Scalars* scalars, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, scalars->running ? 1u : 0u);
}

/// Records iterate(), which enqueues an iteration on `stream`, as the body of a loop while scalars->running.
template <class Scalars, class Iterate>
numerics::LoopGraph loop_while_running(const Scalars* scalars, const core::Stream& stream, const Iterate& iterate) {
  const auto decide = [&](cudaGraphConditionalHandle handle) {
    set_loop_condition<<<1, 1, 0, stream.get()>>>(scalars, handle);
    core::check(cudaGetLastError());
  };
  return numerics::LoopGraph(stream, decide, [&](cudaGraphConditionalHandle handle) {
    iterate();
    decide(handle);
  });
}

/// The present scalars, after which the iterations and failures since the last report are 0. Waits for `stream`.
template <class Scalars>
Scalars take_report(core::DeviceBuffer<Scalars>& scalars, const core::Stream& stream) {
  Scalars now;
  core::copy_async(&now, std::as_const(scalars).data(), 1, stream);
  stream.synchronize();
  core::check(cudaMemsetAsync(&scalars.data()->all_iterations, 0, sizeof(int), stream.get()));
  core::check(cudaMemsetAsync(&scalars.data()->failed, 0, sizeof(int), stream.get()));
  return now;
}

}  // namespace speedwell::incompressible_flow::gpu
