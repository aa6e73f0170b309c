// The peer on the CPU: parasail's striped vectors (Daily, BMC Bioinformatics 17 (2016) 81), one pair at a time in 8
// bits, and in 16 or 32 where those do not hold a score; pairs are shared among threads.
#include <parasail.h>

#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "speedwell/apps/alignment/adapter.hpp"
#include "speedwell/apps/alignment/adapter_workload.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::alignment {
namespace {

struct Free {
  void operator()(parasail_matrix_t* matrix) const { parasail_matrix_free(matrix); }
  void operator()(parasail_profile_t* profile) const { parasail_profile_free(profile); }
  void operator()(parasail_result_t* result) const { parasail_result_free(result); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

template <class T>
Owned<T> owned(T* made) {
  if (made == nullptr) throw std::bad_alloc();
  return Owned<T>(made);
}

Owned<parasail_matrix_t> matrix_of(const SubstitutionMatrix& matrix) {
  // parasail puts a '*' behind the residues that it is given, where our proteins have theirs.
  const std::string all(symbols(matrix.alphabet()));
  Owned<parasail_matrix_t> made = owned(parasail_matrix_create(all.substr(0, all.find('*')).c_str(), 0, 0));
  const auto count = static_cast<int>(all.size());
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count; ++b) parasail_matrix_set_value(made.get(), a, b, matrix.score(a, b));
  return made;
}

std::vector<std::string> residues_of(const SequenceSet& set) {
  std::vector<std::string> texts(set.size());
  for (std::size_t i = 0; i < set.size(); ++i)
    for (const std::uint8_t code : set.codes(i)) texts[i] += decode(set.alphabet(), code);
  return texts;
}

class ParasailSolver {
 public:
  ParasailSolver(const AlignmentWorkload& workload, const harness::Context& context)
      : workload_(workload), threads_(context.threads) {}

  void allocate(Scores& answer) {
    matrix_ = matrix_of(workload_.scoring.matrix);
    queries_ = residues_of(workload_.queries);
    subjects_ = residues_of(workload_.subjects);
    workload_.allocate_scores(answer);
    workload_.poison(answer);
  }
  void execute(Scores& answer) {
    for (std::size_t q = 0; q < queries_.size(); ++q) search(queries_[q], answer.scores.data() + q * subjects_.size());
  }
  harness::Choices choices() const {
    int major = 0, minor = 0, patch = 0;
    parasail_version(&major, &minor, &patch);
    return {
        {"library", "parasail " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch)},
        {"function", "sw_striped_profile_sat"}};
  }

 private:
  void search(const std::string& query, std::int32_t* scores) const {
    const int extend = workload_.scoring.gap_extend, open = workload_.scoring.gap_open + extend;
    const auto length = static_cast<int>(query.size());
    const Owned<parasail_profile_t> profile = owned(parasail_profile_create_sat(query.data(), length, matrix_.get()));
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads_)
    for (std::size_t s = 0; s < subjects_.size(); ++s) {
      const auto columns = static_cast<int>(subjects_[s].size());
      Owned<parasail_result_t> result(
          parasail_sw_striped_profile_sat(profile.get(), subjects_[s].data(), columns, open, extend));
      if (result && parasail_result_is_saturated(result.get()))
        result.reset(
            parasail_sw_striped_32(query.data(), length, subjects_[s].data(), columns, open, extend, matrix_.get()));
      if (result) scores[s] = parasail_result_get_score(result.get());  // else the score stays poisoned and is rejected
    }
  }

  const AlignmentWorkload& workload_;
  int threads_;
  Owned<parasail_matrix_t> matrix_;
  std::vector<std::string> queries_, subjects_;
};

}  // namespace

std::vector<harness::Binding> parasail_runs() {
  return {{"parasail", harness::host_solver<AlignmentWorkload, ParasailSolver>()}};
}

}  // namespace speedwell::alignment
