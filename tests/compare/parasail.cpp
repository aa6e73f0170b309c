#include "tests/compare/parasail.hpp"

#include <parasail.h>

#include <memory>
#include <stdexcept>

namespace speedwell::parasail {

bool available() { return true; }

std::vector<std::int32_t> scores(const std::vector<std::string>& a, const std::vector<std::string>& b,
                                 const System& system) {
  std::unique_ptr<parasail_matrix_t, void (*)(parasail_matrix_t*)> made(nullptr, parasail_matrix_free);
  const parasail_matrix_t* matrix = nullptr;
  if (system.matrix != nullptr) {
    matrix = parasail_matrix_lookup(system.matrix);
  } else {
    made.reset(parasail_matrix_create("ACGT", system.match, system.mismatch));
    matrix = made.get();
  }
  if (matrix == nullptr) throw std::runtime_error("parasail does not know the matrix");
  // The striped kernels of parasail 2.6 miss some scores when opening a gap costs nothing extra: they leave the
  // correction of a column too early. Its scan kernels do not.
  const auto search = system.open > system.extend ? parasail_sw_striped_profile_sat : parasail_sw_scan_profile_sat;
  std::vector<std::int32_t> result;
  result.reserve(a.size() * b.size());
  for (const std::string& query : a) {
    const std::unique_ptr<parasail_profile_t, void (*)(parasail_profile_t*)> profile(
        parasail_profile_create_sat(query.data(), static_cast<int>(query.size()), matrix), parasail_profile_free);
    for (const std::string& subject : b) {
      const std::unique_ptr<parasail_result_t, void (*)(parasail_result_t*)> found(
          search(profile.get(), subject.data(), static_cast<int>(subject.size()), system.open, system.extend),
          parasail_result_free);
      result.push_back(parasail_result_get_score(found.get()));
    }
  }
  return result;
}

}  // namespace speedwell::parasail
