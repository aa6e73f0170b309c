// The study's version x: scal for a vector field times a number, and a call of dot for the vectors of each point.
#include <optional>
#include <type_traits>

#include "speedwell/apps/vector_calculus/adapter.hpp"
#include "speedwell/apps/vector_calculus/adapter_device_solver.hpp"
#include "speedwell/core/cuda/cublas.hpp"

namespace speedwell::vector_calculus {
namespace {

using core::check;
using core::cublas;

template <class T>
class CublasSolver : public DeviceSolver<T> {
 public:
  CublasSolver(const Inputs<T>& inputs, const harness::Context&) : DeviceSolver<T>(inputs) {}

  void allocate(const core::Stream& stream) {
    DeviceSolver<T>::allocate();
    // The results of dot stay in device memory. If they were in host memory, every call would wait for its result.
    handle_.emplace(stream, CUBLAS_POINTER_MODE_DEVICE);
    number_ = core::DeviceBuffer<T>(1);
  }
  void upload(const core::Stream& stream) {
    DeviceSolver<T>::upload(stream);
    const Operands<T> operands = this->operands();
    core::copy_async(number_.data(), operands.s, 1, stream);
    stream.synchronize();
  }
  void execute(const core::Stream& stream) {
    const Operands<T> o = this->operands();
    T* const out = this->out().data();
    const std::int64_t points = this->problem().grid.size();
    constexpr bool f32 = std::is_same_v<T, float>;
    if (this->problem().operation == Operation::scale) {
      // scal works in place: the field is copied first.
      core::copy_async(out, o.a, static_cast<std::size_t>(3 * points), stream);
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

std::vector<harness::Binding> cublas_runs() {
  return {{"cublas", harness::device_solver<TypedWorkload, CublasSolver>(), core::cublas_missing}};
}

}  // namespace speedwell::vector_calculus
