#include "speedwell/apps/ssca1/cpu/kernels.hpp"

#include <array>

#include "speedwell/core/simd/isa_choice.hpp"

namespace speedwell::ssca1 {

SPEEDWELL_IN_EACH_ISA(void differences(const DifferenceBatch& batch); void similar(const SimilarBatch& batch);
                      extern const FilterKernel filter8; extern const SectionKernel sections8, sections16;
                      void tile(const TileBatch& batch);)

const Kernels& kernels(core::Isa isa) {
  core::require_available(isa);
  static const auto of_all = [] {
    std::array<Kernels, 4> all;
    for (const core::Isa each : {core::Isa::baseline, core::Isa::sse41, core::Isa::avx2, core::Isa::avx512})
      all[static_cast<std::size_t>(each)] = {SPEEDWELL_OF_ISA(each, differences), SPEEDWELL_OF_ISA(each, similar),
                                             SPEEDWELL_OF_ISA(each, filter8),     SPEEDWELL_OF_ISA(each, sections8),
                                             SPEEDWELL_OF_ISA(each, sections16),  SPEEDWELL_OF_ISA(each, tile)};
    return all;
  }();
  return of_all[static_cast<std::size_t>(isa)];
}

}  // namespace speedwell::ssca1
