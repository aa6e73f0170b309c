#include <algorithm>
#include <stdexcept>

#include "speedwell/apps/binary_fluid/gpu/passes.hpp"
#include "speedwell/apps/binary_fluid/gpu/sums.hpp"
#include "speedwell/apps/binary_fluid/gpu_solver.hpp"
#include "speedwell/apps/binary_fluid/lattice/in_place.hpp"

namespace speedwell::binary_fluid {

class GpuSolver::Lattice {
 public:
  virtual ~Lattice() = default;
  virtual void upload(const State& state, const core::Stream& stream) = 0;
  virtual void restore(const core::Stream& stream) = 0;
  virtual std::vector<std::span<std::byte>> device_work() = 0;
  virtual void run(int steps, const core::Stream& stream) = 0;
  virtual void save(const core::Stream& stream) = 0;
  virtual void finish(State& state, const core::Stream& stream) = 0;
  virtual Statistics statistics(const core::Stream& stream) = 0;
  virtual Fields fields(const core::Stream& stream) = 0;
};

template <class S, class R>
class GpuSolver::LatticeIn final : public GpuSolver::Lattice {
 public:
  LatticeIn(const Problem& problem, Method method)
      : problem_(problem),
        box_(problem),
        extents_(problem.extents),
        k_(problem),
        method_(method),
        sites_(static_cast<std::size_t>(problem.extents.sites())),
        start_(2 * velocities * sites_),
        phi_(sites_) {
    const auto stride = static_cast<std::size_t>(slot_stride(problem.extents.sites(), sizeof(S)));
    stride_ = static_cast<std::int64_t>(stride);
    if (k_.brazovskii) laplacian_ = core::DeviceBuffer<R>(sites_);
    if (method == Method::moments) {
      result_ = core::DeviceBuffer<double>(start_.size());
      for (auto& buffer : lattice_) buffer = core::DeviceBuffer<S>(15 * stride);
    } else {
      lattice_[0] = core::DeviceBuffer<S>(2 * velocities * stride);
      if (method == Method::resident) lattice_[1] = core::DeviceBuffer<S>(2 * velocities * stride);
    }
  }

  void upload(const State& state, const core::Stream& stream) override {
    if (state.extents != extents_ || state.f.size() != velocities * sites_ || state.g.size() != state.f.size())
      throw std::invalid_argument("binary_fluid: the state does not have the extents of the problem");
    core::copy_async(start_.data(), state.f.data(), state.f.size(), stream);
    core::copy_async(start_.data() + velocities * sites_, state.g.data(), state.g.size(), stream);
    kept_step_ = state.step;
    restore(stream);
  }

  void restore(const core::Stream& stream) override {
    step_ = kept_step_;
    now_ = 0;
    odd_ = false;
    at_start_ = true;
    if (method_ != Method::moments) device::copy_pass(box_, natural(start_), populations(0), stream);
  }

  std::vector<std::span<std::byte>> device_work() override {
    std::vector<std::span<std::byte>> all;
    const auto add = [&](auto& buffer) {
      if (buffer.size() > 0) all.push_back(std::as_writable_bytes(buffer.span()));
    };
    for (auto& buffer : lattice_) add(buffer);
    add(result_);
    add(phi_);
    return all;
  }

  void run(int count, const core::Stream& stream) override {
    if (count < 1) return;
    step_ += count;
    if (method_ == Method::moments) return run_moments(count, stream);
    for (int step = 0; step < count; ++step) {
      device::phi_pass(box_, populations(now_), phi_.data(), stream);
      if (k_.brazovskii) device::laplacian_pass(box_, k_.stencil(), phi_.data(), laplacian_.data(), stream);
      if (method_ == Method::in_place) {
        device::in_place_pass(box_, k_, populations(0), phi_.data(), laplacian_.data(), stream);
        odd_ = !odd_;
      } else {
        device::collide_pass(box_, k_, populations(now_), phi_.data(), laplacian_.data(), stream);
        device::propagate_pass(box_, populations(now_), populations(1 - now_), stream);
        now_ = 1 - now_;
      }
    }
  }

  void save(const core::Stream& stream) override {
    kept_step_ = step_;
    if (method_ == Method::moments) {
      if (!at_start_) std::swap(start_, result_);
      at_start_ = true;
    } else {
      device::copy_pass(box_, populations(now_), natural(start_), stream);
    }
  }

  void finish(State& state, const core::Stream& stream) override {
    state.extents = extents_;
    state.step = step_;
    state.f.resize(velocities * sites_);
    state.g.resize(velocities * sites_);
    const auto take = [&](const core::DeviceBuffer<double>& from) {
      core::copy_async(state.f.data(), from.data(), state.f.size(), stream);
      core::copy_async(state.g.data(), from.data() + velocities * sites_, state.g.size(), stream);
    };
    if (method_ == Method::moments) {
      take(present());
    } else {
      core::DeviceBuffer<double> natural_order(start_.size());
      device::copy_pass(box_, populations(now_), natural(natural_order), stream);
      take(natural_order);
      stream.synchronize();
    }
    stream.synchronize();
  }

  Statistics statistics(const core::Stream& stream) override {
    const SumsProblem k(problem_);
    const auto of = [&](const auto& at) {
      device::phi_pass(box_, at, phi_.data(), stream);
      return statistics_of(problem_, device::sums(box_, k, at, phi_.data(), stream));
    };
    return method_ == Method::moments ? of(natural(present())) : of(populations(now_));
  }

  Fields fields(const core::Stream& stream) override {
    core::DeviceBuffer<double> all(5 * sites_);
    double *const density = all.data(), *const phi = density + sites_, *const velocity = phi + sites_;
    const SumsProblem k(problem_);
    if (method_ == Method::moments)
      device::fields_pass(box_, k, natural(present()), density, phi, velocity, stream);
    else
      device::fields_pass(box_, k, populations(now_), density, phi, velocity, stream);
    Fields f{std::vector<double>(sites_), std::vector<double>(3 * sites_), std::vector<double>(sites_)};
    core::copy_async(f.density.data(), density, sites_, stream);
    core::copy_async(f.phi.data(), phi, sites_, stream);
    core::copy_async(f.velocity.data(), velocity, 3 * sites_, stream);
    stream.synchronize();
    return f;
  }

 private:
  /// With Method::moments: the buffer with the present state.
  const core::DeviceBuffer<double>& present() const { return at_start_ ? start_ : result_; }
  device::Populations<double> natural(const core::DeviceBuffer<double>& in) const {
    auto* const f = const_cast<double*>(in.data());
    return {f, f + velocities * sites_, static_cast<std::int64_t>(sites_), false};
  }
  device::Populations<S> populations(int which) {
    S* const f = lattice_[which].data();
    return {f, f + velocities * stride_, stride_, odd_};
  }

  void run_moments(int count, const core::Stream& stream) {
    const device::Populations<double> from = natural(present());
    device::phi_pass(box_, from, phi_.data(), stream);
    device::enter_pass(box_, k_, from, phi_.data(), lattice_[0].data(), stride_, stream);
    int here = 0;
    for (int step = 1; step < count; ++step, here = 1 - here) {
      device::phi_march<S, R>(box_, k_, lattice_[here].data(), stride_, phi_.data(), stream);
      device::step_march<S, R>(box_, k_, lattice_[here].data(), lattice_[1 - here].data(), stride_, phi_.data(),
                               stream);
    }
    device::leave_pass<S, R>(box_, k_, lattice_[here].data(), stride_, natural(result_), stream);
    at_start_ = false;
  }

  Problem problem_;
  Domain box_;
  Extents extents_;
  Coefficients<R> k_;
  Method method_;
  std::size_t sites_;
  std::int64_t stride_ = 0;
  core::DeviceBuffer<double> start_,
      result_;  // f and g in natural order: the state of restore(), and the result of moments
  core::DeviceBuffer<R> phi_, laplacian_;
  core::DeviceBuffer<S> lattice_[2];
  std::int64_t step_ = 0, kept_step_ = 0;
  int now_ = 0;  // the lattice that holds the present state
  bool odd_ = false, at_start_ = true;
};

GpuSolver::GpuSolver(const Problem& problem, Method method, Precision precision) {
  require_valid(problem);
  if (method == Method::study) throw std::invalid_argument("binary_fluid: Method::study requires StudySolver");
  if (const auto refusal = unsupported_reason(method, problem))
    throw std::invalid_argument("binary_fluid: a GPU does not do " + *refusal);
  switch (precision) {
    case Precision::f64:
      lattice_ = std::make_unique<LatticeIn<double, double>>(problem, method);
      break;
    case Precision::f32:
      lattice_ = std::make_unique<LatticeIn<float, float>>(problem, method);
      break;
    case Precision::mixed:
      lattice_ = std::make_unique<LatticeIn<float, double>>(problem, method);
      break;
  }
}

void GpuSolver::upload(const State& state, const core::Stream& stream) { lattice_->upload(state, stream); }
void GpuSolver::restore(const core::Stream& stream) { lattice_->restore(stream); }
std::vector<std::span<std::byte>> GpuSolver::device_work() { return lattice_->device_work(); }
void GpuSolver::run(int count, const core::Stream& stream) { lattice_->run(count, stream); }
void GpuSolver::save(const core::Stream& stream) { lattice_->save(stream); }
void GpuSolver::finish(State& state, const core::Stream& stream) { lattice_->finish(state, stream); }
Statistics GpuSolver::statistics(const core::Stream& stream) { return lattice_->statistics(stream); }
Fields GpuSolver::fields(const core::Stream& stream) { return lattice_->fields(stream); }

}  // namespace speedwell::binary_fluid
