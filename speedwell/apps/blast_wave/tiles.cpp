#include "speedwell/apps/blast_wave/tiles.hpp"

namespace speedwell::blast_wave {

namespace baseline {
extern const TileKernels tiles;
extern const SystemKernels systems;
extern ProductOfTile* const product;
}  // namespace baseline
#if defined(__x86_64__)
namespace avx2 {
extern const TileKernels tiles;
extern const SystemKernels systems;
extern ProductOfTile* const product;
}  // namespace avx2
namespace avx512 {
extern const TileKernels tiles;
extern const SystemKernels systems;
extern ProductOfTile* const product;
}  // namespace avx512
#endif

TileKernels tile_kernels(core::Isa isa) {
#if defined(__x86_64__)
  if (isa == core::Isa::avx512) return avx512::tiles;
  if (isa == core::Isa::avx2) return avx2::tiles;
#endif
  (void)isa;
  return baseline::tiles;
}

SystemKernels system_kernels(core::Isa isa) {
#if defined(__x86_64__)
  if (isa == core::Isa::avx512) return avx512::systems;
  if (isa == core::Isa::avx2) return avx2::systems;
#endif
  (void)isa;
  return baseline::systems;
}

ProductOfTile* product_kernel(core::Isa isa) {
#if defined(__x86_64__)
  if (isa == core::Isa::avx512) return avx512::product;
  if (isa == core::Isa::avx2) return avx2::product;
#endif
  (void)isa;
  return baseline::product;
}

}  // namespace speedwell::blast_wave
