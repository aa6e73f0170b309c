// Steps from moments to moments on a slab (march.hpp). A step reads the collided sites of the neighbours' outer planes,
// for phi and for the populations that arrive, and phi there, for the differences. Two exchanges:
//   the halo of the collided sites travels   while phi of the interior is computed;
//   the halo of phi travels                  while the interior takes the step.
// The collided sites are in two buffers: a step overwrites no plane that is under way.
#include <array>

#include "speedwell/apps/binary_fluid/gpu/distributed_slab.hpp"

namespace speedwell::binary_fluid {
namespace {

using device::Planes;

template <class S, class R>
class MomentSlab final : public DistributedGpuFluid::Lattice {
 public:
  MomentSlab(const comm::Communicator& ranks, const Problem& problem, const comm::Decomposition& division,
             comm::Transport transport)
      : Lattice(ranks, problem, division),
        k_(problem),
        stride_(slot_stride(slab_.layout.size(), sizeof(S))),
        result_(start_.size()),
        lattice_{core::DeviceBuffer<S>(static_cast<std::size_t>(collided_fields * stride_)),
                 core::DeviceBuffer<S>(static_cast<std::size_t>(collided_fields * stride_))},
        phi_(static_cast<std::size_t>(slab_.layout.size())),
        exchange_(ranks, division, comm::HaloShape::faces, collided_fields, transport),
        phi_exchange_(ranks, division, comm::HaloShape::faces, 1, transport, phi_tag) {}

  void restore(const core::Stream&) override { at_start_ = true; }
  void save(const core::Stream&) override {
    if (!at_start_) std::swap(start_, result_);
    at_start_ = true;
  }

  void run(int steps, bool overlapped, const core::Stream& stream) override {
    const device::Populations<double> from = natural(present());
    device::phi_pass(slab_.box, from, phi_.data(), stream, slab_.own);
    with_halo(
        overlapped, slab_.sweep, phi_halo(),
        [&](const Planes& planes, const core::Stream& on) {
          device::enter_pass(slab_.box, k_, from, static_cast<const R*>(phi_.data()), lattice_[0].data(), stride_, on,
                             planes);
        },
        stream);
    int here = 0;
    for (int step = 1; step < steps; ++step, here = 1 - here) {
      with_halo(
          overlapped, slab_.sweep, collided_halo(here),
          [&](const Planes& planes, const core::Stream& on) {
            device::phi_march<S, R>(slab_.box, k_, lattice_[here].data(), stride_, phi_.data(), on, planes);
          },
          stream);
      with_halo(
          overlapped, slab_.sweep, phi_halo(),
          [&](const Planes& planes, const core::Stream& on) {
            device::step_march<S, R>(slab_.box, k_, lattice_[here].data(), lattice_[1 - here].data(), stride_,
                                     phi_.data(), on, planes);
          },
          stream);
    }
    with_halo(
        overlapped, slab_.from_all, collided_halo(here),
        [&](const Planes& planes, const core::Stream& on) {
          device::leave_pass<S, R>(slab_.box, k_, lattice_[here].data(), stride_, natural(result_), on, planes);
        },
        stream);
    at_start_ = false;
  }

  void get(double* own, const core::Stream& stream) override { copy_own(own, present(), stream); }
  SiteSums sums(const core::Stream& stream) override {
    const device::Populations<double> at = natural(present());
    device::phi_pass(slab_.box, at, phi_.data(), stream, slab_.own);
    phi_halo().start(stream);
    phi_halo().finish(stream);
    return in_whole_box(
        device::sums(slab_.box, sums_problem_, at, static_cast<const R*>(phi_.data()), stream, slab_.own));
  }
  std::vector<std::span<std::byte>> device_work() override {
    std::vector<std::span<std::byte>> all;
    for (auto& buffer : lattice_) add_bytes(buffer, all);
    add_bytes(result_, all);
    add_bytes(phi_, all);
    return all;
  }

  double exchange_seconds() override { return exposed_.seconds() + phi_exposed_.seconds(); }
  double sent_bytes() const override {
    return static_cast<double>(slab_.layout.sent_to_others()) * (collided_fields * sizeof(S) + sizeof(R));
  }
  void check(const core::Stream& stream) const override {
    exchange_.check(stream);
    phi_exchange_.check(stream);
  }

 private:
  static constexpr int phi_tag = 27;

  core::DeviceBuffer<double>& present() { return at_start_ ? start_ : result_; }
  auto phi_halo() {
    phi_field_ = phi_.data();
    return halo_of<R>(phi_exchange_, std::span<R* const>(&phi_field_, 1), phi_exposed_);
  }
  auto collided_halo(int which) {
    for (int q = 0; q < collided_fields; ++q)
      fields_[static_cast<std::size_t>(q)] = lattice_[which].data() + q * stride_;
    return halo_of<S>(exchange_, std::span<S* const>(fields_), exposed_);
  }

  Coefficients<R> k_;
  std::int64_t stride_;
  core::DeviceBuffer<double> result_;
  core::DeviceBuffer<S> lattice_[2];
  core::DeviceBuffer<R> phi_;
  comm::DeviceHaloExchange<S> exchange_;
  comm::DeviceHaloExchange<R> phi_exchange_;
  comm::ExposedTime exposed_, phi_exposed_;
  std::array<S*, collided_fields> fields_{};
  R* phi_field_ = nullptr;
  bool at_start_ = true;
};

}  // namespace

std::unique_ptr<DistributedGpuFluid::Lattice> slab_of_moments(const comm::Communicator& ranks, const Problem& problem,
                                                              Precision precision, const comm::Decomposition& division,
                                                              comm::Transport transport) {
  switch (precision) {
    case Precision::f64:
      return std::make_unique<MomentSlab<double, double>>(ranks, problem, division, transport);
    case Precision::f32:
      return std::make_unique<MomentSlab<float, float>>(ranks, problem, division, transport);
    case Precision::mixed:
      break;
  }
  return std::make_unique<MomentSlab<float, double>>(ranks, problem, division, transport);
}

}  // namespace speedwell::binary_fluid
