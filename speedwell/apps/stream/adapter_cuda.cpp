// The GPU rows of stream: runs that forward to GpuSolver.
#include <string>
#include <utility>

#include "speedwell/apps/stream/adapter.hpp"
#include "speedwell/apps/stream/adapter_case.hpp"
#include "speedwell/apps/stream/gpu_solver.hpp"
#include "speedwell/harness/gpu_run.hpp"

namespace speedwell::stream {
namespace {

template <class T>
class StreamGpuRun : public harness::GpuRun {
 public:
  StreamGpuRun(std::shared_ptr<const StreamCase> prepared, Launch<T>* launch, Dispatch dispatch)
      : case_(std::move(prepared)), solver_(case_->problem, launch, dispatch) {}

  void allocate() override { solver_.allocate(stream()); }
  void upload() override { solver_.upload(case_->inputs<T>(), stream()); }
  void reset() override { solver_.reset(stream()); }
  void poison() override { solver_.poison(stream()); }
  void download() override { solver_.download(stream()); }
  core::Verdict verify() override { return stream::verify<T>(case_->problem, solver_.answer()); }
  std::vector<harness::Output> outputs() override {
    constexpr auto type = sizeof(T) == 8 ? harness::ElementType::f64 : harness::ElementType::f32;
    const auto output = [](std::string name, core::HostBuffer<T>& buffer) {
      return harness::Output{std::move(name), type, buffer.data(), buffer.size()};
    };
    switch (case_->problem.kernel) {
      case Kernel::dot:
        return {{"sum", harness::ElementType::f64, solver_.sum(), 1}};
      case Kernel::sequence:
        return {output("a", solver_.a()), output("b", solver_.b()), output("c", solver_.out())};
      default:
        return {output("out", solver_.out())};
    }
  }
  std::vector<std::pair<std::string, std::string>> choices() override {
    return {{"cache", solver_.streaming() ? "evict-first" : "keep"}};
  }

 protected:
  void enqueue() override { solver_.enqueue(stream()); }

 private:
  std::shared_ptr<const StreamCase> case_;
  GpuSolver<T> solver_;
};

harness::Variant::Make runs(Launch<double>* f64, Launch<float>* f32, Dispatch dispatch = Dispatch::one_by_one) {
  return [=](std::shared_ptr<const harness::Workload> prepared,
             const harness::Context& context) -> std::unique_ptr<harness::Run> {
    core::check(cudaSetDevice(context.device));
    auto own = std::static_pointer_cast<const StreamCase>(std::move(prepared));
    if (own->problem.f32) return std::make_unique<StreamGpuRun<float>>(std::move(own), f32, dispatch);
    return std::make_unique<StreamGpuRun<double>>(std::move(own), f64, dispatch);
  };
}

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  return {
      {"cuda-naive", runs(ladder::naive<double>, ladder::naive<float>)},
      {"cuda-grid-stride", runs(ladder::grid_stride<double>, ladder::grid_stride<float>)},
      {"cuda-vector", runs(ladder::vector<double>, ladder::vector<float>)},
      {"cuda-evict-first", runs(launch<double>, launch<float>)},
      {"cuda", runs(launch<double>, launch<float>, Dispatch::graph)},
  };
}

}  // namespace speedwell::stream
