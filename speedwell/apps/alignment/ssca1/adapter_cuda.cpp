// The GPU row of SSCA#1: a run that forwards to the library's class for the kernel.
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

using Choices = std::vector<std::pair<std::string, std::string>>;

/// What a run must know of a class: one of these for each kernel.
struct Table {
  using Solver = GpuTable;
  static Solver make(const Ssca1Case& c, int device) {
    return {c.main(), c.match(), c.scoring, c.problem.endpoints, device};
  }
  static KernelResult result(const Solver& table) { return table.endpoints(); }
  static Choices choices(const Solver& table) { return {{"sections", std::to_string(table.sections())}}; }
};

/// The classes wait for the results of run(): synchronize() has nothing to wait for.
template <class Kernel>
class SolverRun : public KernelRun {
 public:
  SolverRun(std::shared_ptr<const Ssca1Case> made, int device) : KernelRun(std::move(made)), device_(device) {}

  void allocate() override {
    solver_.emplace(Kernel::make(prepared(), device_));
    solver_->allocate();
  }
  void upload() override { solver_->upload(stream_); }
  void poison() override {
    KernelRun::poison();
    ran_ = false;
  }
  void execute() override {
    solver_->run(stream_);
    ran_ = true;
  }
  void download() override {
    if (ran_) take(Kernel::result(*solver_));
    KernelRun::download();
  }
  Choices choices() override { return Kernel::choices(*solver_); }

 private:
  int device_;
  core::Stream stream_;
  std::optional<typename Kernel::Solver> solver_;
  bool ran_ = false;
};

std::unique_ptr<harness::Run> make_gpu_run(std::shared_ptr<const harness::Case> prepared,
                                           const harness::Context& context) {
  core::check(cudaSetDevice(context.device));  // before the run makes its stream
  auto made = std::static_pointer_cast<const Ssca1Case>(std::move(prepared));
  switch (made->kernel) {
    case 1:
      return std::make_unique<SolverRun<Table>>(std::move(made), context.device);
    default:  // refused by the row
      throw core::Unavailable("kernel " + std::to_string(made->kernel) + " has no GPU variant");
  }
}

}  // namespace

std::vector<harness::Binding> cuda_runs() { return {{"cuda", make_gpu_run}}; }

}  // namespace speedwell::alignment::ssca1
