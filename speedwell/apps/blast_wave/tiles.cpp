#include "speedwell/apps/blast_wave/tiles.hpp"

namespace speedwell::blast_wave {

namespace baseline {
extern const TileKernels tiles;
}
#if defined(__x86_64__)
namespace avx2 {
extern const TileKernels tiles;
}
namespace avx512 {
extern const TileKernels tiles;
}
#endif

TileKernels tile_kernels(core::Isa isa) {
#if defined(__x86_64__)
  if (isa == core::Isa::avx512) return avx512::tiles;
  if (isa == core::Isa::avx2) return avx2::tiles;
#endif
  (void)isa;
  return baseline::tiles;
}

}  // namespace speedwell::blast_wave
