// The GPU rows: a run that forwards to the solver.
#include "speedwell/apps/blast_wave/adapter_cuda.hpp"

#include <memory>
#include <string>
#include <utility>

#include "speedwell/apps/blast_wave/adapter_case.hpp"
#include "speedwell/apps/blast_wave/gpu_article.hpp"
#include "speedwell/apps/blast_wave/gpu_solver.hpp"
#include "speedwell/harness/gpu_run.hpp"

namespace speedwell::blast_wave {
namespace {

class DeviceRun final : public harness::GpuRun {
 public:
  DeviceRun(std::shared_ptr<const Inputs> inputs, const harness::Context&, BlockSource blocks)
      : inputs_(std::move(inputs)), blocks_(blocks) {}

  void allocate() override {
    const Problem& p = inputs_->problem();
    solver_ = std::make_unique<GpuSolver>(p, blocks_, p.steps, stream());
  }
  void upload() override { solver_->upload(inputs_->begun(), stream()); }
  void reset() override { solver_->reset(stream()); }
  /// The device's state is poisoned by reset(), which writes all of it: what a step leaves out keeps its old value,
  /// which is not the oracle's.
  void poison() override { blast_wave::poison(answer_, inputs_->begun().q.size()); }
  void download() override { answer_.history = solver_->finish(answer_.state, stream()); }
  core::Verdict verify() override {
    return inputs_->judge(answer_, blocks_ == BlockSource::f32 ? Iterations::free : Iterations::as_the_oracle);
  }
  std::vector<harness::Output> outputs() override { return outputs_of(answer_, *inputs_); }
  std::vector<std::pair<std::string, std::string>> choices() override { return figures(answer_); }

 protected:
  void enqueue() override { solver_->run(inputs_->problem().steps, stream()); }

 private:
  std::shared_ptr<const Inputs> inputs_;
  BlockSource blocks_;
  std::unique_ptr<GpuSolver> solver_;
  Answer answer_;
};

/// The host is in the loop: execute() ends when the steps have.
class ArticleRun final : public harness::GpuRun {
 public:
  ArticleRun(std::shared_ptr<const Inputs> inputs, const harness::Context& context, PublishedVariant way)
      : inputs_(std::move(inputs)), way_(way), threads_(context.threads) {}

  void allocate() override { solver_ = std::make_unique<ArticleSolver>(inputs_->problem(), way_, threads_, stream()); }
  void reset() override { solver_->set(inputs_->begun()); }
  void poison() override { blast_wave::poison(answer_, inputs_->begun().q.size()); }
  void download() override {
    answer_.history = history_;
    solver_->get(answer_.state);
  }
  core::Verdict verify() override { return inputs_->judge(answer_, Iterations::as_the_oracle); }
  std::vector<harness::Output> outputs() override { return outputs_of(answer_, *inputs_); }
  std::vector<std::pair<std::string, std::string>> choices() override {
    auto all = figures(answer_);
    const ArticleSolver::Seconds s = solver_->seconds();
    all.push_back({"lhs_s", std::to_string(s.blocks)});
    all.push_back({"rhs_s", std::to_string(s.right_hand_side)});
    all.push_back({"bicgstab_s", std::to_string(s.bicgstab)});
    return all;
  }

 protected:
  void enqueue() override { history_ = solver_->run(inputs_->problem().steps, stream()); }

 private:
  std::shared_ptr<const Inputs> inputs_;
  PublishedVariant way_;
  int threads_;
  std::unique_ptr<ArticleSolver> solver_;
  History history_;
  Answer answer_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings = library_runs();
  for (const Step& step : steps)
    bindings.push_back(
        {std::string(step.name), harness::on_device(step.article == PublishedVariant::none
                                                        ? harness::make_run<Inputs, DeviceRun>(step.blocks)
                                                        : harness::make_run<Inputs, ArticleRun>(step.article))});
  return bindings;
}

}  // namespace speedwell::blast_wave
