// The GPU variants for the harness.
#include <cstdint>

#include "speedwell/apps/new_application/adapter.hpp"
#include "speedwell/apps/new_application/adapter_workload.hpp"
#include "speedwell/apps/new_application/cuda.hpp"
#include "speedwell/apps/new_application/ladder.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::new_application {
namespace {

/// The buffers and transfers of all GPU variants.
template <class T>
class DeviceSolver {
 public:
  DeviceSolver(const Inputs<T>& inputs, const harness::Context&, const Step* step)
      : inputs_(inputs), launch_(launch_of<T>(step->name)) {}

  void allocate() {
    for (core::DeviceBuffer<T>* buffer : {&x_, &y_, &z_}) *buffer = core::DeviceBuffer<T>(inputs_.x().size());
  }
  void upload(const core::Stream& stream) {
    core::copy_async(x_.data(), inputs_.x().data(), x_.size(), stream);
    core::copy_async(y_.data(), inputs_.y().data(), y_.size(), stream);
    stream.synchronize();
  }
  void poison(const core::Stream& stream) { core::fill_bytes_async(z_, 0xff, stream); }
  void execute(const core::Stream& stream) {
    const auto n = static_cast<std::int64_t>(x_.size());
    launch_({.a = inputs_.a(), .x = x_.data(), .y = y_.data(), .z = z_.data(), .n = n}, stream);
  }
  void download(core::HostBuffer<T>& z, const core::Stream& stream) {
    core::copy_async(z.data(), z_.data(), z_.size(), stream);
    stream.synchronize();
  }

 private:
  const Inputs<T>& inputs_;
  Launch<T>* launch_;
  core::DeviceBuffer<T> x_, y_, z_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  return harness::ladder_bindings(steps,
                                  [](const Step& step) { return harness::device_solver<Inputs, DeviceSolver>(&step); });
}

}  // namespace speedwell::new_application
