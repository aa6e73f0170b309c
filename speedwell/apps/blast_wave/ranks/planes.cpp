#include "speedwell/apps/blast_wave/ranks/planes.hpp"

#include <stdexcept>
#include <string>

#include "speedwell/core/units.hpp"

namespace speedwell::blast_wave {

void require_planes(const Extents& e, int ranks) {
  if (ranks <= 1 || e.nz / ranks >= halo_planes) return;
  throw std::invalid_argument("blast_wave: " + std::to_string(e.nz) + " planes along z among " +
                              core::counted(ranks, "GPU") + "; each needs " + std::to_string(halo_planes) +
                              ", so that " + std::to_string(e.nz / halo_planes) + " are the most");
}

PlaneSlab::PlaneSlab(const Problem& problem, int ranks, int rank)
    : planes_((require_planes(problem.extents, ranks), comm::part_of(problem.extents.nz, ranks, rank))),
      medium_(medium_of(problem)) {
  medium_.extent[2] = static_cast<int>(planes_.size()) + 2 * halo_planes;
  medium_.points = medium_.extent[2] * medium_.step[2];
  medium_.stride = static_cast<int>(rounded(medium_.points));
}

double distributed_gpu_bytes(const Extents& e, int ranks, int max_steps) {
  if (ranks == 1) return gpu_bytes(e, BlockSource::recomputed, max_steps);
  const Extents slab{e.nx, e.ny, comm::part_of(e.nz, ranks, 0).size() + 2 * halo_planes};
  return gpu_bytes(slab, BlockSource::recomputed, max_steps) +
         static_cast<double>(rounded(slab.points())) * 5 * f64_bytes + 4 * small_buffer_bytes;
}

}  // namespace speedwell::blast_wave
