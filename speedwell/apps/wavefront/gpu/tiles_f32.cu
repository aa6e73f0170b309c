#include "speedwell/apps/wavefront/gpu/tiles.hpp"

namespace speedwell::wavefront {

template std::unique_ptr<Method<float>> make_tiles(const Extents&, const Recurrence<float>&, const TileOptions&);
template std::unique_ptr<Method<float>> make_linked_tiles(const TilePlan&, std::int64_t, const Recurrence<float>&,
                                                          const TileOptions&, const TileLinks<float>&);

}  // namespace speedwell::wavefront
