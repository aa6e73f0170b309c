// The kernels, each with its launch.
#include <stdexcept>
#include <string>

#include "speedwell/apps/new_application/cuda.hpp"

namespace speedwell::new_application {
namespace {

constexpr int threads = 256;

// One element per thread.
template <class T>
__global__ void axpy_kernel(const Operands<T> o) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < o.n) o.z[i] = o.a * o.x[i] + o.y[i];
}

template <class T>
void axpy(const Operands<T>& o, const core::Stream& stream) {
  if (o.n == 0) return;
  axpy_kernel<<<static_cast<unsigned>(core::blocks_for(o.n, threads)), threads, 0, stream.get()>>>(o);
  core::check(cudaGetLastError());
}

}  // namespace

template <class T>
Launch<T>* launch_of(std::string_view step) {
  if (step == "cuda") return axpy<T>;
  throw std::logic_error("no GPU variant " + std::string(step));
}

template Launch<double>* launch_of(std::string_view);
template Launch<float>* launch_of(std::string_view);

}  // namespace speedwell::new_application
