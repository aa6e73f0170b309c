// Steps from moments to moments on a tile. What a step reads of the neighbours: the collided sites beside the faces and
// edges of the tile, and their phi, for the differences, beside the corners, too, with the stencil of 27 sites. A step:
//   the halo of the collided sites is on its way   while phi of some rows of the interior is computed, then the rest;
//   the halo of phi is on its way                  while these rows collide, then the rest.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "speedwell/apps/binary_fluid/cpu/cpu_march.hpp"
#include "speedwell/apps/binary_fluid/cpu/cpu_moments.hpp"
#include "speedwell/apps/binary_fluid/gpu/collided.hpp"
#include "speedwell/apps/binary_fluid/lattice/in_place.hpp"
#include "speedwell/apps/binary_fluid/ranks/distributed_tile.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/trace.hpp"

namespace speedwell::binary_fluid {
namespace {

/// phi has its ghosts along x in its rows, which are padded if x is not divided: to the decomposition they are sites.
comm::Decomposition division_of_phi(const comm::Decomposition& division) {
  if (division.divides(2)) return division;
  comm::GlobalBox box = division.box();
  box.extents[2] = row_pitch(box.extents[2]);
  return {division.ranks(), box, division.grid()};
}

template <class S, class R>
class MomentTile final : public DistributedFluid::Tile {
 public:
  MomentTile(const comm::Communicator& ranks, const Problem& problem, const comm::Decomposition& division)
      : box_(division, ranks.rank()),
        coefficients_(problem),
        kernels_(moment_kernels<S, R>(core::best_isa())),
        exchange_(ranks, division, comm::HaloShape::edges, collided_fields),
        phi_exchange_(ranks, division_of_phi(division),
                      coefficients_.twenty_seven ? comm::HaloShape::corners : comm::HaloShape::faces, 1,
                      {.tag = phi_tag}),
        ghosts_(box_.divided(0) ? Ghosts::stored : Ghosts::periodic),
        // The arrays of all ranks of a host share its caches.
        streaming_(!box_.divided(0) && streams<S>(box_.n[0], static_cast<double>(problem.extents.sites()))),
        stride_(slot_stride(exchange_.layout().size(), sizeof(S))),
        scratch_shape_(box_.n[0]),
        f_(zeros<S>(velocities * stride_ + row_margin)),
        g_(zeros<S>(velocities * stride_ + row_margin)),
        phi_(zeros<R>(phi_exchange_.layout().size() + row_margin)),
        scratch_(zeros<R>(scratch_shape_.size + 2 * row_margin)) {
    divide();
  }

  void set(int distribution, int p, const double* own) override {
    S* const to = (distribution == 0 ? f_ : g_).data() + p * stride_;
    for_rows([&](int j, int k) {
      const double* const from = own + box_.own_site(j, k);
      for (int i = 0; i < box_.n[0]; ++i) to[box_.site(j, k) + i] = static_cast<S>(from[i]);
    });
  }
  void begin() override { collided_ = false; }

  void run(int steps) override {
    R* const phi = phi_.data();
    const std::span<R* const> phi_field(&phi, 1);
    for (int step = 0; step < steps; ++step) {
      const core::TraceSpan span("step", core::TraceCategory::phase);
      if (!collided_) {
        first_step(phi_field);
        continue;
      }
      const auto fields = collided_sites();
      exchange_.start(fields);
      march<false>(first_);
      exchange_.finish(fields);
      for (const Sites& sites : rest_) march<false>(sites);
      phi_exchange_.start(phi_field);
      march<true>(first_);
      phi_exchange_.finish(phi_field);
      for (const Sites& sites : rest_) march<true>(sites);
      kernels_.fence();
      std::swap(f_, g_);
    }
  }

  void get(double* own) override {
    if (!collided_) {
      for (int q = 0; q < 2 * velocities; ++q) {
        const S* const from = (q < velocities ? f_ : g_).data() + q % velocities * stride_;
        for_rows([&](int j, int k) {
          double* const to = own + q * box_.sites() + box_.own_site(j, k);
          for (int i = 0; i < box_.n[0]; ++i) to[i] = static_cast<double>(from[box_.site(j, k) + i]);
        });
      }
      return;
    }
    exchange_.exchange(collided_sites());
    // Each row sends its populations to the own rows around it; those of the halo do, too.
    const std::int64_t pitch = row_pitch(box_.n[0]);
    std::vector<R> rows(static_cast<std::size_t>(2 * velocities * pitch));
    R *const f = rows.data() + row_margin, *const g = f + velocities * pitch;
    const auto destination = [&](int d, int at) {  // -1: no own site
      if (box_.divided(d)) return at < box_.n[d] ? at : -1;
      return static_cast<int>(box_.along(d, at));
    };
    const auto beyond = [&](int d) { return box_.divided(d) ? 1 : 0; };
    for (int k = -beyond(2); k < box_.n[2] + beyond(2); ++k)
      for (int j = -beyond(1); j < box_.n[1] + beyond(1); ++j) {
        kernels_.leave(coefficients_, box_.n[0], ghosts_, f_.data() + box_.site(j, k), stride_, f, g);
        for (int p = 0; p < velocities; ++p) {
          const int to_j = destination(1, j + lattice::c(p, 1)), to_k = destination(2, k + lattice::c(p, 2));
          if (to_j < 0 || to_k < 0) continue;
          double* const to = own + p * box_.sites() + box_.own_site(to_j, to_k);
          const std::int64_t from = p * pitch - lattice::c(p, 0);
          for (int i = 0; i < box_.n[0]; ++i) {
            to[i] = static_cast<double>(static_cast<S>(f[from + i]));
            to[velocities * box_.sites() + i] = static_cast<double>(static_cast<S>(g[from + i]));
          }
        }
      }
  }

  double exchange_seconds() const override { return exchange_.seconds() + phi_exchange_.seconds(); }
  double sent_bytes() const override {
    return static_cast<double>(exchange_.layout().sent_to_others()) * collided_fields * sizeof(S) +
           static_cast<double>(phi_exchange_.layout().sent_to_others()) * sizeof(R);
  }

 private:
  static constexpr int phi_tag = 27;

  template <class T>
  static core::HostBuffer<T> zeros(std::int64_t count) {
    core::HostBuffer<T> buffer(static_cast<std::size_t>(count), core::Pages::large);
    std::fill_n(buffer.data(), count, T(0));
    return buffer;
  }
  /// A march computes the populations that leave the planes and rows beside its sites, too, and many small ones do so
  /// more often than a few large ones. Therefore a strip or an eighth of the rows of the interior is enough to hide an
  /// exchange, and what remains is divided into few parts, most of which go from one end of the tile to the other.
  void divide() {
    const Sites interior = box_.sites_of(exchange_.layout().interior());
    if (interior.empty()) {
      rest_ = {box_.own()};
      return;
    }
    first_ = interior;
    const int strip = scratch_shape_.rows, rows = std::max(strip, (box_.n[1] / 8 + strip - 1) / strip * strip);
    if (interior.low[1] > 0 && interior.extent(1) >= 3 * rows) first_.low[1] = rows;
    if (interior.high[1] - first_.low[1] > rows + strip / 2) first_.high[1] = first_.low[1] + rows;
    Sites remaining = box_.own();
    for (const int d : {1, 2, 0}) {
      Sites below = remaining, above = remaining;
      below.high[d] = remaining.low[d] = first_.low[d];
      above.low[d] = remaining.high[d] = first_.high[d];
      for (const Sites& sites : {below, above})
        if (!sites.empty()) rest_.push_back(sites);
    }
  }
  template <class Body>
  void for_rows(const Body& body) const {
    for (int k = 0; k < box_.n[2]; ++k)
      for (int j = 0; j < box_.n[1]; ++j) body(j, k);
  }
  std::array<S*, collided_fields> collided_sites() {
    std::array<S*, collided_fields> fields;
    for (int q = 0; q < collided_fields; ++q) fields[static_cast<std::size_t>(q)] = f_.data() + q * stride_;
    return fields;
  }
  /// phi of the first own site of a row.
  R* phi_row(int j, int k) {
    const std::int64_t length = phi_exchange_.layout().extents()[2];
    return phi_.data() + box_.row(j, k) * length + (box_.divided(0) ? 1 : row_margin);
  }
  Stack<R> stack_of(int i, int j, int k) {
    Stack<R> stack;
    for (int y = 0; y < 3; ++y)
      for (int z = 0; z < 3; ++z) stack.row[y][z] = phi_row(j + y - 1, k + z - 1) + i;
    return stack;
  }

  void first_step(std::span<R* const> phi_field) {
    for_rows([&](int j, int k) {
      kernels_.first_phi(box_.n[0], ghosts_, g_.data() + box_.site(j, k), stride_, phi_row(j, k));
    });
    phi_exchange_.exchange(phi_field);
    for_rows([&](int j, int k) {
      kernels_.first_step(coefficients_, box_.n[0], f_.data() + box_.site(j, k), g_.data() + box_.site(j, k), stride_,
                          stack_of(0, j, k));
    });
    collided_ = true;
  }

  /// The rows of a march, from site `first` on.
  struct Rows {
    MomentTile& of;
    int first, n;
    Ghosts ghosts;
    std::int64_t stride;
    bool streaming;
    const S* collided(int j, int k) const { return of.f_.data() + of.box_.site(j, k) + first; }
    S* next(int j, int k) const { return of.g_.data() + of.box_.site(j, k) + first; }
    R* phi(int j, int k) const { return of.phi_row(j, k) + first; }
    Stack<R> stack(int j, int k) const { return of.stack_of(first, j, k); }
    void plane_done() const {  // messages move on only in calls of MPI
      of.exchange_.progress();
      of.phi_exchange_.progress();
    }
  };

  template <bool whole>
  void march(const Sites& sites) {
    if (sites.empty()) return;
    const core::TraceSpan span(whole ? "step of sites" : "phi of sites", core::TraceCategory::compute);
    const Rows rows{*this, sites.low[0], sites.extent(0), ghosts_, stride_, streaming_};
    const int count = sites.extent(1), strips = (count + scratch_shape_.rows - 1) / scratch_shape_.rows;
    for (int strip = 0; strip < strips; ++strip)
      march_strip<whole>(coefficients_, kernels_, rows,
                         Strip{sites.low[1] + count * strip / strips, sites.low[1] + count * (strip + 1) / strips,
                               sites.low[2], sites.high[2]},
                         scratch_.data() + row_margin);
  }

  TileBox box_;
  Coefficients<R> coefficients_;
  MomentKernels<S, R> kernels_;
  comm::HaloExchange<S> exchange_;
  comm::HaloExchange<R> phi_exchange_;
  Ghosts ghosts_;
  bool streaming_;
  std::int64_t stride_;
  MarchScratch<R> scratch_shape_;
  /// Before the first step: populations. After it: collided sites in the first fifteen slots of f_, those of the next
  /// step in g_.
  core::HostBuffer<S> f_, g_;
  core::HostBuffer<R> phi_, scratch_;
  Sites first_;              // computed during exchanges: sites that read no halo
  std::vector<Sites> rest_;  // all others
  bool collided_ = false;
};

}  // namespace

std::unique_ptr<DistributedFluid::Tile> tile_of_moments(const comm::Communicator& ranks, const Problem& problem,
                                                        Precision precision, const comm::Decomposition& division) {
  switch (precision) {
    case Precision::f64:
      return std::make_unique<MomentTile<double, double>>(ranks, problem, division);
    case Precision::f32:
      return std::make_unique<MomentTile<float, float>>(ranks, problem, division);
    case Precision::mixed:
      break;
  }
  return std::make_unique<MomentTile<float, double>>(ranks, problem, division);
}

}  // namespace speedwell::binary_fluid
