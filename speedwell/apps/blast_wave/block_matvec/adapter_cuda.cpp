// The product of our own on a GPU.
#include "speedwell/apps/blast_wave/block_matvec/adapter_cuda.hpp"

#include <memory>
#include <utility>

#include "speedwell/apps/blast_wave/block_matvec/adapter_case.hpp"
#include "speedwell/apps/blast_wave/gpu_blocks7.hpp"
#include "speedwell/harness/gpu_run.hpp"

namespace speedwell::blast_wave::block_matvec {
namespace {

class DeviceRun final : public harness::GpuRun {
 public:
  DeviceRun(std::shared_ptr<const Inputs> inputs, const harness::Context&) : inputs_(std::move(inputs)) {}

  void allocate() override {
    answer_ = Answer(inputs_->x().size());
    x_ = core::DeviceBuffer<double>(inputs_->x().size());
    y_ = core::DeviceBuffer<double>(inputs_->x().size());
  }
  void upload() override {
    matrix_ = std::make_unique<GpuBlocks7>(inputs_->matrix(), stream());
    core::copy_async(x_.data(), inputs_->x().data(), x_.size(), stream());
    stream().synchronize();
  }
  void poison() override {
    answer_.poison();
    core::fill_bytes_async(y_, 0xff, stream());
  }
  void download() override {
    core::copy_async(answer_.span().data(), y_.data(), y_.size(), stream());
    stream().synchronize();
  }
  core::Verdict verify() override { return inputs_->judge(answer_.span()); }
  std::vector<harness::Output> outputs() override { return answer_.outputs(); }

 protected:
  void enqueue() override { matrix_->multiply(x_.data(), y_.data(), stream()); }

 private:
  std::shared_ptr<const Inputs> inputs_;
  std::unique_ptr<GpuBlocks7> matrix_;
  core::DeviceBuffer<double> x_, y_;
  Answer answer_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings = library_runs();
  bindings.push_back({"cuda", harness::on_device(harness::make_run<Inputs, DeviceRun>())});
  return bindings;
}

}  // namespace speedwell::blast_wave::block_matvec
