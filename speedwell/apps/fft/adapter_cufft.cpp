// The peer on the GPU: cuFFT.
#include <optional>

#include "speedwell/apps/fft/adapter.hpp"
#include "speedwell/apps/fft/adapter_workload.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"
#include "speedwell/harness/measurement/device_vectors.hpp"
#include "speedwell/harness/peers/cufft.hpp"

namespace speedwell::fft {
namespace {

using harness::check;
using harness::cufft;

template <class T>
class CufftSolver : public harness::DeviceVectors<T> {
 public:
  CufftSolver(const Inputs<T>& inputs, const harness::Context&)
      : harness::DeviceVectors<T>(inputs.in(), output_reals(inputs.problem())), inputs_(inputs) {}

  bool plan(const core::Stream& stream) {
    const Problem& problem = inputs_.problem();
    std::vector<long long> extents(problem.shape.extents.begin(), problem.shape.extents.end());
    handle_.emplace();
    // Without embedding: arrays one after the other, real ones without padding.
    check(cufft().make_plan_many(handle_->get(), static_cast<int>(extents.size()), extents.data(), nullptr, 1, 0,
                                 nullptr, 1, 0, type(), problem.shape.batch, &work_bytes_));
    check(cufft().set_stream(handle_->get(), stream.get()));
    return true;
  }
  /// Backward real transforms of several dimensions overwrite their input.
  void reset(const core::Stream& stream) {
    if (is_real() && is_backward()) this->upload(stream);
  }
  void execute(const core::Stream&) {
    const int direction = is_backward() ? CUFFT_INVERSE : CUFFT_FORWARD;
    if constexpr (sizeof(T) == sizeof(float))
      check(!is_real()      ? cufft().c2c(handle_->get(), in<cufftComplex>(), out<cufftComplex>(), direction)
            : is_backward() ? cufft().c2r(handle_->get(), in<cufftComplex>(), out<cufftReal>())
                            : cufft().r2c(handle_->get(), in<cufftReal>(), out<cufftComplex>()));
    else
      check(!is_real() ? cufft().z2z(handle_->get(), in<cufftDoubleComplex>(), out<cufftDoubleComplex>(), direction)
            : is_backward() ? cufft().z2d(handle_->get(), in<cufftDoubleComplex>(), out<cufftDoubleReal>())
                            : cufft().d2z(handle_->get(), in<cufftDoubleReal>(), out<cufftDoubleComplex>()));
  }
  harness::Choices choices() const {
    return {{"library", "cuFFT " + harness::cufft_version()},
            {"host_memory", "pageable"},
            {"work_space_bytes", std::to_string(work_bytes_)}};
  }

 private:
  bool is_real() const { return inputs_.is_real(); }
  bool is_backward() const { return inputs_.is_backward(); }
  cufftType type() const {
    const bool f32 = sizeof(T) == sizeof(float);
    if (!is_real()) return f32 ? CUFFT_C2C : CUFFT_Z2Z;
    if (is_backward()) return f32 ? CUFFT_C2R : CUFFT_Z2D;
    return f32 ? CUFFT_R2C : CUFFT_D2Z;
  }
  template <class Element>
  Element* in() {
    return reinterpret_cast<Element*>(this->x_span().data());
  }
  template <class Element>
  Element* out() {
    return reinterpret_cast<Element*>(this->y());
  }

  const Inputs<T>& inputs_;
  std::optional<harness::CufftHandle> handle_;
  std::size_t work_bytes_ = 0;
};

}  // namespace

std::vector<harness::Binding> cufft_runs() {
  return {{"cufft", harness::device_solver<Inputs, CufftSolver>(), harness::cufft_missing}};
}

}  // namespace speedwell::fft
