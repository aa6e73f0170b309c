// A consumer warp of a tile, which sweeps planes of it. It keeps their most recent values in registers: top is a lane's
// own value, north comes from the preceding lane, west from the preceding plane of the warp or, through the ring
// buffers in shared memory, from the preceding warp. Copies to and from global memory transfer whole lines of a row
// although the lanes lie on a diagonal: in each step a few rows begin a line, and only these are copied. Included by
// CUDA sources only.
#pragma once

#include "speedwell/apps/wavefront/gpu/tile_sweep.hpp"

namespace speedwell::wavefront::detail {

/// The latency of a step's instruction sequence determines the time of a tile. Therefore a step has no branches, and
/// invariants are kept in registers.
/// `Linked`: the last tile of a group sends its faces along x to another GPU.
template <class T, class C, int V, int P, Rows rows, bool Linked>
class Sweeper {
  using At = TileContext<T, V, P, rows>;
  using L = typename At::L;
  using CellVector = typename L::CellVector;
  static constexpr int ahead = TileSteps(V, sizeof(T)).ahead;

 public:
  /// Sweeping warp `w`, before the first step, -ahead.
  __device__ Sweeper(const At& at, int w, int lane)
      : vectors_(opaque(static_cast<std::uint32_t>(at.sweep.plan.vectors))),
        planes_(min(P, at.sweep.grid.nx - at.i - w * P)),
        c_(-ahead - w - lane),
        first_warp_(w == 0),
        first_row_(lane == 0),
        ring_(opaque(at.rings + w * P * L::plane_bytes + lane * L::ring_bytes)),
        before_(opaque(ring_ - L::plane_bytes)),
        west_(opaque(at.west + lane * At::vector_bytes)),
        north_(opaque(at.north + w * P * At::vector_bytes)),
        south_step_(opaque(at.sweep.plan.planes * V)),
        copies_(at.sweep.grid.row(at.i + w * P, at.j), at.sweep.grid, at.rings + w * P * L::plane_bytes, at.num_rows,
                planes_, -ahead - w - 1, lane) {
    const DeviceGrid<T>& g = at.sweep.grid;
    const TilePlan& plan = at.sweep.plan;
#pragma unroll
    for (int p = 0; p < P; ++p)
      if (p < planes_ && lane < at.num_rows) inflow_[p] = g.top[(at.i + w * P + p) * g.top_x + (at.j + lane) * g.top_y];
    const bool sends = static_cast<std::int32_t>(at.number) != at.sweep.withheld_tile;
    has_east_ = sends && w == plan.warps() - 1 &&
                (Linked ? at.indices.a != at.sweep.last : at.indices.a + 1 < plan.in_x) && lane < at.num_rows;
    has_south_ = sends && lane == tile_rows - 1 && at.indices.b + 1 < plan.in_y;
    const bool ends_group = Linked && (at.indices.a + 1) % at.sweep.group == 0;
    const std::int64_t east = at.index() + std::int64_t{plan.in_y} * (ends_group ? at.sweep.next_index : 1);
    east_ =
        (ends_group ? at.sweep.next_west : at.sweep.west) + (east * plan.west_vectors() + lane * (tile_rows + 1)) * V;
    south_ = at.sweep.north + ((at.index() + 1) * plan.north_vectors() + w * plan.planes + w * P) * V;
  }
  __device__ bool has_planes() const { return planes_ > 0; }

  /// Called before the barrier of each step.
  __device__ void await_lines() const { wait_for_copies<ahead - 1>(); }

  /// Called after the barrier: updates one vector of each plane in all lanes that have one.
  __device__ void step(const C& cell, std::int32_t step) {
    const SharedAddress at = L::ring_offset(c_), slot = step & (At::slots - 1);
    const SharedAddress from = first_warp_ ? west_ + slot * At::west_bytes : before_ + at;
    // Before its first vector and after its last a lane computes values that are not used.
    CellVector own[P], from_west = L::get(from);
#pragma unroll
    for (int p = 0; p < P; ++p) {
      own[p] = L::get(ring_ + at + p * L::plane_bytes);
      if (first_row_) from_north_[p] = L::in_sweep_order(north_ + slot * At::north_bytes + p * At::vector_bytes);
      if (c_ == 0) top_[p] = inflow_[p];
    }
    // For the rows that began a line in the preceding step, the line before it is stored, since the next warp has read
    // it, too, and the line after it is loaded into its slot.
    copies_.store_last();
    copies_.load_next();
    copies_.advance();
    commit_copies();
#pragma unroll
    for (int p = 0; p < P; ++p) {
#pragma unroll
      for (int v = 0; v < V; ++v) {
        top_[p] = cell(own[p].cell[v], top_[p], from_north_[p].cell[v], from_west.cell[v]);
        own[p].cell[v] = top_[p];
      }
      from_west = own[p];
    }
    const bool works = is_vector(c_, vectors_);
#pragma unroll
    for (int p = 0; p < P; ++p) {
      if (works) L::put(ring_ + at + p * L::plane_bytes, own[p]);
      if (works && has_south_) send_face<false>(south_ + std::int64_t{c_} * south_step_ + p * V, own[p].cell);
#pragma unroll
      for (int v = 0; v < V; ++v) from_north_[p].cell[v] = __shfl_up_sync(~0u, own[p].cell[v], 1);
    }
    if (works && has_east_) send_face<Linked>(east_ + std::int64_t{c_} * (tile_rows * V), own[P - 1].cell);
    ++c_;
  }

 private:
  std::uint32_t vectors_;
  int planes_;
  std::int32_t c_;  // the vector at which this lane is
  bool first_warp_, first_row_, has_east_, has_south_;
  SharedAddress ring_, before_;  // ring buffers of this lane's row in the first plane and in the preceding plane
  SharedAddress west_, north_;   // halo buffers
  int south_step_;
  T *east_, *south_;  // destinations of vector 0 of the last plane and of the last row
  typename L::Copies copies_;
  T top_[P] = {}, inflow_[P] = {};
  CellVector from_north_[P] = {};  // values of the preceding lane in the preceding step
};

}  // namespace speedwell::wavefront::detail
