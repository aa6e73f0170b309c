#include <chrono>
#include <stdexcept>

#include "speedwell/apps/binary_fluid/cpu/study_host.hpp"
#include "speedwell/apps/binary_fluid/gpu/study_site.hpp"
#include "speedwell/apps/binary_fluid/gpu_study.hpp"

namespace speedwell::binary_fluid {
namespace {

constexpr int planes_at_once = 32;  // threads along z; a block of a C1060 has at most 512 threads

// Sites with their halo, z fastest; a block processes 4 x 4 columns and 32 planes.
template <bool loops, bool registers, class S>
__device__ void sites_of(const StudyBox& box, const Coefficients<S>& k, int z0, S* sites, const S* differences,
                         S* velocity) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= box.nx || j >= box.ny) return;
  for (int z = z0 + static_cast<int>(threadIdx.z); z < box.nz; z += planes_at_once) {
    const std::int64_t s = box.with_halo(i, j, z);
    study_site<registers>(k, sites + 38 * s, differences + 4 * s, velocity + 3 * s);
    if (!loops) return;
  }
}
template <class S>
__global__ void __launch_bounds__(512)
    ported(StudyBox box, const Coefficients<S>* k, int z0, S* sites, const S* differences, S* velocity) {
  sites_of<false, false>(box, *k, z0, sites, differences, velocity);
}
template <bool loops, bool registers, class S>
__global__ void __launch_bounds__(512) collide_sites(StudyBox box, const __grid_constant__ Coefficients<S> k, int z0,
                                                     S* sites, const S* differences, S* velocity) {
  sites_of<loops, registers>(box, k, z0, sites, differences, velocity);
}

// Structure of arrays without a halo; rows are `pitch` apart.
template <class S>
__global__ void coalesced(StudyBox box, const __grid_constant__ Coefficients<S> k, std::int64_t pitch, S* slots,
                          const S* differences, S* velocity) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= box.nx || j >= box.ny) return;
  const std::int64_t stride = pitch * box.ny * box.nz;
  for (int z = static_cast<int>(threadIdx.z); z < box.nz; z += static_cast<int>(blockDim.z)) {
    const std::int64_t s = i + pitch * (j + std::int64_t{box.ny} * z);
    S f[38], d[4], u[3];
    for (int p = 0; p < 38; ++p) f[p] = slots[p * stride + s];
    for (int q = 0; q < 4; ++q) d[q] = differences[q * stride + s];
    study_site<true>(k, f, d, u);
    for (int p = 0; p < 38; ++p) slots[p * stride + s] = f[p];
    for (int q = 0; q < 3; ++q) velocity[q * stride + s] = u[q];
  }
}

}  // namespace

class StudySolver::Port {
 public:
  virtual ~Port() = default;
  virtual void set(const State& state) = 0;
  virtual void run(int count, const core::Stream& stream) = 0;
  virtual void get(State& state) const = 0;
  Seconds seconds;
};

template <class S>
class StudySolver::PortIn final : public StudySolver::Port {
 public:
  PortIn(const Problem& problem, const Study& study, int threads)
      : study_(study),
        k_(problem),
        box_{static_cast<int>(problem.extents.nx), static_cast<int>(problem.extents.ny),
             static_cast<int>(problem.extents.nz)},
        host_(problem, threads),
        pitch_((problem.extents.nx + 15) / 16 * 16),
        count_(study.coalesced ? static_cast<std::size_t>(pitch_ * problem.extents.ny * problem.extents.nz)
                               : host_.sites_with_halo()),
        sites_(38 * count_),
        differences_(4 * count_),
        velocity_(3 * count_),
        parameters_(1) {
    if (study.coalesced) {
      slots_.resize(38 * count_);
      slots_of_differences_.resize(4 * count_);
      slots_of_velocity_.resize(3 * count_);
    }
  }

  void set(const State& state) override {
    host_.set(state);
    step_ = state.step;
    seconds = {};
    first_ = true;
  }
  void get(State& state) const override {
    host_.get(state);
    state.step = step_;
  }

  /// Copies are the driver's, as those of the study were.
  void run(int count, const core::Stream& stream) override {
    for (int step = 0; step < count; ++step, ++step_) {
      spend(seconds.host, [&] {
        host_.differentiate();
        if (!study_.coalesced) return;
        host_.to_slots(slots_, pitch_);
        host_.differences_to_slots(slots_of_differences_, pitch_);
      });
      spend(seconds.transfers, [&] {
        const bool all = first_ || !study_.fewer_transfers;
        core::copy_by_driver_async(sites_.data(), study_.coalesced ? slots_.data() : host_.sites.data(), sites_.size(),
                                   stream);
        core::copy_by_driver_async(differences_.data(),
                                   study_.coalesced ? slots_of_differences_.data() : host_.differences.data(),
                                   differences_.size(), stream);
        if (all) {
          core::copy_by_driver_async(parameters_.data(), &k_, 1, stream);
          if (!study_.coalesced)
            core::copy_by_driver_async(velocity_.data(), host_.velocity.data(), velocity_.size(), stream);
        }
        first_ = false;
        stream.synchronize();
      });
      spend(seconds.kernels, [&] {
        launch(stream);
        stream.synchronize();
      });
      spend(seconds.transfers, [&] {
        core::copy_by_driver_async(study_.coalesced ? slots_.data() : host_.sites.data(), sites_.data(), sites_.size(),
                                   stream);
        core::copy_by_driver_async(study_.coalesced ? slots_of_velocity_.data() : host_.velocity.data(),
                                   velocity_.data(), velocity_.size(), stream);
        stream.synchronize();
      });
      spend(seconds.host, [&] {
        if (study_.coalesced) host_.from_slots(slots_, pitch_);
        host_.propagate();
      });
    }
  }

 private:
  template <class Body>
  static void spend(double& on, const Body& body) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    on += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  void launch(const core::Stream& stream) {
    const auto up = [](int n, int by) { return static_cast<unsigned>((n + by - 1) / by); };
    S *const sites = sites_.data(), *const velocity = velocity_.data();
    const S* const differences = differences_.data();
    if (study_.coalesced) {
      const dim3 threads(32, 1, 8), grid(up(box_.nx, 32), static_cast<unsigned>(box_.ny));
      coalesced<S><<<grid, threads, 0, stream.get()>>>(box_, k_, pitch_, sites, differences, velocity);
      core::check(cudaGetLastError());
      return;
    }
    const dim3 threads(4, 4, planes_at_once), grid(up(box_.nx, 4), up(box_.ny, 4));
    if (study_.registers) {
      collide_sites<true, true, S><<<grid, threads, 0, stream.get()>>>(box_, k_, 0, sites, differences, velocity);
    } else if (study_.one_launch) {
      collide_sites<true, false, S><<<grid, threads, 0, stream.get()>>>(box_, k_, 0, sites, differences, velocity);
    } else {
      for (int z0 = 0; z0 < box_.nz; z0 += planes_at_once) {
        if (study_.constant_parameters)
          collide_sites<false, false, S>
              <<<grid, threads, 0, stream.get()>>>(box_, k_, z0, sites, differences, velocity);
        else
          ported<S><<<grid, threads, 0, stream.get()>>>(box_, parameters_.data(), z0, sites, differences, velocity);
      }
    }
    core::check(cudaGetLastError());
  }

  Study study_;
  Coefficients<S> k_;
  StudyBox box_;
  StudyHost<S> host_;
  std::int64_t pitch_;
  std::size_t count_;
  core::DeviceBuffer<S> sites_, differences_, velocity_;
  core::DeviceBuffer<Coefficients<S>> parameters_;
  std::vector<S> slots_, slots_of_differences_, slots_of_velocity_;
  std::int64_t step_ = 0;
  bool first_ = true;
};

StudySolver::StudySolver(const Problem& problem, const Study& study, Precision precision, int threads) {
  require_valid(problem);
  if (const auto refusal = unsupported_reason(Method::study, problem))
    throw std::invalid_argument("binary_fluid: a GPU does not do " + *refusal);
  if (precision == Precision::mixed)
    throw std::invalid_argument("binary_fluid: the variants of the study support f64 and f32 only");
  if (precision == Precision::f64)
    port_ = std::make_unique<PortIn<double>>(problem, study, threads);
  else
    port_ = std::make_unique<PortIn<float>>(problem, study, threads);
}

void StudySolver::set(const State& state) { port_->set(state); }
void StudySolver::run(int count, const core::Stream& stream) { port_->run(count, stream); }
void StudySolver::get(State& state) const { port_->get(state); }
const StudySolver::Seconds& StudySolver::seconds() const { return port_->seconds; }

}  // namespace speedwell::binary_fluid
