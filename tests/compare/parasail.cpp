#include "tests/compare/parasail.hpp"

#include <parasail.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>

namespace speedwell::parasail {
namespace {

using Matrix = std::unique_ptr<const parasail_matrix_t, void (*)(const parasail_matrix_t*)>;

Matrix matrix_of(const System& system) {
  if (system.matrix != nullptr) {
    const parasail_matrix_t* published = parasail_matrix_lookup(system.matrix);
    if (published == nullptr) throw std::runtime_error("parasail does not know the matrix");
    return {published, [](const parasail_matrix_t*) {}};
  }
  // Every matrix that parasail makes has a '*' behind the symbols it is given.
  const std::string alphabet = system.alphabet.empty() ? "ACGT" : system.alphabet.substr(0, system.alphabet.find('*'));
  parasail_matrix_t* made = parasail_matrix_create(alphabet.c_str(), system.match, system.mismatch);
  if (made == nullptr) throw std::runtime_error("parasail makes no matrix of these symbols");
  const auto size = static_cast<int>(system.alphabet.size());
  for (int i = 0; i < size * size; ++i)
    parasail_matrix_set_value(made, i / size, i % size, system.table[static_cast<std::size_t>(i)]);
  return {made, [](const parasail_matrix_t* matrix) { parasail_matrix_free(const_cast<parasail_matrix_t*>(matrix)); }};
}

// parasail keeps the first column that has the best score, and the first row of that column. With the roles of the two
// sequences exchanged that is our rule: the smallest query end, then the smallest subject end.
void ends_of_subject(const std::vector<std::string>& queries, const std::string& subject,
                     const parasail_matrix_t& matrix, const System& system, End* found, std::size_t stride) {
  // The striped kernels of parasail 2.6 miss some scores when opening a gap costs nothing extra: they leave the
  // correction of a column too early. Its scan kernels do not, but multiply the cost by a part of the length, and in 8
  // or 16 bits that may wrap: a single residue has scored 36 against 1,615. Nor does a cost above 127 fit the 8 bits.
  const bool striped = system.open > system.extend, narrow = striped && system.open <= 100;
  const auto create = narrow ? parasail_profile_create_sat : parasail_profile_create_32;
  const auto search = striped ? (narrow ? parasail_sw_striped_profile_sat : parasail_sw_striped_profile_32)
                              : (narrow ? parasail_sw_scan_profile_sat : parasail_sw_scan_profile_32);
  const std::unique_ptr<parasail_profile_t, void (*)(parasail_profile_t*)> profile(
      create(subject.data(), static_cast<int>(subject.size()), &matrix), parasail_profile_free);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::unique_ptr<parasail_result_t, void (*)(parasail_result_t*)> result(
        search(profile.get(), queries[i].data(), static_cast<int>(queries[i].size()), system.open, system.extend),
        parasail_result_free);
    found[i * stride] = {parasail_result_get_score(result.get()), parasail_result_get_end_ref(result.get()) + 1,
                         parasail_result_get_end_query(result.get()) + 1};
  }
}

}  // namespace

bool available() { return true; }

std::vector<End> ends(const std::vector<std::string>& a, const std::vector<std::string>& b, const System& system,
                      int threads) {
  const Matrix matrix = matrix_of(system);
  std::vector<End> found(a.size() * b.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t j; (j = next++) < b.size();) ends_of_subject(a, b[j], *matrix, system, &found[j], b.size());
  };
  std::vector<std::jthread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(work);
  work();
  others.clear();  // joins them
  return found;
}

std::vector<std::int32_t> scores(const std::vector<std::string>& a, const std::vector<std::string>& b,
                                 const System& system) {
  const std::vector<End> all = ends(a, b, system);
  std::vector<std::int32_t> result(all.size());
  std::transform(all.begin(), all.end(), result.begin(), [](const End& end) { return end.score; });
  return result;
}

}  // namespace speedwell::parasail
