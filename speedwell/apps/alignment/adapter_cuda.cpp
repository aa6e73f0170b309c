// The GPU rows of alignment: runs that forward to GpuSearch and GpuPair.
#include "speedwell/apps/alignment/adapter.hpp"

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "speedwell/apps/alignment/adapter_case.hpp"
#include "speedwell/apps/alignment/gpu_pair.hpp"
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

/// One pair; with `path` execute() has found the alignment too, for which it waits.
class PairGpuRun : public harness::GpuRun {
 public:
  PairGpuRun(std::shared_ptr<const AlignmentCase> prepared, int device, bool path)
      : case_(std::move(prepared)), path_(path), pair_(device) {}

  void allocate() override { pair_.allocate(query(), subject(), case_->scoring, {.checks = true}, path_); }
  void upload() override { pair_.upload(stream()); }
  void poison() override {
    pair_.poison(stream());
    found_ = {.score = -1, .query_begin = -1, .query_end = -1, .subject_begin = -1, .subject_end = -1};
  }
  void download() override {
    if (!path_) pair_.download(stream());  // otherwise done
    const EndPoint end = pair_.end();
    result_ = {end.score, end.query_end, end.subject_end};
  }
  core::Verdict verify() override {
    const auto align = [&] { return path_ ? found_ : pair_.align(query(), subject(), case_->scoring); };
    const PairChecks checks = pair_.checks();  // before align() computes others
    return case_->verify_pair({result_[0], result_[1], result_[2]}, align, path_, checks);
  }
  std::vector<harness::Output> outputs() override {
    return {{"end", harness::ElementType::i32, result_.data(), result_.size()}};
  }
  std::vector<std::pair<std::string, std::string>> choices() override {
    const GpuPairTuning tuning = pair_.tuning();
    return {{"strip_rows", std::to_string(tuning.strip_rows)}, {"block_warps", std::to_string(tuning.block_warps)}};
  }

 protected:
  void enqueue() override {
    pair_.enqueue(stream());
    if (!path_) return;
    pair_.download(stream());
    found_ = pair_.trace_back(stream());
  }

 private:
  Codes query() const { return case_->queries.codes(0); }
  Codes subject() const { return case_->subjects.codes(0); }

  std::shared_ptr<const AlignmentCase> case_;
  bool path_;
  GpuPair pair_;
  Alignment found_;
  std::array<std::int32_t, 3> result_{-1, -1, -1};  // score, query end, subject end
};

template <class RunType, class Kind>
harness::Binding bound(std::string name, Kind kind) {
  return {std::move(name),
          [kind](std::shared_ptr<const harness::Workload> prepared,
                 const harness::Context& context) -> std::unique_ptr<harness::Run> {
            core::check(cudaSetDevice(context.device));  // before the run makes its stream
            return std::make_unique<RunType>(std::static_pointer_cast<const AlignmentCase>(std::move(prepared)),
                                             context.device, kind);
          }};
}

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  return {bound<SearchGpuRun>("cuda-16-bit", GpuSearch::Lanes::sixteen_bits),
          bound<SearchGpuRun>("cuda-11-bit", GpuSearch::Lanes::eleven_bits),
          bound<SearchGpuRun>("cuda", GpuSearch::Lanes::best), bound<PairGpuRun>("cuda-pair", false),
          bound<PairGpuRun>("cuda-pair-path", true)};
}

}  // namespace speedwell::alignment
