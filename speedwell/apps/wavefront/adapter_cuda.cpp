// The GPU rows: a run that forwards to the solver.
#include "speedwell/apps/wavefront/adapter_cuda.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "speedwell/apps/wavefront/adapter_case.hpp"
#include "speedwell/apps/wavefront/gpu_solver.hpp"
#include "speedwell/apps/wavefront/ladder.hpp"
#include "speedwell/harness/gpu_run.hpp"

namespace speedwell::wavefront {
namespace {

template <class T>
class DeviceRun final : public harness::GpuRun {
 public:
  DeviceRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&, const Step* step)
      : inputs_(std::move(inputs)),
        solver_(inputs_->extents(), inputs_->recurrence(), inputs_->direction(), step->name) {}

  void allocate() override {
    solver_.allocate();
    cells_ = core::HostBuffer<T>(inputs_->grid().cells.size());
  }
  void upload() override { solver_.upload(inputs_->grid(), stream()); }
  void reset() override { solver_.reset(stream()); }
  /// What a sweep leaves out keeps its old value, which is not the oracle's, as on the host.
  void poison() override { std::memset(cells_.data(), 0xff, cells_.bytes()); }
  void download() override {
    solver_.finish(stream());
    solver_.download(cells_, stream());
  }
  core::Verdict verify() override { return inputs_->judge(std::as_const(cells_).span()); }
  std::vector<harness::Output> outputs() override { return output_of(cells_, *inputs_); }
  std::vector<std::pair<std::string, std::string>> choices() override {
    auto all = solver_.choices();
    all.push_back({"host_memory", "pageable"});
    return all;
  }

 protected:
  void enqueue() override { solver_.run(stream()); }

 private:
  std::shared_ptr<const Inputs<T>> inputs_;
  GpuSolver<T> solver_;
  core::HostBuffer<T> cells_;
};

/// On the device of the context, which a run's stream must be made on.
harness::Variant::Make on_device(const Step* step) {
  return [make = make_in_precision<DeviceRun>(step)](std::shared_ptr<const harness::Workload> prepared,
                                                     const harness::Context& context) {
    core::check(cudaSetDevice(context.device));
    return make(std::move(prepared), context);
  };
}

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings;
  for (const Step& step : steps) bindings.push_back({std::string(step.name), on_device(&step)});
  return bindings;
}

}  // namespace speedwell::wavefront
