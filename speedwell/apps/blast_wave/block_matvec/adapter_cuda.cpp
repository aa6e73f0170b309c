// The GPU variant of block_matvec for the harness.
#include <optional>

#include "speedwell/apps/blast_wave/block_matvec/adapter.hpp"
#include "speedwell/apps/blast_wave/block_matvec/adapter_workload.hpp"
#include "speedwell/apps/blast_wave/gpu_blocks7.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::blast_wave::block_matvec {
namespace {

class DeviceProduct {
 public:
  DeviceProduct(const BlockWorkload& workload, const harness::Context&) : workload_(workload) {}

  void allocate() {
    x_ = core::DeviceBuffer<double>(workload_.x().size());
    y_ = core::DeviceBuffer<double>(workload_.x().size());
  }
  void upload(const core::Stream& stream) {
    matrix_.emplace(workload_.matrix(), stream);
    core::copy_async(x_.data(), workload_.x().data(), x_.size(), stream);
    stream.synchronize();
  }
  void poison(const core::Stream& stream) { core::fill_bytes_async(y_, 0xff, stream); }
  void execute(const core::Stream& stream) { matrix_->multiply(x_.data(), y_.data(), stream); }
  void download(std::vector<double>& y, const core::Stream& stream) {
    core::copy_async(y.data(), y_.data(), y_.size(), stream);
    stream.synchronize();
  }

 private:
  const BlockWorkload& workload_;
  std::optional<GpuBlocks7> matrix_;
  core::DeviceBuffer<double> x_, y_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings;
  bindings.push_back({"cuda", harness::device_solver<BlockWorkload, DeviceProduct>()});
  return bindings;
}

}  // namespace speedwell::blast_wave::block_matvec
