// The study's version x: scal for a vector field times a number, and a call of dot for the vectors of each point.
#include <optional>
#include <type_traits>

#include "speedwell/apps/vector_calculus/adapter_case_cuda.hpp"
#include "speedwell/core/cublas.hpp"

namespace speedwell::vector_calculus {
namespace {

using core::check;
using core::cublas;

template <class T>
class CublasRun final : public DeviceRun<T> {
 public:
  CublasRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&) : DeviceRun<T>(std::move(inputs)) {}

  void allocate() override {
    DeviceRun<T>::allocate();
    // The results of dot stay in device memory: with those in the host's, every call would wait for its own.
    handle_.emplace(this->stream(), CUBLAS_POINTER_MODE_DEVICE);
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
        check(cublas().sscal(handle_->get(), 3 * points, number_.data(), out, 1));
      else
        check(cublas().dscal(handle_->get(), 3 * points, number_.data(), out, 1));
      return;
    }
    for (std::int64_t p = 0; p < points; ++p) {
      if constexpr (f32)
        check(cublas().sdot(handle_->get(), 3, o.a + 3 * p, 1, o.b + 3 * p, 1, out + p));
      else
        check(cublas().ddot(handle_->get(), 3, o.a + 3 * p, 1, o.b + 3 * p, 1, out + p));
    }
  }

 private:
  std::optional<core::CublasHandle> handle_;
  core::DeviceBuffer<T> number_;
};

}  // namespace

std::vector<harness::Binding> cublas_runs() { return {{"cublas", make_on_device<CublasRun>(), core::cublas_missing}}; }

}  // namespace speedwell::vector_calculus
