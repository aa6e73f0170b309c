#include "speedwell/apps/ssca1/cpu/kernels.hpp"

#include <stdexcept>
#include <string>

namespace speedwell::ssca1 {

namespace baseline {
void differences(const DifferenceBatch& batch);
void similar(const SimilarBatch& batch);
extern const FilterKernel filter8;
extern const SectionKernel sections8, sections16;
void tile(const TileBatch& batch);
}  // namespace baseline
#if defined(__x86_64__)
namespace avx2 {
void differences(const DifferenceBatch& batch);
void similar(const SimilarBatch& batch);
extern const FilterKernel filter8;
extern const SectionKernel sections8, sections16;
void tile(const TileBatch& batch);
}  // namespace avx2
namespace avx512 {
void differences(const DifferenceBatch& batch);
void similar(const SimilarBatch& batch);
extern const FilterKernel filter8;
extern const SectionKernel sections8, sections16;
void tile(const TileBatch& batch);
}  // namespace avx512
#endif

const Kernels& kernels(core::Isa isa) {
  if (isa > core::best_isa())
    throw std::invalid_argument("this processor does not have the instruction set " +
                                std::string(core::to_string(isa)));
#if defined(__x86_64__)
  if (isa == core::Isa::avx512) {
    static const Kernels all = {avx512::differences, avx512::similar,    avx512::filter8,
                                avx512::sections8,   avx512::sections16, avx512::tile};
    return all;
  }
  if (isa == core::Isa::avx2) {
    static const Kernels all = {avx2::differences, avx2::similar,    avx2::filter8,
                                avx2::sections8,   avx2::sections16, avx2::tile};
    return all;
  }
#endif
  static const Kernels all = {baseline::differences, baseline::similar,    baseline::filter8,
                              baseline::sections8,   baseline::sections16, baseline::tile};
  return all;
}

}  // namespace speedwell::ssca1
