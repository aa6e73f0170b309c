// The GPU variants of stream for the harness.
#include <string>
#include <type_traits>
#include <utility>

#include "speedwell/apps/stream/adapter.hpp"
#include "speedwell/apps/stream/adapter_workload.hpp"
#include "speedwell/apps/stream/gpu_solver.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::stream {
namespace {

/// The functions of a variant in both precisions.
struct Launches {
  Launch<double>* f64;
  Launch<float>* f32;

  template <class T>
  Launch<T>* of() const {
    if constexpr (std::is_same_v<T, float>)
      return f32;
    else
      return f64;
  }
};

template <class T>
class DeviceSolver : public GpuSolver<T> {
 public:
  DeviceSolver(const TypedWorkload<T>& workload, const harness::Context&, Launches launches, Dispatch dispatch)
      : GpuSolver<T>(workload.problem(), launches.of<T>(), dispatch), inputs_(workload.inputs()) {}

  void upload(const core::Stream& stream) { GpuSolver<T>::upload(inputs_, stream); }
  void execute(const core::Stream& stream) { this->enqueue(stream); }
  void download(Results<T>& results, const core::Stream& stream) {
    GpuSolver<T>::download(results.out.span(), results.a.span(), results.b.span(), stream);
    if (results.out.size() == 0) results.sum = this->sum();
  }
  harness::Choices choices() const { return {{"cache", this->streaming() ? "evict-first" : "keep"}}; }

 private:
  const Inputs<T>& inputs_;
};

harness::Variant::Make make(Launches launches, Dispatch dispatch = Dispatch::one_by_one) {
  return harness::device_solver<TypedWorkload, DeviceSolver>(launches, dispatch);
}

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  return {
      {"cuda-naive", make({ladder::naive<double>, ladder::naive<float>})},
      {"cuda-grid-stride", make({ladder::grid_stride<double>, ladder::grid_stride<float>})},
      {"cuda-vector", make({ladder::vector<double>, ladder::vector<float>})},
      {"cuda-evict-first", make({launch<double>, launch<float>})},
      {"cuda", make({launch<double>, launch<float>}, Dispatch::graph)},
  };
}

}  // namespace speedwell::stream
