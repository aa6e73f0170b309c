// The GPU rows of alignment: a run that forwards to GpuSearch.
#include "speedwell/apps/alignment/adapter_cuda.hpp"

#include <memory>
#include <string>
#include <utility>

#include "speedwell/apps/alignment/adapter_case.hpp"
#include "speedwell/apps/alignment/gpu_search.hpp"
#include "speedwell/harness/gpu_run.hpp"

namespace speedwell::alignment {
namespace {

class SearchGpuRun : public harness::GpuRun {
 public:
  SearchGpuRun(std::shared_ptr<const AlignmentCase> prepared, int device, GpuSearch::Lanes lanes)
      : case_(std::move(prepared)), device_(device), lanes_(lanes) {}

  // Sorting and pairing the subjects is part of the price of this variant, so the search is made here.
  void allocate() override {
    search_ = std::make_unique<GpuSearch>(case_->subjects, device_, lanes_);
    search_->allocate(case_->queries, case_->scoring);
  }
  void upload() override { search_->upload(stream()); }
  void poison() override { search_->poison(stream()); }
  void download() override { search_->download(stream()); }
  core::Verdict verify() override { return case_->verify(search_->scores()); }
  std::vector<harness::Output> outputs() override {
    const auto scores = search_->scores();
    return {{"scores", harness::ElementType::i32, scores.data(), scores.size()}};
  }
  std::vector<std::pair<std::string, std::string>> choices() override {
    return {{"blocks", std::to_string(search_->blocks())}};
  }

 protected:
  void enqueue() override { search_->enqueue(stream()); }

 private:
  std::shared_ptr<const AlignmentCase> case_;
  int device_;
  GpuSearch::Lanes lanes_;
  std::unique_ptr<GpuSearch> search_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  const auto with = [](GpuSearch::Lanes lanes) {
    return [lanes](std::shared_ptr<const harness::Case> prepared,
                   const harness::Context& context) -> std::unique_ptr<harness::Run> {
      core::check(cudaSetDevice(context.device));  // before the run makes its stream
      return std::make_unique<SearchGpuRun>(std::static_pointer_cast<const AlignmentCase>(std::move(prepared)),
                                            context.device, lanes);
    };
  };
  return {{"cuda-16-bit", with(GpuSearch::Lanes::sixteen_bits)},
          {"cuda-11-bit", with(GpuSearch::Lanes::eleven_bits)},
          {"cuda", with(GpuSearch::Lanes::best)}};
}

}  // namespace speedwell::alignment
