// DistributedGrid: a grid whose points are divided among ranks. It scatters and gathers fields, fills their halos while
// points that read none are computed, and adds totals over the ranks. Fields on it and expressions of them are in
// distributed.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/vector_calculus/frame.hpp"
#include "speedwell/apps/vector_calculus/grid.hpp"
#include "speedwell/apps/vector_calculus/totals.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/decomposition.hpp"
#include "speedwell/comm/halo_layout.hpp"

namespace speedwell::comm {
template <class Element>
class HaloExchange;
}

namespace speedwell::vector_calculus {

/// The division of a grid among ranks; axes of the decomposition are z, y, x. `depth` layers of the neighbours' points
/// surround each tile along the axes that are divided; other axes have no halo. `ranks_along` has the numbers of ranks
/// along x, y and z; 0: chosen. Along a divided axis a tile of a periodic grid has at least `depth` points, one of a
/// one-sided grid two more, else throws std::invalid_argument, as comm::Decomposition.
comm::Decomposition division_of(const Grid& grid, int ranks, int depth, const std::array<int, 3>& ranks_along = {});

/// When the halos are filled: while the points that read none of it are computed, before the first point is, or not at
/// all, because they are known to be filled.
enum class HaloUpdate { overlapped, before, none };

/// An array in host memory with `words` adjacent elements at each point of a tile and its halo.
template <class T>
struct TileField {
  T* data;
  int words;
};

/// All ranks construct it alike, and call the collective functions in the same order. An array of a field has
/// local().size() points, those of the rank's tile and of its halo, in the order of local().
class DistributedGrid {
 public:
  /// depth: the number of nested derivatives that expressions may have. Throws std::invalid_argument as require_grid()
  /// with `depth`, as division_of(), and for a depth below 0. `ranks` must outlive the object, and this its fields.
  DistributedGrid(const comm::Communicator& ranks, const Grid& grid, int depth = 1,
                  const std::array<int, 3>& ranks_along = {});
  DistributedGrid(const DistributedGrid&) = delete;
  DistributedGrid& operator=(const DistributedGrid&) = delete;
  ~DistributedGrid();

  const comm::Communicator& ranks() const { return ranks_; }
  const Grid& whole() const { return whole_; }
  /// The tile of this rank with its halo, as a grid.
  const Grid& local() const { return local_; }
  int depth() const { return depth_; }
  const comm::Decomposition& division() const { return division_; }
  /// Ranks along x, y and z: "1 x 2 x 4".
  std::string division_text() const;
  /// The points of the whole grid that this rank has, along x, y or z.
  comm::Range points_along(int axis) const;
  /// The number of a point of this rank, or of its halo, in an array of a field; i, j, k are indices of the whole grid,
  /// -1 and less or beyond the end in a halo.
  std::int64_t local_index(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return ((k - origin_[2]) * local_.ny + j - origin_[1]) * local_.nx + i - origin_[0];
  }
  /// Bytes that this rank sends to others to fill the halos of `words` elements of `word_bytes` at each point, which
  /// are differentiated `reach` times.
  std::int64_t sent_bytes(int words, int word_bytes, int reach) const;

  /// Collective. Distributes an array of `words` adjacent elements per point, read on rank 0 only, to the tiles; the
  /// halo keeps its values. T is float or double.
  template <class T>
  void scatter(const T* whole, TileField<T> field) const;
  /// Collective. Collects the tiles on rank 0, where alone `whole` is written.
  template <class T>
  void gather(TileField<const T> field, T* whole) const;
  /// The same for three components in a layout, in `whole` and in the array of the tile.
  template <class T>
  void scatter_vector(Layout layout, const T* whole, T* field) const;
  template <class T>
  void gather_vector(Layout layout, const T* field, T* whole) const;

  /// Row (j, k) from x.begin to x.end, as local indices.
  using RowAct = std::function<void(std::int64_t j, std::int64_t k, comm::Range x)>;
  /// Collective. Calls row() for all points of the tile, each once, in an order that does not depend on `update`, and
  /// fills the halos of `fields`, which may be overwritten only at points that row() gets. Strips of rows stay in a
  /// cache if `point_bytes` are read at a point. Throws std::invalid_argument for reach > depth().
  template <class T>
  void for_rows(std::span<const TileField<T>> fields, int reach, std::int64_t point_bytes, HaloUpdate update,
                const RowAct& row);
  /// Calls run(begin, end) for the points of the tile, numbered as in an array of a field, in contiguous runs.
  void for_runs(const std::function<void(std::int64_t begin, std::int64_t end)>& run) const;

  /// Collective. Combines the totals of the ranks: the sums are added in the order of the ranks.
  Totals combine(const Totals& own);

  /// What the evaluation at a point of the tile needs of the grid.
  template <class T>
  HostFrame<T> frame() const;

  /// Seconds that this rank has spent in exchanges and sums over ranks and that were not hidden by computation:
  /// packing, waiting, unpacking.
  double exchange_seconds() const;

 private:
  template <class T>
  using Exchanges = std::map<std::pair<comm::HaloShape, std::vector<int>>, std::unique_ptr<comm::HaloExchange<T>>>;
  template <class T>
  Exchanges<T>& exchanges();
  template <class T>
  comm::HaloExchange<T>& exchange_of(std::span<const TileField<T>> fields, int reach);
  std::vector<comm::Tile> tiles(int words) const;
  std::vector<comm::Tile> on_first_rank(int words) const;

  const comm::Communicator& ranks_;
  Grid whole_;
  int depth_;
  comm::Decomposition division_;
  comm::HaloLayout layout_;
  Grid local_;
  std::int64_t origin_[3];  // the index in the whole grid of the first local point along x, y and z
  Exchanges<float> exchanges_f32_;
  Exchanges<double> exchanges_f64_;
  double sum_seconds_ = 0;
};

}  // namespace speedwell::vector_calculus
