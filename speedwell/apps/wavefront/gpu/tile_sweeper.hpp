// A warp of a tile that sweeps planes of it. It keeps their last values in registers: top is a lane's own, north comes
// from the lane beside it, west from its plane before or, through the rings of lines in shared memory, from the warp
// before. Copies to and from memory are whole lines of a row, though lanes are at a diagonal: in each step a few rows
// begin a line, and only these are copied. Included by CUDA sources alone.
#pragma once

#include "speedwell/apps/wavefront/gpu/tile_sweep.hpp"

namespace speedwell::wavefront::detail {

/// A tile takes as long as the instructions of a step one after another: so there are no branches in it, and what can
/// be known before is in a register.
template <class T, class C, int V, int P, Rows rows>
class Sweeper {
  using At = TileAt<T, V, P, rows>;
  using L = typename At::L;
  using Chunk = typename L::Chunk;
  static constexpr int ahead = TileSteps(V, sizeof(T)).ahead;

 public:
  /// Warp w of those that sweep, before the first step, -ahead.
  __device__ Sweeper(const At& at, int w, int lane)
      : chunks_(kept(static_cast<std::uint32_t>(at.sweep.plan.chunks))),
        planes_(min(P, at.sweep.grid.nx - at.i - w * P)),
        c_(-ahead - w - lane),
        first_warp_(w == 0),
        first_row_(lane == 0),
        ring_(kept(at.rings + w * P * L::plane_bytes + lane * L::ring_bytes)),
        before_(kept(ring_ - L::plane_bytes)),
        west_(kept(at.west + lane * At::chunk_bytes)),
        north_(kept(at.north + w * P * At::chunk_bytes)),
        south_step_(kept(at.sweep.plan.planes * V)),
        copies_(at.sweep.grid.row(at.i + w * P, at.j), at.sweep.grid, at.rings + w * P * L::plane_bytes, at.rows_there,
                planes_, -ahead - w - 1, lane) {
    const DeviceGrid<T>& g = at.sweep.grid;
    const TilePlan& plan = at.sweep.plan;
#pragma unroll
    for (int p = 0; p < P; ++p)
      if (p < planes_ && lane < at.rows_there)
        inflow_[p] = g.top[(at.i + w * P + p) * g.top_x + (at.j + lane) * g.top_y];
    const bool hands_on = static_cast<std::int32_t>(at.number) != at.sweep.withheld;
    has_east_ = hands_on && w == plan.warps() - 1 && at.place.a + 1 < plan.in_x && lane < at.rows_there;
    has_south_ = hands_on && lane == tile_rows - 1 && at.place.b + 1 < plan.in_y;
    east_ = at.sweep.west + ((at.index() + plan.in_y) * plan.west_chunks() + lane * (tile_rows + 1)) * V;
    south_ = at.sweep.north + ((at.index() + 1) * plan.north_chunks() + w * plan.planes + w * P) * V;
  }
  __device__ bool has_planes() const { return planes_ > 0; }

  /// Before the barrier of each step.
  __device__ void await_lines() const { wait_for_copies<ahead - 1>(); }

  /// And behind it: a chunk of each plane, of all lanes that have one.
  __device__ void step(const C& cell, std::int32_t step) {
    const SharedAddress at = L::place(c_), slot = step & (At::slots - 1);
    const SharedAddress from = first_warp_ ? west_ + slot * At::west_bytes : before_ + at;
    // Before its first chunk and after its last a lane computes what nobody reads.
    Chunk own[P], from_west = L::get(from);
#pragma unroll
    for (int p = 0; p < P; ++p) {
      own[p] = L::get(ring_ + at + p * L::plane_bytes);
      if (first_row_) from_north_[p] = L::in_sweep_order(north_ + slot * At::north_bytes + p * At::chunk_bytes);
      if (c_ == 0) top_[p] = inflow_[p];
    }
    // Of the rows that began a line in the step before, the line before that leaves, which the warp beside has read
    // too, and the one after it takes its place.
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
    const bool works = is_chunk(c_, chunks_);
#pragma unroll
    for (int p = 0; p < P; ++p) {
      if (works) L::put(ring_ + at + p * L::plane_bytes, own[p]);
      if (works && has_south_) hand_on(south_ + std::int64_t{c_} * south_step_ + p * V, own[p].cell);
#pragma unroll
      for (int v = 0; v < V; ++v) from_north_[p].cell[v] = __shfl_up_sync(~0u, own[p].cell[v], 1);
    }
    if (works && has_east_) hand_on(east_ + std::int64_t{c_} * (tile_rows * V), own[P - 1].cell);
    ++c_;
  }

 private:
  std::uint32_t chunks_;
  int planes_;
  std::int32_t c_;  // the chunk of this lane
  bool first_warp_, first_row_, has_east_, has_south_;
  SharedAddress ring_, before_;  // of this lane's row in the first plane, and in the plane before
  SharedAddress west_, north_;   // what comes from other tiles
  int south_step_;
  T *east_, *south_;  // where chunk 0 of the last plane and of the last row goes
  typename L::Copies copies_;
  T top_[P] = {}, inflow_[P] = {};
  Chunk from_north_[P] = {};  // what the lane before had in the step before
};

}  // namespace speedwell::wavefront::detail
