#include "speedwell/apps/blast_wave/cpu/tiles.hpp"

#include "speedwell/core/simd/isa_choice.hpp"

namespace speedwell::blast_wave {

SPEEDWELL_IN_EACH_ISA(extern const TileKernels tiles; extern const SystemKernels systems;
                      extern ProductOfTile* const product;)

TileKernels tile_kernels(core::Isa isa) { return SPEEDWELL_OF_ISA(isa, tiles); }

SystemKernels system_kernels(core::Isa isa) { return SPEEDWELL_OF_ISA(isa, systems); }

ProductOfTile* product_kernel(core::Isa isa) { return SPEEDWELL_OF_ISA(isa, product); }

}  // namespace speedwell::blast_wave
