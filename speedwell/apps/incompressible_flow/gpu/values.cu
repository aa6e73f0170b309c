#include <utility>

#include "speedwell/apps/incompressible_flow/gpu/copied.hpp"
#include "speedwell/apps/incompressible_flow/gpu/values.hpp"

namespace speedwell::incompressible_flow::gpu {
namespace {

template <class T>
__global__ void read_kernel(const T* const* from, int count, T* to) {
  const int n = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (n < count) to[n] = *from[n];
}

}  // namespace

template <class T>
std::vector<T> read(const std::vector<const T*>& from, const core::Stream& stream) {
  std::vector<T> values(from.size());
  if (from.empty()) return values;
  constexpr int threads = 128;
  const auto count = static_cast<int>(from.size());
  const core::DeviceBuffer<const T*> addresses = copied(from, stream);
  core::DeviceBuffer<T> found(from.size());
  read_kernel<<<static_cast<unsigned>(core::blocks_for(count, threads)), threads, 0, stream.get()>>>(
      addresses.data(), count, found.data());
  core::check(cudaGetLastError());
  core::copy_async(values.data(), std::as_const(found).data(), values.size(), stream);
  stream.synchronize();
  return values;
}

template <class T>
std::array<double, 2> pressure_integral(Cells& cells, const Shape& s, const MeshMetrics<T>& m, const T* pressure,
                                        const core::Stream& stream) {
  double* const to = cells.sums();
  cells.add_up<2>(
      nullptr,
      [=] __device__(int i, int j, int k, numerics::Terms<2>& terms) {
        const double volume = static_cast<double>(m.axis[0].width[i]) * static_cast<double>(m.axis[1].width[j]) *
                              static_cast<double>(m.axis[2].width[k]);
        terms[0] += volume * static_cast<double>(pressure[spectral_index(s, i, j, k)]);
        terms[1] += volume;
      },
      [=] __device__(const numerics::Terms<2>& total) {
        to[0] = total[0];
        to[1] = total[1];
      },
      stream);
  std::array<double, 2> sums{};
  core::copy_async(sums.data(), static_cast<const double*>(to), sums.size(), stream);
  stream.synchronize();
  return sums;
}

#define SPEEDWELL_VALUES(T)                                                                               \
  template std::vector<T> read(const std::vector<const T*>&, const core::Stream&);                        \
  template std::array<double, 2> pressure_integral(Cells&, const Shape&, const MeshMetrics<T>&, const T*, \
                                                   const core::Stream&);
SPEEDWELL_VALUES(float)
SPEEDWELL_VALUES(double)
#undef SPEEDWELL_VALUES

}  // namespace speedwell::incompressible_flow::gpu
