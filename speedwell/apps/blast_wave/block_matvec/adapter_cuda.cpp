// The GPU variant of block_matvec for the harness.
#include <optional>

#include "speedwell/apps/blast_wave/block_matvec/adapter.hpp"
#include "speedwell/apps/blast_wave/block_matvec/adapter_workload.hpp"
#include "speedwell/apps/blast_wave/gpu_blocks7.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"
#include "speedwell/harness/measurement/device_vectors.hpp"

namespace speedwell::blast_wave::block_matvec {
namespace {

class DeviceProduct : public harness::DeviceVectors<double> {
 public:
  DeviceProduct(const BlockWorkload& workload, const harness::Context&)
      : DeviceVectors(workload.x(), workload.x().size()), workload_(workload) {}

  void upload(const core::Stream& stream) {
    matrix_.emplace(workload_.matrix(), stream);
    DeviceVectors::upload(stream);
  }
  void execute(const core::Stream& stream) { matrix_->multiply(x(), y(), stream); }

 private:
  const BlockWorkload& workload_;
  std::optional<GpuBlocks7> matrix_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() { return {{"cuda", harness::device_solver<BlockWorkload, DeviceProduct>()}}; }

}  // namespace speedwell::blast_wave::block_matvec
