// Steps in place on a slab (in_place.hpp): for walls, collisions after which ghost modes remain, and Brazovskii's free
// energy. What a step reads of the neighbours: the populations that cross the faces (crossing.hpp), and phi beside the
// faces. Two exchanges:
//   populations travel        while phi of the interior is computed;
//   the halo of phi travels   while the interior collides.
// With Brazovskii's energy the Laplacian of phi is computed between the two, and its halo travels as that of phi. Sites
// can be processed in any order, hence those of the rim beside those of the interior.
#include <optional>

#include "speedwell/apps/binary_fluid/gpu/distributed_slab.hpp"

namespace speedwell::binary_fluid {
namespace {

using device::Crossing;
using device::Planes;

template <class S, class R>
class InPlaceSlab final : public DistributedGpuFluid::Lattice {
 public:
  InPlaceSlab(const comm::Communicator& ranks, const Problem& problem, const comm::Decomposition& division,
              comm::Transport transport)
      : Lattice(ranks, problem, division),
        k_(problem),
        stride_(slot_stride(slab_.layout.size(), sizeof(S))),
        faces_(slab_),
        lattice_(static_cast<std::size_t>(2 * velocities * stride_)),
        phi_(static_cast<std::size_t>(slab_.layout.size())),
        laplacian_(k_.brazovskii ? phi_.size() : 0),
        phi_exchange_(ranks, division, comm::HaloShape::faces, 1, transport, phi_tag) {
    if (slab_.alone()) return;
    crossing_exchange_.emplace(ranks, device::crossing_division(problem, ranks.size()), comm::HaloShape::faces, 1,
                               transport);
    crossing_ = core::DeviceBuffer<S>(static_cast<std::size_t>(crossing_exchange_->layout().size()));
  }

  void restore(const core::Stream& stream) override {
    odd_ = left_in_halo_ = false;
    device::copy_pass(slab_.box, natural(start_), populations(), stream, slab_.own);
  }
  void save(const core::Stream& stream) override { copy_to(start_, stream); }

  void run(int steps, bool overlapped, const core::Stream& stream) override {
    for (int step = 0; step < steps; ++step) {
      make_phi(overlapped, stream);
      if (k_.brazovskii)
        with_halo(
            overlapped, slab_.sweep, halo(phi_, phi_field_, phi_exposed_),
            [&](const Planes& planes, const core::Stream& on) {
              device::laplacian_pass(slab_.box, k_.stencil(), in_box(phi_), in_box(laplacian_), on, planes);
            },
            stream);
      const auto collide = [&](const Planes& planes, const core::Stream& on) {
        device::in_place_pass(slab_.box, k_, populations(), static_cast<const R*>(in_box(phi_)),
                              static_cast<const R*>(in_box(laplacian_)), on, planes);
      };
      if (k_.brazovskii)
        with_halo(overlapped, slab_.sweep, halo(laplacian_, laplacian_field_, laplacian_exposed_), collide, stream);
      else
        with_halo(overlapped, slab_.sweep, halo(phi_, phi_field_, phi_exposed_), collide, stream);
      left_in_halo_ = odd_;
      odd_ = !odd_;
    }
  }

  void get(double* own, const core::Stream& stream) override {
    core::DeviceBuffer<double> natural_order(start_.size());
    copy_to(natural_order, stream);
    copy_own(own, natural_order, stream);
  }
  SiteSums sums(const core::Stream& stream) override {
    make_phi(false, stream);
    const auto exchange = halo(phi_, phi_field_, phi_exposed_);
    exchange.start(stream);
    exchange.finish(stream);
    return in_whole_box(
        device::sums(slab_.box, sums_problem_, populations(), static_cast<const R*>(in_box(phi_)), stream, slab_.own));
  }
  std::vector<std::span<std::byte>> device_work() override {
    std::vector<std::span<std::byte>> all;
    add_bytes(lattice_, all);
    add_bytes(phi_, all);
    add_bytes(laplacian_, all);
    return all;
  }

  double exchange_seconds() override {
    return to_halo_exposed_.seconds() + to_owner_exposed_.seconds() + phi_exposed_.seconds() +
           laplacian_exposed_.seconds();
  }
  double sent_bytes() const override {
    if (slab_.alone()) return 0;
    return static_cast<double>(crossing_exchange_->layout().sent_to_others()) * sizeof(S) +
           static_cast<double>(slab_.layout.sent_to_others()) * sizeof(R) * (k_.brazovskii ? 2 : 1);
  }
  void check(const core::Stream& stream) const override {
    phi_exchange_.check(stream);
    if (crossing_exchange_) crossing_exchange_->check(stream);
  }

 private:
  static constexpr int phi_tag = 27;

  /// A field of the layout at the first site of the box.
  template <class T>
  T* in_box(core::DeviceBuffer<T>& field) const {
    return field.size() > 0 ? field.data() + slab_.skipped() : nullptr;
  }
  device::Populations<S> populations() {
    S* const f = in_box(lattice_);
    return {f, f + velocities * stride_, stride_, odd_};
  }
  /// `field` has to exist until the exchange has ended.
  auto halo(core::DeviceBuffer<R>& buffer, R*& field, comm::ExposedTime& exposed) {
    field = buffer.data();
    return halo_of<R>(phi_exchange_, std::span<R* const>(&field, 1), exposed);
  }
  /// The exchange of the populations that cross, in the direction that the next step needs.
  auto crossing() {
    const Crossing direction = odd_ ? Crossing::to_halo : Crossing::to_owner;
    crossing_field_ = crossing_.data();
    const std::span<S* const> fields(&crossing_field_, 1);
    return Transfer{odd_ ? to_halo_exposed_ : to_owner_exposed_,
                    [this, direction, fields](const core::Stream& on) {
                      device::pack_crossing_pass(slab_.box, faces_, direction, populations(), crossing_.data(), on);
                      crossing_exchange_->start(fields, on);
                    },
                    [this, direction, fields](const core::Stream& on) {
                      crossing_exchange_->finish(fields, on);
                      device::unpack_crossing_pass(slab_.box, faces_, direction,
                                                   static_cast<const S*>(crossing_.data()), populations(), on);
                    }};
  }
  /// Calls compute(planes, stream) for the own planes, those of the rim when the populations that cross have arrived:
  /// before an odd step they are read where they come from; after it those that have left the slab are in its halo.
  template <class Compute>
  void with_crossing(bool overlapped, const Compute& compute, const core::Stream& stream) {
    if (!odd_ && !left_in_halo_) return compute(slab_.own, stream);
    with_halo(overlapped, slab_.sweep, crossing(), compute, stream);
    left_in_halo_ = false;
  }
  void make_phi(bool overlapped, const core::Stream& stream) {
    with_crossing(
        overlapped,
        [&](const Planes& planes, const core::Stream& on) {
          device::phi_pass(slab_.box, populations(), in_box(phi_), on, planes);
        },
        stream);
  }
  void copy_to(core::DeviceBuffer<double>& to, const core::Stream& stream) {
    with_crossing(
        false,
        [&](const Planes& planes, const core::Stream& on) {
          device::copy_pass(slab_.box, populations(), natural(to), on, planes);
        },
        stream);
  }

  Coefficients<R> k_;
  std::int64_t stride_;
  device::CrossingFaces faces_;
  core::DeviceBuffer<S> lattice_, crossing_;
  core::DeviceBuffer<R> phi_, laplacian_;
  std::optional<comm::DeviceHaloExchange<S>> crossing_exchange_;
  comm::DeviceHaloExchange<R> phi_exchange_;
  comm::ExposedTime to_halo_exposed_, to_owner_exposed_, phi_exposed_, laplacian_exposed_;
  S* crossing_field_ = nullptr;
  R *phi_field_ = nullptr, *laplacian_field_ = nullptr;
  bool odd_ = false, left_in_halo_ = false;
};

}  // namespace

std::unique_ptr<DistributedGpuFluid::Lattice> slab_in_place(const comm::Communicator& ranks, const Problem& problem,
                                                            Precision precision, const comm::Decomposition& division,
                                                            comm::Transport transport) {
  switch (precision) {
    case Precision::f64:
      return std::make_unique<InPlaceSlab<double, double>>(ranks, problem, division, transport);
    case Precision::f32:
      return std::make_unique<InPlaceSlab<float, float>>(ranks, problem, division, transport);
    case Precision::mixed:
      break;
  }
  return std::make_unique<InPlaceSlab<float, double>>(ranks, problem, division, transport);
}

}  // namespace speedwell::binary_fluid
