// SlabSolver: the time steps of a blast wave on the points of a slab, in tiles of 32 points: the solver of one process,
// whose slab is the whole box (CpuSolver), and of each rank (DistributedSolver). Per iteration there are three passes
// over the tiles and two sums over the box, and on ranks one plane of the vector of each product travels to the
// neighbours while the tiles that do not read it are computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "speedwell/apps/blast_wave/blast_wave.hpp"
#include "speedwell/apps/blast_wave/cpu/tiles.hpp"
#include "speedwell/apps/blast_wave/point.hpp"
#include "speedwell/apps/blast_wave/ranks/slab.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::blast_wave {

class SlabSolver {
 public:
  /// `slab` must outlive the object. Stored products are for the slab of a whole box. `threads`: 0 is OpenMP's default.
  SlabSolver(Slab& slab, const Problem& problem, int threads, Products products);

  const Slab& slab() const { return slab_; }
  double time = 0;
  std::int64_t step = 0;
  /// One of the five variables of the state at the slab's own points.
  double* variable(int c) { return q_.at(c * mesh_.stride + mesh_.origin); }
  /// Calls body(tile, first, count) for all tiles, where `first` is the index of a point in the slab's mesh.
  template <class Body>
  void for_tiles(const Body& body) const {
    for_tiles({0, tiles_}, body);
  }

  /// As CpuSolver::run(); collective, and the history is the same on all ranks.
  History run(int steps);
  const CpuSolver::Parts& seconds() const { return spent_; }
  /// y = A x for a tile.
  void product(const double* x, double* y, int tile) const;

  /// Bytes for a slab of `points` points, its halo included.
  static double bytes(double points, Products products);

 private:
  /// Values of the slab's mesh such that the first own point is at the begin of a cache line.
  class Field {
   public:
    Field() = default;
    Field(std::size_t count, int origin)
        : memory_(count + 8, core::Pages::large), values_(memory_.data() + (8 - origin % 8) % 8) {}
    double* at(int index) const { return values_ + index; }
    double& operator[](int index) const { return values_[index]; }
    double* data() const { return values_; }

   private:
    core::HostBuffer<double> memory_;
    double* values_ = nullptr;
  };

  template <class Body>
  void for_tiles(comm::Range range, const Body& body) const {
    const auto begin = static_cast<int>(range.begin), end = static_cast<int>(range.end);
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1 && end - begin > 64)
    for (int number = begin; number < end; ++number)
      body(number, mesh_.origin + number * tile, std::min(tile, slab_.count() - number * tile));
  }
  /// Fills a plane of the halo of `vector`, and calls body for all tiles: first for those that do not read it.
  template <class Body>
  void for_tiles_after_halo(Field& vector, const Body& body);
  /// Calls body with the index of each of the five variables of `count` points.
  template <class Body>
  void for_values(int first, int count, const Body& body) const;
  /// Sets the five sums of a tile: t.s, t.t, s.s, h.s and h.t.
  void dots(const Field& t, const Field& s, const Field& h, int number, int first, int count);
  /// The first `count` of them, of all tiles of the box.
  void total(std::size_t count, double* result) { slab_.sum(sums_, count, result); }

  // The parts of a step, in their order. All but the first and the last but one are collective.
  /// Computes the state per unit mass of a point.
  void compute_specific(int at);
  /// Computes it for all points and those of the halo, whose state is filled. Returns the time step.
  double time_step();
  /// Prepares the blocks and the right-hand side, and x = 0, r = r^ = p = b. Returns the sum of squares of b.
  double begin(double dt);
  /// Solves for x, with the sums that gpu/device.hpp explains: one after each product.
  StopReason bicgstab(StepRecord& record);
  /// Records |b - A x|^2 and |x|, the change. Returns the first point that x would make inadmissible, by its number in
  /// the box, or the largest integer; r is overwritten.
  std::int64_t finish(StepRecord& record);
  /// Adds the change to the state.
  void commit();
  /// Reports an inadmissible point and the values that it would have had.
  void describe(std::int64_t point, History& history);

  Slab& slab_;
  Problem problem_;
  Medium m_;
  TileMesh mesh_;  // of the slab, by which fields are indexed
  TileKernels kernels_;
  SystemKernels systems_;
  ProductOfTile* without_blocks_;
  Products products_;
  int threads_, tiles_;
  Weights weights_{};  // of the last step
  // Five variables each: the state, its Specific, right-hand side and solution, and the vectors of BiCGSTAB.
  Field q_, w_, b_, x_, r_, shadow_, p_, v_, t_;
  Field blocks_, strength_;   // one of the two is used, depending on `products`
  std::vector<double> sums_;  // five of each tile
  CpuSolver::Parts spent_;
};

}  // namespace speedwell::blast_wave
