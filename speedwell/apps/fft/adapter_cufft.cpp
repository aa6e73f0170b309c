// The peer on the GPU: cuFFT.
#include <cufft.h>

#include <optional>

#include "speedwell/apps/fft/adapter_case_cuda.hpp"

namespace speedwell::fft {
namespace {

void check(cufftResult status) {
  if (status != CUFFT_SUCCESS) throw core::DeviceError("cufft: status " + std::to_string(status));
}

class Handle {
 public:
  Handle() { check(cufftCreate(&handle_)); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { cufftDestroy(handle_); }
  cufftHandle get() const { return handle_; }

 private:
  cufftHandle handle_ = 0;
};

std::string version() {
  int number = 0;
  check(cufftGetVersion(&number));
  return std::to_string(number / 1000) + "." + std::to_string(number / 100 % 10) + "." + std::to_string(number % 100);
}

template <class T>
class CufftRun final : public DeviceRun<T> {
 public:
  CufftRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&) : DeviceRun<T>(std::move(inputs)) {}

  void allocate() override {
    DeviceRun<T>::allocate();
    const Problem& problem = this->problem();
    std::vector<long long> extents(problem.shape.extents.begin(), problem.shape.extents.end());
    handle_.emplace();
    // Without embedding: arrays one after the other, real ones without padding.
    check(cufftMakePlanMany64(handle_->get(), static_cast<int>(extents.size()), extents.data(), nullptr, 1, 0, nullptr,
                              1, 0, type(), problem.shape.batch, &work_bytes_));
    check(cufftSetStream(handle_->get(), this->stream().get()));
  }
  // Backward real transforms of several dimensions overwrite their input.
  void reset() override {
    if (this->is_real() && this->is_backward()) this->upload();
  }
  std::vector<std::pair<std::string, std::string>> choices() override {
    return {{"library", "cuFFT " + version()},
            {"host_memory", "pageable"},
            {"work_space_bytes", std::to_string(work_bytes_)}};
  }

 protected:
  void enqueue() override {
    const int direction = this->is_backward() ? CUFFT_INVERSE : CUFFT_FORWARD;
    if constexpr (sizeof(T) == sizeof(float))
      check(!this->is_real()      ? cufftExecC2C(handle_->get(), in<cufftComplex>(), out<cufftComplex>(), direction)
            : this->is_backward() ? cufftExecC2R(handle_->get(), in<cufftComplex>(), out<cufftReal>())
                                  : cufftExecR2C(handle_->get(), in<cufftReal>(), out<cufftComplex>()));
    else
      check(!this->is_real()
                ? cufftExecZ2Z(handle_->get(), in<cufftDoubleComplex>(), out<cufftDoubleComplex>(), direction)
            : this->is_backward() ? cufftExecZ2D(handle_->get(), in<cufftDoubleComplex>(), out<cufftDoubleReal>())
                                  : cufftExecD2Z(handle_->get(), in<cufftDoubleReal>(), out<cufftDoubleComplex>()));
  }

 private:
  cufftType type() const {
    const bool f32 = sizeof(T) == sizeof(float);
    if (!this->is_real()) return f32 ? CUFFT_C2C : CUFFT_Z2Z;
    if (this->is_backward()) return f32 ? CUFFT_C2R : CUFFT_Z2D;
    return f32 ? CUFFT_R2C : CUFFT_D2Z;
  }
  template <class Element>
  Element* in() {
    return reinterpret_cast<Element*>(DeviceRun<T>::in().data());
  }
  template <class Element>
  Element* out() {
    return reinterpret_cast<Element*>(DeviceRun<T>::out().data());
  }

  std::optional<Handle> handle_;
  std::size_t work_bytes_ = 0;
};

}  // namespace

std::vector<harness::Binding> cufft_runs() { return {{"cufft", make_on_device<CufftRun>()}}; }

}  // namespace speedwell::fft
