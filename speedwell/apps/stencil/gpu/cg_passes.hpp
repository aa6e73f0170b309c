// CgPasses: an iteration of conjugate gradients as passes of march_kernel, on one GPU or on a slab of several. Included
// by CUDA sources only.
#pragma once

#include <cmath>

#include "speedwell/apps/stencil/gpu/cg_device.hpp"
#include "speedwell/core/cuda_trace.hpp"
#include "speedwell/numerics/loop_graph.hpp"

namespace speedwell::stencil::device {

constexpr int iterations_recorded = 8;  // iterations in the body of a loop; even, as p alternates between two buffers

/// Pointers to fields in device memory and how to compute on them; owns nothing.
template <class T, class Neighbors = NoNeighbors>
struct CgPasses {
  /// A field, and the neighbours that need its outer planes.
  struct Field {
    T* data = nullptr;
    Neighbors neighbors = {};
  };

  const Operator<T>* a = nullptr;
  Planes planes;
  CgOptions options;
  CgState* scalars = nullptr;
  SumWorkspace sums;
  Field r, p[2], z;
  const T* inverse = nullptr;

  template <class Source, class Sink>
  void pass(const Source& source, const Sink& sink, const core::Stream& stream) const {
    const auto run = [&]<Form form, int width>() { march<form, width>(*a, source, sink, planes, stream); };
    const auto of_form = [&]<Form form>() {
      a->grid.nx % widest<T> == 0 ? run.template operator()<form, widest<T>>() : run.template operator()<form, 1>();
    };
    switch (a->form) {
      case Form::face_metric:
        return of_form.template operator()<Form::face_metric>();
      case Form::face_coefficient:
        return of_form.template operator()<Form::face_coefficient>();
      default:
        return of_form.template operator()<Form::constant>();
    }
  }

  /// r = b - A x and what follows from it. Reads the halo of x.
  void begin(const T* b, const T* x, const core::Stream& stream) const {
    switch (options.preconditioner) {
      case Preconditioner::none:
        return begin_as<Preconditioning::none>(b, x, stream);
      case Preconditioner::jacobi:
        return begin_as<Preconditioning::diagonal>(b, x, stream);
      case Preconditioner::polynomial:
        begin_as<Preconditioning::separate_pass>(b, x, stream);
        return condition(stream);
    }
  }
  /// p[1 - parity] from p[parity], then x and r.
  void iterate(T* x, int parity, const core::Stream& stream) const {
    const core::DeviceSpan span("iteration", core::TraceCategory::compute, stream.get());
    const T* const before = p[parity].data;
    const Field& after = p[1 - parity];
    const KeepDirection<T, Neighbors> keep_direction{after.data, scalars, sums, after.neighbors};
    const Plain<T> direction{{after.data}};
    switch (options.preconditioner) {
      case Preconditioner::none:
        pass(Direction<T, false>{{r.data, before}, scalars}, keep_direction, stream);
        return update<Preconditioning::none>(direction, x, stream);
      case Preconditioner::jacobi:
        pass(Direction<T, true>{{r.data, before, inverse}, scalars}, keep_direction, stream);
        return update<Preconditioning::diagonal>(direction, x, stream);
      case Preconditioner::polynomial:
        pass(Direction<T, false>{{z.data, before}, scalars}, keep_direction, stream);
        update<Preconditioning::separate_pass>(direction, x, stream);
        return condition(stream);
    }
  }
  /// The body of a loop.
  void iterations(T* x, const core::Stream& stream) const {
    for (int i = 0; i < iterations_recorded; ++i) iterate(x, i % 2, stream);
  }

 private:
  template <Preconditioning preconditioned>
  void begin_as(const T* b, const T* x, const core::Stream& stream) const {
    pass(Plain<T>{{x}}, Residual<T, preconditioned, Neighbors>{b, inverse, r.data, scalars, sums, r.neighbors}, stream);
  }
  template <Preconditioning preconditioned>
  void update(const Plain<T>& direction, T* x, const core::Stream& stream) const {
    pass(direction, Update<T, preconditioned, Neighbors>{x, r.data, inverse, scalars, sums, r.neighbors}, stream);
  }
  void condition(const core::Stream& stream) const {
    pass(Scaled<T>{{r.data, inverse}},
         Polynomial<T, Neighbors>{r.data, inverse, z.data, static_cast<T>(options.omega), scalars, sums, z.neighbors},
         stream);
  }
};

static __global__ void set_limits(CgState* state, const double* sums, double tolerance, int max_iterations) {
  *state = {};
  state->bb = sums[0];
  state->limit = tolerance * tolerance * sums[0];
  state->max_iterations = max_iterations;
}

static __global__ void set_loop_condition(const CgState* state, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, state->running ? 1u : 0u);
}

// Sets x = 0 if b = 0, regardless of the initial guess.
template <class T>
__global__ void __launch_bounds__(march_threads) clear_without_b(const CgState* state, T* x, std::int64_t n) {
  if (state->bb != 0) return;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * march_threads + threadIdx.x;
  if (i < n) x[i] = 0;
}

/// The state before the first residual, from ||b||^2 in *bb; x has n values.
template <class T>
void begin_state(CgState* scalars, const double* bb, const CgOptions& options, T* x, std::int64_t n,
                 const core::Stream& stream) {
  set_limits<<<1, 1, 0, stream.get()>>>(scalars, bb, options.tolerance, options.iterations);
  clear_without_b<<<static_cast<unsigned>(core::blocks_for(n, march_threads)), march_threads, 0, stream.get()>>>(
      scalars, x, n);
  core::check(cudaGetLastError());
}

inline CgResult result_of(const CgState& end) {
  return {.iterations = end.iteration,
          .outcome = static_cast<CgOutcome>(end.outcome),
          .residual = end.bb > 0 ? std::sqrt(end.rr / end.bb) : std::sqrt(end.rr)};
}

/// Iterates until the state says that the iterations have ended.
template <class T>
class CgLoop {
 public:
  /// Records the loop for this x and stream if it was not.
  template <class Passes>
  void run(const Passes& passes, T* x, const core::Stream& stream) {
    if (by_host_ || core::Trace::active()) {  // a graph has no spans
      CgState now;
      do {
        passes.iterations(x, stream);
        core::copy_async(&now, static_cast<const CgState*>(passes.scalars), 1, stream);
        stream.synchronize();
      } while (now.running);
      return;
    }
    if (x_ != x) {
      loop_ = numerics::LoopGraph(stream, [&](cudaGraphConditionalHandle handle) {
        passes.iterations(x, stream);
        set_loop_condition<<<1, 1, 0, stream.get()>>>(passes.scalars, handle);
        core::check(cudaGetLastError());
      });
      x_ = x;
    }
    loop_.launch(stream);
  }
  void by_host(bool wanted) { by_host_ = wanted; }

 private:
  numerics::LoopGraph loop_;
  T* x_ = nullptr;  // that the loop was recorded with
  bool by_host_ = false;
};

}  // namespace speedwell::stencil::device
