// The points that kernels compute, and who else needs them: the whole box on one GPU, or the slab of a rank, which has
// halo_planes planes of its neighbours' on each side along z. For CUDA sources (.cu) only.
//
// A slab's kernels store the points that a neighbour needs straight into its halo. The sum over the ranks that ends
// each pass tells that they have arrived, so that nothing else is exchanged:
//   the state q     (two planes) stored by commit(),           there after the maximum of the rates in begin_step();
//   b as r and p, and x = 0 (one plane) stored by right_hand_sides(), there after its sum;
//   v = A p, t = A s (one plane) stored by product(),          there after the sums of the product.
// update() computes x, r and p in the halo, too, from the neighbours' v and t and the same scalars: with the
// neighbours' bits. A rank that has passed a sum knows that the others have entered it and have finished what precedes
// it in their streams, but not what follows. A vector may therefore be overwritten in a neighbour's halo only where a
// sum lies between the neighbour's last kernel that reads it and the store: so it is with q, r, p, x and t. v is read
// by update() after the last sum of an iteration, and stored by the next product before another sum; iterations
// therefore take turns with two vectors v.
#pragma once

#include <climits>

#include "speedwell/apps/blast_wave/gpu/product.hpp"
#include "speedwell/comm/gpu/device_sums.hpp"

namespace speedwell::blast_wave::device {

/// The vectors of a slab that the neighbours write, in the order in which they lie in memory that the ranks share.
enum class Shared { q, x, r, p, v_even, v_odd, t };
constexpr int shared_vectors = 7;

/// The slab of a neighbour, in the memory of its GPU.
struct Neighbour {
  double* vectors;  // `Shared`, one after the other, of five variables each
  int stride;       // between its variables
  int shift;        // from the index of an own point here to its index in the halo there

  __device__ void store(Shared vector, int c, int p, double value) const {
    vectors[(5 * static_cast<std::int64_t>(vector) + c) * stride + p + shift] = value;
  }
};

/// The whole box on one GPU.
struct Whole {
  static constexpr int halo = 0;

  template <class Store>
  __device__ void send(const Medium&, int, int, const Store&) const {}
  template <int n>
  __device__ const Terms<n>& over_ranks(const Terms<n>& sums) const {
    return sums;
  }
  __device__ double max_over_ranks(double value) const { return value; }
  __device__ void find_bad_point(const Medium&, Scalars*) const {}
  __device__ const double* v(const Scalars*, const double* own) const { return own; }
};

/// The slab of a rank. Its functions over the ranks are called by one thread of each rank, all of them in the same
/// order: the conditions before the calls have the same bits everywhere.
struct RankSlab {
  static constexpr int halo = halo_planes;

  Neighbour below, above;
  const double* v_odd;                // the vector v of iterations of odd numbers
  int first_point, points;            // the index of the first own point in the whole box, and that box's points
  const comm::DeviceSumsView* ranks;  // for sums

  /// Calls store(neighbour) for each neighbour whose `planes` nearest halo planes include the own point p.
  template <class Store>
  __device__ void send(const Medium& m, int p, int planes, const Store& store) const {
    const bool down = p < (halo + planes) * m.step[2], up = p >= (m.extent[2] - halo - planes) * m.step[2];
    if (down) store(below);
    if (up) store(above);
    if (down || up) __threadfence_system();  // before this block is counted as finished
  }
  /// The sums over the ranks, in the order of the ranks.
  template <int n>
  __device__ Terms<n> over_ranks(Terms<n> sums) const {
    constexpr int most = comm::DeviceSumsView::max_values, rest = n > most ? n - most : 0;
    static_assert(rest <= most);
    double first[n - rest];
    for (int i = 0; i < n - rest; ++i) first[i] = sums[i];
    ranks->sum(first);
    for (int i = 0; i < n - rest; ++i) sums[i] = first[i];
    if constexpr (rest > 0) {
      double second[rest];
      for (int i = 0; i < rest; ++i) second[i] = sums[most + i];
      ranks->sum(second);
      for (int i = 0; i < rest; ++i) sums[most + i] = second[i];
    }
    return sums;
  }
  /// The maximum of values that are not negative. Sums of which each rank has a term for itself, beside zeros, are
  /// exact.
  __device__ double max_over_ranks(double value) const {
    constexpr int most = comm::DeviceSumsView::max_values;
    double largest = 0;
    for (int first = 0; first < ranks->ranks; first += most) {
      double of_ranks[most];
      for (int i = 0; i < most; ++i) of_ranks[i] = ranks->rank == first + i ? value : 0.0;
      ranks->sum(of_ranks);
      for (int i = 0; i < most; ++i) largest = fmax(largest, of_ranks[i]);
    }
    return largest;
  }
  /// Replaces this rank's first point that is not admissible by the first of all ranks, as an index in the whole box.
  __device__ void find_bad_point(const Medium& m, Scalars* k) const {
    const int own = atomicMin(&k->bad_point, INT_MAX);
    const double after = max_over_ranks(own == INT_MAX ? 0 : points - (own - halo * m.step[2] + first_point));
    k->bad_point = after > 0 ? points - static_cast<int>(after) : INT_MAX;
  }
  /// The v of the last iteration that was begun. `own`: that of iterations of even numbers.
  __device__ const double* v(const Scalars* k, const double* own) const { return k->updated % 2 == 0 ? own : v_odd; }
};

/// A sink whose sums are those over the ranks.
template <class Sink>
struct OverRanks : Sink {
  RankSlab slab;
  __device__ void finish(const Terms<Sink::sums>& t) const { Sink::finish(slab.over_ranks(t)); }
};

/// KeepV on a slab: the outer planes of v go to the neighbours, too.
struct SendV : OverRanks<KeepV> {
  Medium m;
  double* v_odd;
  Shared sent = Shared::v_even;
  __device__ void choose(int iteration) {
    if (iteration % 2 == 0) return;
    v = v_odd;
    sent = Shared::v_odd;
  }
  template <class Source>
  __device__ void at(Site s, const Source& source, const double y[5], Terms<sums>& t) const {
    KeepV::at(s, source, y, t);
    slab.send(m, s.p, 1, [&](const Neighbour& to) {
      for (int c = 0; c < 5; ++c) to.store(sent, c, s.p, y[c]);
    });
  }
};
/// KeepT on a slab: the outer planes of t go to the neighbours, too.
struct SendT : OverRanks<KeepT> {
  Medium m;
  template <class Source>
  __device__ void at(Site s, const Source& source, const double y[5], Terms<sums>& t) const {
    KeepT::at(s, source, y, t);
    slab.send(m, s.p, 1, [&](const Neighbour& to) {
      for (int c = 0; c < 5; ++c) to.store(Shared::t, c, s.p, y[c]);
    });
  }
};
/// HalfPointState on a slab.
struct HalfPointStateOfTwo : HalfPointState {
  const double* v_odd;
  __device__ void choose(int iteration) {
    if (iteration % 2 != 0) v = v_odd;
  }
};

}  // namespace speedwell::blast_wave::device
