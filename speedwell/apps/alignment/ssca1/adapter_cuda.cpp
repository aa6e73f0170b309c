// The GPU row of SSCA#1: runs that forward to the library's classes, one for each kernel that it has.
#include "speedwell/apps/alignment/ssca1/adapter_cuda.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "speedwell/apps/alignment/ssca1/adapter_case.hpp"
#include "speedwell/apps/alignment/ssca1/gpu_table.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::alignment::ssca1 {
namespace {

/// Kernel 1. GpuTable chooses the endpoints on the host, so that execute() waits and nothing is left to download.
class TableGpuRun : public KernelRun {
 public:
  TableGpuRun(std::shared_ptr<const Ssca1Case> made, int device) : KernelRun(std::move(made)), device_(device) {}

  void allocate() override {
    const Ssca1Case& c = prepared();
    table_.emplace(c.main(), c.match(), c.scoring, c.problem.endpoints, device_);
    table_->allocate();
  }
  void upload() override { table_->upload(stream_); }
  void execute() override {
    table_->run(stream_);
    take(table_->endpoints());
  }
  std::vector<std::pair<std::string, std::string>> choices() override {
    return {{"sections", std::to_string(table_->sections())}};
  }

 private:
  int device_;
  core::Stream stream_;
  std::optional<GpuTable> table_;
};

std::unique_ptr<harness::Run> make_gpu_run(std::shared_ptr<const harness::Case> prepared,
                                           const harness::Context& context) {
  core::check(cudaSetDevice(context.device));  // before the run makes its stream
  auto made = std::static_pointer_cast<const Ssca1Case>(std::move(prepared));
  switch (made->kernel) {
    case 1:
      return std::make_unique<TableGpuRun>(std::move(made), context.device);
    default:
      throw core::Unavailable("kernel " + std::to_string(made->kernel) + " has no GPU variant");
  }
}

}  // namespace

std::vector<harness::Binding> cuda_runs() { return {{"cuda", make_gpu_run}}; }

}  // namespace speedwell::alignment::ssca1
