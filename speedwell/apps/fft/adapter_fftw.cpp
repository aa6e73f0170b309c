// The peer on the CPU: FFTW (Frigo and Johnson, Proc. IEEE 93, 2005) on its own threads, planned by measuring
// patiently, within a minute.
#include <fftw3.h>

#include <limits>

#include "speedwell/apps/fft/adapter.hpp"
#include "speedwell/apps/fft/adapter_workload.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::fft {
namespace {

/// The functions of FFTW in T.
template <class T>
struct Library;
template <>
struct Library<double> {
  using Plan = fftw_plan;
  using Complex = fftw_complex;
  static constexpr auto init_threads = fftw_init_threads;
  static constexpr auto use_threads = fftw_plan_with_nthreads;
  static constexpr auto limit = fftw_set_timelimit;
  static constexpr auto complex = fftw_plan_many_dft;
  static constexpr auto forward_real = fftw_plan_many_dft_r2c;
  static constexpr auto backward_real = fftw_plan_many_dft_c2r;
  static constexpr auto execute = fftw_execute;
  static constexpr auto destroy = fftw_destroy_plan;
  static const char* version() { return fftw_version; }
};
template <>
struct Library<float> {
  using Plan = fftwf_plan;
  using Complex = fftwf_complex;
  static constexpr auto init_threads = fftwf_init_threads;
  static constexpr auto use_threads = fftwf_plan_with_nthreads;
  static constexpr auto limit = fftwf_set_timelimit;
  static constexpr auto complex = fftwf_plan_many_dft;
  static constexpr auto forward_real = fftwf_plan_many_dft_r2c;
  static constexpr auto backward_real = fftwf_plan_many_dft_c2r;
  static constexpr auto execute = fftwf_execute;
  static constexpr auto destroy = fftwf_destroy_plan;
  static const char* version() { return fftwf_version; }
};

int narrow(std::int64_t n) {
  if (n > std::numeric_limits<int>::max())
    throw core::Unavailable("fftw counts in 32 bits here; " + std::to_string(n) + " is more");
  return static_cast<int>(n);
}

template <class T>
class FftwSolver {
  using Fftw = Library<T>;

 public:
  FftwSolver(const Inputs<T>& inputs, const harness::Context& context) : inputs_(inputs), threads_(context.threads) {
    if (context.deterministic)
      throw core::Unavailable(
          "fftw: its plan, and with it the last bits, are those that were fastest when it was made");
  }
  ~FftwSolver() {
    if (plan_) Fftw::destroy(plan_);
  }
  FftwSolver(const FftwSolver&) = delete;
  FftwSolver& operator=(const FftwSolver&) = delete;

  void allocate() {
    in_ = core::HostBuffer<T>(inputs_.in().size(), core::Pages::large);
    copy_input();
  }
  bool plan(core::HostBuffer<T>& out) {
    Fftw::init_threads();
    Fftw::use_threads(threads_);
    Fftw::limit(max_planning_seconds);
    plan_ = planned(out.data());
    if (!plan_) throw core::Unavailable("fftw has no plan for this problem");
    copy_input();  // planning has overwritten it
    return true;
  }
  void reset() {
    if (destroys_input()) copy_input();
  }
  void execute(core::HostBuffer<T>&) { Fftw::execute(plan_); }
  harness::Choices choices() const {
    return {{"library", Fftw::version()},
            {"planning", flags() == FFTW_PATIENT ? "patient" : "measured"},
            {"threads", std::to_string(threads_)}};
  }

 private:
  unsigned flags() const { return points(inputs_.problem()) >= min_patient_array ? FFTW_PATIENT : FFTW_MEASURE; }
  // FFTW keeps the input of a transform from complex to real of one dimension only, and is slower then.
  bool destroys_input() const { return inputs_.is_real() && inputs_.is_backward(); }
  void copy_input() {
    const std::span<const T> from = inputs_.in();
    const auto size = static_cast<std::int64_t>(from.size());
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::int64_t i = 0; i < size; ++i) in_[i] = from[i];
  }
  typename Fftw::Plan planned(T* to) {
    const Problem& problem = inputs_.problem();
    std::vector<int> extents;
    for (const std::int64_t n : problem.shape.extents) extents.push_back(narrow(n));
    const int rank = static_cast<int>(extents.size()), batch = narrow(problem.shape.batch);
    const int size = narrow(points(problem) / problem.shape.batch);
    const int spectrum = size / extents.back() * (extents.back() / 2 + 1);
    T* const from = in_.data();
    const auto complex = [](T* x) { return reinterpret_cast<typename Fftw::Complex*>(x); };
    if (problem.data == Data::complex)
      return Fftw::complex(rank, extents.data(), batch, complex(from), nullptr, 1, size, complex(to), nullptr, 1, size,
                           problem.direction == Direction::forward ? FFTW_FORWARD : FFTW_BACKWARD, flags());
    if (problem.direction == Direction::forward)
      return Fftw::forward_real(rank, extents.data(), batch, from, nullptr, 1, size, complex(to), nullptr, 1, spectrum,
                                flags());
    return Fftw::backward_real(rank, extents.data(), batch, complex(from), nullptr, 1, spectrum, to, nullptr, 1, size,
                               flags());
  }

  const Inputs<T>& inputs_;
  int threads_;
  core::HostBuffer<T> in_;
  typename Fftw::Plan plan_ = nullptr;
};

}  // namespace

std::vector<harness::Binding> fftw_runs() { return {{"fftw", harness::host_solver<Inputs, FftwSolver>()}}; }

}  // namespace speedwell::fft
