// Steps in place on a tile (in_place.hpp): for walls, collisions after which ghost modes remain, and Brazovskii's free
// energy. What a step reads of the neighbours: the populations that cross into the tile (population_exchange.hpp), and
// phi beside its faces, and with the stencil of 27 sites beside edges and corners. A step:
//   populations are on their way    while phi of a quarter of the interior is computed, then that of the rim;
//   the halo of phi is on its way   while the rest of phi is computed, a plane ahead of the collisions of the interior;
//                                   then the rim collides.
// With Brazovskii's energy all of phi is computed first, then its Laplacian, whose halo travels in its turn.
#include <algorithm>
#include <utility>
#include <vector>

#include "speedwell/apps/binary_fluid/cpu/cpu_rows.hpp"
#include "speedwell/apps/binary_fluid/cpu/cpu_wall_terms.hpp"
#include "speedwell/apps/binary_fluid/lattice/in_place.hpp"
#include "speedwell/apps/binary_fluid/ranks/distributed_tile.hpp"
#include "speedwell/apps/binary_fluid/ranks/population_exchange.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/trace.hpp"

namespace speedwell::binary_fluid {
namespace {

template <class S, class R>
class InPlaceTile final : public DistributedFluid::Tile {
  using Direction = typename PopulationExchange<S>::Direction;

 public:
  InPlaceTile(const comm::Communicator& ranks, const Problem& problem, const comm::Decomposition& division)
      : box_(division, ranks.rank()),
        coefficients_(problem),
        kernels_(row_kernels<S, R>(core::best_isa())),
        field_exchange_(ranks, division, coefficients_.twenty_seven ? comm::HaloShape::corners : comm::HaloShape::faces,
                        1),
        stride_(slot_stride(field_exchange_.layout().size(), sizeof(S))),
        crossing_(ranks, problem, division, stride_, crossing_tag),
        walls_(Domain(problem), 0, 0, 0),
        domain_(problem),
        f_(zeros<S>(velocities * stride_)),
        g_(zeros<S>(velocities * stride_)),
        phi_(zeros<R>(field_exchange_.layout().size())),
        has_phi_(static_cast<std::size_t>(std::int64_t{box_.n[1]} * box_.n[2])) {
    if (coefficients_.brazovskii) laplacian_ = zeros<R>(field_exchange_.layout().size());
    interior_ = box_.sites_of(field_exchange_.layout().interior());
    for (const auto& region : field_exchange_.layout().rim()) rim_.push_back(box_.sites_of(region));
    for (const auto& axis : domain_.push)
      for (const auto& wall : axis)
        for (const double component : wall) moving_ = moving_ || component != 0;
  }

  void set(int distribution, int p, const double* own) override {
    S* const to = (distribution == 0 ? f_ : g_).data() + p * stride_;
    for (int k = 0; k < box_.n[2]; ++k)
      for (int j = 0; j < box_.n[1]; ++j)
        for (int i = 0; i < box_.n[0]; ++i) to[box_.site(j, k) + i] = static_cast<S>(own[box_.own_site(j, k) + i]);
  }
  void begin() override { odd_ = left_in_halo_ = false; }

  void run(int steps) override {
    for (int step = 0; step < steps; ++step) {
      const core::TraceSpan span("step", core::TraceCategory::phase);
      if (coefficients_.brazovskii)
        step_in_passes();
      else
        step_in_one_pass();
      left_in_halo_ = odd_;
      odd_ = !odd_;
    }
  }

  void get(double* own) override {
    start_crossing();
    finish_crossing();
    for (int k = 0; k < box_.n[2]; ++k)
      for (int j = 0; j < box_.n[1]; ++j)
        for (int i = 0; i < box_.n[0]; ++i) {
          const Surroundings around = surroundings(i, j, k);
          for (int p = 0; p < velocities; ++p) {
            const int x = -lattice::c(p, 0), y = -lattice::c(p, 1), z = -lattice::c(p, 2);
            const bool elsewhere = odd_ && !around.wall(x, y, z);
            const std::int64_t from = elsewhere ? lattice::opposite(p) * stride_ + box_.site(i + x, j + y, k + z)
                                                : p * stride_ + box_.site(i, j, k);
            const std::int64_t to = p * box_.sites() + box_.own_site(j, k) + i;
            own[to] = static_cast<double>(f_[static_cast<std::size_t>(from)]);
            own[velocities * box_.sites() + to] = static_cast<double>(g_[static_cast<std::size_t>(from)]);
          }
        }
  }

  double exchange_seconds() const override { return field_exchange_.seconds() + crossing_.seconds(); }
  double sent_bytes() const override {
    return static_cast<double>(crossing_.sent_bytes()) +
           static_cast<double>(field_exchange_.layout().sent_to_others()) * sizeof(R) *
               (coefficients_.brazovskii ? 2 : 1);
  }

 private:
  static constexpr int crossing_tag = 27;

  template <class T>
  static core::HostBuffer<T> zeros(std::int64_t count) {
    core::HostBuffer<T> buffer(static_cast<std::size_t>(count), core::Pages::large);
    std::fill_n(buffer.data(), count, T(0));
    return buffer;
  }

  // Before an odd step populations are read where they come from; after it those that have left the tile are in its
  // halo.
  void start_crossing() {
    if (odd_) crossing_.start(Direction::to_halo, f_.data(), g_.data());
    if (left_in_halo_) crossing_.start(Direction::to_owner, f_.data(), g_.data());
    left_in_halo_ = false;
  }
  void finish_crossing() { crossing_.finish(f_.data(), g_.data()); }

  void make_phi(const Sites& sites) {
    const core::TraceSpan span("phi", core::TraceCategory::compute);
    for_rows(sites, [&](int j, int k) { make_phi(sites, j, k); });
  }
  void make_phi(const Sites& sites, int j, int k) { kernels_.phi(row_of(sites, j, k), at(phi_, sites, j, k)); }
  void collide(const Sites& sites, int j, int k) {
    const Stack<R> second = coefficients_.brazovskii ? stack_of(laplacian_, sites, j, k) : Stack<R>{};
    kernels_.collide(coefficients_, row_of(sites, j, k), stack_of(phi_, sites, j, k), second);
  }

  void step_in_passes() {
    start_crossing();
    make_phi(interior_);
    finish_crossing();
    for (const Sites& sites : rim_) make_phi(sites);
    with_halo(phi_, [&](const Sites& sites) {
      for_rows(sites, [&](int j, int k) {
        kernels_.laplacian(coefficients_.stencil(), sites.extent(0), ends_of(sites), stack_of(phi_, sites, j, k),
                           at(laplacian_, sites, j, k));
      });
    });
    with_halo(laplacian_, [&](const Sites& sites) { for_rows(sites, [&](int j, int k) { collide(sites, j, k); }); });
  }

  // phi of a row is computed shortly before the collisions, so that its populations are still in the cache; as no other
  // row accesses its slots, in any order.
  void step_in_one_pass() {
    std::fill(has_phi_.begin(), has_phi_.end(), char(0));
    Sites quarter = interior_;
    quarter.high[2] = quarter.low[2] + (interior_.extent(2) + 3) / 4;
    start_crossing();
    make_phi(quarter);
    finish_crossing();
    for (const Sites& sites : rim_) make_phi(sites);
    // If x is divided, phi of a row's ends has been computed apart.
    if (!box_.divided(0)) {
      mark(quarter);
      for (const Sites& sites : rim_) mark(sites);
    }
    R* const field = phi_.data();
    field_exchange_.start(std::span<R* const>(&field, 1));
    collide_interior();
    field_exchange_.finish(std::span<R* const>(&field, 1));
    const core::TraceSpan span("rim", core::TraceCategory::compute);
    for (const Sites& sites : rim_) for_rows(sites, [&](int j, int k) { collide(sites, j, k); });
  }
  char& has_phi(int j, int k) { return has_phi_[static_cast<std::size_t>(j + std::int64_t{box_.n[1]} * k)]; }
  void mark(const Sites& sites) {
    for_rows(sites, [&](int j, int k) { has_phi(j, k) = 1; });
  }
  /// Strips of few rows, plane after plane.
  void collide_interior() {
    if (interior_.empty()) return;
    const core::TraceSpan span("interior", core::TraceCategory::compute);
    const auto row_bytes = static_cast<std::int64_t>(2 * velocities * sizeof(S)) * box_.n[0];
    const int rows = static_cast<int>(std::clamp<std::int64_t>((std::int64_t{1} << 20) / row_bytes, 4, 64));
    const Sites own = box_.own();
    // The own row in place of the one at this position; -1: a row of the halo.
    const auto own_row = [&](int d, int to) {
      if (to >= 0 && to < box_.n[d]) return to;
      if (box_.divided(d) && !box_.wall[d][to < 0 ? 0 : 1]) return -1;
      return box_.beside(d, to) == to ? static_cast<int>(box_.along(d, to)) : box_.beside(d, to);
    };
    for (int y0 = interior_.low[1]; y0 < interior_.high[1]; y0 += rows) {
      const int y1 = std::min(y0 + rows, interior_.high[1]);
      const auto make_phi_of_plane = [&](int plane) {
        const int k = own_row(2, plane);
        for (int y = y0 - 1; y <= y1 && k >= 0; ++y) {
          const int j = own_row(1, y);
          if (j < 0 || has_phi(j, k)) continue;
          make_phi(own, j, k);
          has_phi(j, k) = 1;
        }
      };
      make_phi_of_plane(interior_.low[2] - 1);
      make_phi_of_plane(interior_.low[2]);
      for (int k = interior_.low[2]; k < interior_.high[2]; ++k) {
        make_phi_of_plane(k + 1);
        for (int j = y0; j < y1; ++j) collide(interior_, j, k);
        field_exchange_.progress();
      }
    }
  }

  /// Calls act(sites) for the interior while the halo of the field is on its way, then for the rim.
  template <class Act>
  void with_halo(core::HostBuffer<R>& buffer, const Act& act) {
    R* const field = buffer.data();
    field_exchange_.start(std::span<R* const>(&field, 1));
    act(interior_);
    field_exchange_.finish(std::span<R* const>(&field, 1));
    for (const Sites& sites : rim_) act(sites);
  }
  template <class Body>
  void for_rows(const Sites& sites, const Body& body) {
    if (sites.empty()) return;
    for (int k = sites.low[2]; k < sites.high[2]; ++k) {
      for (int j = sites.low[1]; j < sites.high[1]; ++j) body(j, k);
      crossing_.progress();  // messages move on only in calls of MPI
      field_exchange_.progress();
    }
  }

  R* at(core::HostBuffer<R>& field, const Sites& sites, int j, int k) {
    return field.data() + box_.site(j, k) + sites.low[0];
  }
  /// Only wall() and push() are meant to be used.
  Surroundings surroundings(int i, int j, int k) const {
    Surroundings around = walls_;
    around.wall_bits = 0;
    const int site[3] = {i, j, k};
    for (int d = 0; d < 3; ++d) {
      const unsigned below = box_.wall[d][0] && site[d] == 0, above = box_.wall[d][1] && site[d] == box_.n[d] - 1;
      around.wall_bits |= (below + 2 * above) << (2 * d);
    }
    return around;
  }
  RowEnds ends_of(const Sites& sites) const {
    if (!domain_.walls[0] && !box_.divided(0)) return {};
    return {box_.wall[0][0] && sites.low[0] == 0 ? RowEnd::wall : RowEnd::stored,
            box_.wall[0][1] && sites.high[0] == box_.n[0] ? RowEnd::wall : RowEnd::stored};
  }
  Stack<R> stack_of(const core::HostBuffer<R>& field, const Sites& sites, int j, int k) const {
    Stack<R> stack;
    for (int y = 0; y < 3; ++y)
      for (int z = 0; z < 3; ++z)
        stack.row[y][z] = field.data() + box_.site(box_.beside(1, j + y - 1), box_.beside(2, k + z - 1)) + sites.low[0];
    return stack;
  }
  Row<S> row_of(const Sites& sites, int j, int k) {
    Row<S> row;
    row.n = sites.extent(0);
    row.ends = ends_of(sites);
    // Only walls normal to y and z count here; walls normal to x concern the ends of the row.
    Surroundings around = surroundings(0, j, k);
    around.wall_bits &= ~3u;
    const std::int64_t first = box_.site(j, k) + sites.low[0];
    for (int p = 0; p < velocities; ++p) {
      const int y = -lattice::c(p, 1), z = -lattice::c(p, 2);
      const bool elsewhere = odd_ && !around.wall(0, y, z);
      const std::int64_t slot = elsewhere ? lattice::opposite(p) : p;
      const std::int64_t start = slot * stride_ + (elsewhere ? box_.site(j + y, k + z) + sites.low[0] : first);
      row.shift[p] = static_cast<signed char>(elsewhere ? -lattice::c(p, 0) : 0);
      row.f_incoming[p] = f_.data() + start;
      row.g_incoming[p] = g_.data() + start;
      row.f_bounced[p] = f_.data() + p * stride_ + first;
      row.g_bounced[p] = g_.data() + p * stride_ + first;
    }
    if (moving_) add_wall_terms(around, domain_, row);
    return row;
  }

  TileBox box_;
  Coefficients<R> coefficients_;
  RowKernels<S, R> kernels_;
  comm::HaloExchange<R> field_exchange_;
  std::int64_t stride_;
  PopulationExchange<S> crossing_;
  Surroundings walls_;  // see surroundings()
  Domain domain_;
  core::HostBuffer<S> f_, g_;
  core::HostBuffer<R> phi_, laplacian_;
  Sites interior_;
  std::vector<Sites> rim_;
  std::vector<char> has_phi_;  // of the own rows, in this step
  bool odd_ = false, moving_ = false, left_in_halo_ = false;
};

}  // namespace

std::unique_ptr<DistributedFluid::Tile> tile_in_place(const comm::Communicator& ranks, const Problem& problem,
                                                      Precision precision, const comm::Decomposition& division) {
  switch (precision) {
    case Precision::f64:
      return std::make_unique<InPlaceTile<double, double>>(ranks, problem, division);
    case Precision::f32:
      return std::make_unique<InPlaceTile<float, float>>(ranks, problem, division);
    case Precision::mixed:
      break;
  }
  return std::make_unique<InPlaceTile<float, double>>(ranks, problem, division);
}

}  // namespace speedwell::binary_fluid
