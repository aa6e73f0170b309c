// The GPU variants of cg for the harness.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "speedwell/apps/cg/adapter.hpp"
#include "speedwell/apps/cg/gpu/steps.hpp"
#include "speedwell/apps/cg/ladder.hpp"
#include "speedwell/apps/stencil/gpu_stencil.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"
#include "speedwell/harness/measurement/device_vectors.hpp"
#include "speedwell/numerics/krylov/gpu_sparse_cg.hpp"

namespace speedwell::cg {
namespace {

using krylov::GpuSparseCg;
using stencil::CgMethod;
using stencil::GpuCg;
using stencil::GpuMixedCg;

/// The right-hand side and the solution on the device. Each of the libraries' solvers is made in upload, since it
/// copies its matrix or operator.
template <class T, class Library>
class Solver : public harness::DeviceVectors<T> {
 public:
  explicit Solver(const Inputs<T>& inputs)
      : harness::DeviceVectors<T>(inputs.system().b(), inputs.system().b().size()), inputs_(inputs) {}

  void execute(const core::Stream& stream) {
    this->clear_y(stream);
    cg_->run(this->x(), this->y(), stream);
  }
  void download(typename Inputs<T>::Answer& answer, const core::Stream& stream) {
    harness::DeviceVectors<T>::download(answer.x, stream);
    if constexpr (requires { cg_->result(stream); })
      answer.result = cg_->result(stream);
    else
      answer.result = cg_->result();
    require_definite(inputs_.problem(), answer.result);
  }
  harness::Choices choices(const typename Inputs<T>::Answer& answer) const { return choices_of(answer.result); }

 protected:
  template <class... Args>
  void make(const core::Stream& stream, const Args&... args) {
    harness::DeviceVectors<T>::upload(stream);
    cg_.emplace(args...);
  }
  const System<T>& system() const { return inputs_.system(); }
  const stencil::CgOptions& options() const { return inputs_.problem().options; }

 private:
  const Inputs<T>& inputs_;
  std::optional<Library> cg_;
};

template <class T>
class PassesSolver : public Solver<T, GpuCg<T>> {
 public:
  PassesSolver(const Inputs<T>& inputs, const harness::Context&, CgMethod method)
      : Solver<T, GpuCg<T>>(inputs), method_(method) {}
  void upload(const core::Stream& stream) { this->make(stream, this->system().op(), this->options(), stream, method_); }

 private:
  CgMethod method_;
};

/// The variants of the study.
template <class T>
class StepSolver : public Solver<T, SteppedCg<T>> {
 public:
  StepSolver(const Inputs<T>& inputs, const harness::Context&, std::string_view step)
      : Solver<T, SteppedCg<T>>(inputs), step_(step) {}
  void upload(const core::Stream& stream) {
    this->make(stream, this->system().op(), this->options(), std::string_view(step_), stream);
  }

 private:
  std::string step_;
};

template <class T>
class MatrixSolver : public Solver<T, GpuSparseCg<T>> {
 public:
  MatrixSolver(const Inputs<T>& inputs, const harness::Context&) : Solver<T, GpuSparseCg<T>>(inputs) {}
  void upload(const core::Stream& stream) {
    this->make(stream, this->system().matrix(), matrix_options(this->options()), stream);
  }
};

/// The interface of the other solvers for GpuMixedCg, which returns its result.
class MixedCg {
 public:
  MixedCg(const stencil::Operator<double>& a, const stencil::CgOptions& options, const core::Stream& stream)
      : cg_(a, options, stream) {}
  void run(const double* b, double* x, const core::Stream& stream) { result_ = cg_.solve(b, x, stream); }
  stencil::CgResult result() const { return result_; }

 private:
  GpuMixedCg cg_;
  stencil::CgResult result_;
};
class MixedSolver : public Solver<double, MixedCg> {
 public:
  MixedSolver(const Inputs<double>& inputs, const harness::Context&) : Solver<double, MixedCg>(inputs) {}
  void upload(const core::Stream& stream) { make(stream, system().op(), options(), stream); }
};

/// In double only: unsupported_reason refuses f32.
std::unique_ptr<harness::Run> make_mixed(std::shared_ptr<const harness::Workload> workload,
                                         const harness::Context& context) {
  const auto& inputs = static_cast<const CgWorkload&>(*workload).inputs();
  return std::make_unique<harness::DeviceSolverRun<Inputs<double>, MixedSolver>>(
      std::get<std::shared_ptr<const Inputs<double>>>(inputs), context);
}

harness::Variant::Make passes(CgMethod method) { return harness::device_solver<Inputs, PassesSolver>(method); }

std::unique_ptr<harness::Run> make_best(std::shared_ptr<const harness::Workload> workload,
                                        const harness::Context& context) {
  const bool assembled = std::visit([](const auto& inputs) { return inputs->problem().is_assembled(); },
                                    static_cast<const CgWorkload&>(*workload).inputs());
  const auto make = assembled ? harness::device_solver<Inputs, MatrixSolver>() : passes(CgMethod::best);
  return make(std::move(workload), context);
}

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings = {
      {"cuda-passes", passes(CgMethod::passes)}, {"cuda-mixed", harness::on_device(make_mixed)}, {"cuda", make_best}};
  for (const stencil::Step& step : steps)
    bindings.push_back({std::string(step.name), harness::device_solver<Inputs, StepSolver>(step.name)});
  return bindings;
}

}  // namespace speedwell::cg
