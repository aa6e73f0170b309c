// The study's version x: scal for a vector field times a number, and a call of dot for the vectors of each point.
#include <cublas_v2.h>

#include <optional>
#include <type_traits>

#include "speedwell/apps/vector_calculus/adapter_case_cuda.hpp"

namespace speedwell::vector_calculus {
namespace {

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) throw core::DeviceError(std::string("cublas: ") + cublasGetStatusString(status));
}

class Handle {
 public:
  explicit Handle(const core::Stream& stream) {
    check(cublasCreate(&handle_));
    cublasStatus_t status = cublasSetStream(handle_, stream.get());
    // The results of dot stay in device memory: with those in the host's, every call would wait for its own.
    if (status == CUBLAS_STATUS_SUCCESS) status = cublasSetPointerMode(handle_, CUBLAS_POINTER_MODE_DEVICE);
    if (status != CUBLAS_STATUS_SUCCESS) cublasDestroy(handle_);
    check(status);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { cublasDestroy(handle_); }
  cublasHandle_t get() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

template <class T>
class CublasRun final : public DeviceRun<T> {
 public:
  CublasRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&) : DeviceRun<T>(std::move(inputs)) {}

  void allocate() override {
    DeviceRun<T>::allocate();
    handle_.emplace(this->stream());
    number_ = core::DeviceBuffer<T>(1);
  }
  void upload() override {
    DeviceRun<T>::upload();
    const Operands<T> operands = this->operands();
    core::copy_async(number_.data(), operands.s, 1, this->stream());
    this->stream().synchronize();
  }

 protected:
  void enqueue() override {
    const Operands<T> o = this->operands();
    T* const out = this->out().data();
    const std::int64_t points = this->problem().grid.size();
    constexpr bool f32 = std::is_same_v<T, float>;
    if (this->problem().operation == Operation::scale) {
      // scal works in place: the field is copied first.
      core::copy_async(out, o.a, static_cast<std::size_t>(3 * points), this->stream());
      if constexpr (f32)
        check(cublasSscal_64(handle_->get(), 3 * points, number_.data(), out, 1));
      else
        check(cublasDscal_64(handle_->get(), 3 * points, number_.data(), out, 1));
      return;
    }
    for (std::int64_t p = 0; p < points; ++p) {
      if constexpr (f32)
        check(cublasSdot(handle_->get(), 3, o.a + 3 * p, 1, o.b + 3 * p, 1, out + p));
      else
        check(cublasDdot(handle_->get(), 3, o.a + 3 * p, 1, o.b + 3 * p, 1, out + p));
    }
  }

 private:
  std::optional<Handle> handle_;
  core::DeviceBuffer<T> number_;
};

}  // namespace

std::vector<harness::Binding> cublas_runs() { return {{"cublas", make_on_device<CublasRun>()}}; }

}  // namespace speedwell::vector_calculus
