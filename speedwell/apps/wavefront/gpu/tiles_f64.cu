#include "speedwell/apps/wavefront/gpu/tiles.hpp"

namespace speedwell::wavefront {

template std::unique_ptr<Method<double>> make_tiles(const Extents&, const Recurrence<double>&, const TileOptions&);
template std::unique_ptr<Method<double>> make_linked_tiles(const TilePlan&, std::int64_t, const Recurrence<double>&,
                                                           const TileOptions&, const TileLinks<double>&);

}  // namespace speedwell::wavefront
