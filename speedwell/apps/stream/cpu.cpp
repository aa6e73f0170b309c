// The multithreaded STREAM kernels: every thread has one contiguous share, the same in every kernel, so that it
// accesses the pages that it touched first.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "speedwell/apps/stream/host_kernels.hpp"
#include "speedwell/apps/stream/stream.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/core/simd/isa_choice.hpp"
#include "speedwell/core/streaming_wins.hpp"

namespace speedwell::stream {
namespace {

template <class T>
const HostKernels<T>& kernels() {
  const core::Isa isa = core::best_isa();
  if constexpr (std::is_same_v<T, double>)
    return SPEEDWELL_OF_ISA(isa, kernels_f64);
  else
    return SPEEDWELL_OF_ISA(isa, kernels_f32);
}

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

template <class T>
bool overlap_partially(std::span<const T> x, std::span<T> out) {
  return x.data() != out.data() && x.data() < out.data() + out.size() && out.data() < x.data() + x.size();
}

bool streams(const HostOptions& options, std::size_t working_set_bytes) {
  if (options.stores != Stores::automatic) return options.stores == Stores::streaming;
  return core::streaming_wins(static_cast<std::int64_t>(working_set_bytes));
}

template <class T>
void elementwise(typename HostKernels<T>::Elementwise* kernel, int arrays, T scalar, std::span<const T> x,
                 std::span<const T> y, std::span<T> out, const HostOptions& options) {
  require(x.size() == out.size() && y.size() == out.size(), "stream: the arrays have different lengths");
  require(!overlap_partially(x, out) && !overlap_partially(y, out), "stream: the arrays overlap partially");
  const bool streaming = streams(options, static_cast<std::size_t>(arrays) * out.size_bytes());
  core::parallel_for(out.size(), sizeof(T), options.threads, [&](std::size_t begin, std::size_t end) {
    kernel(scalar, x.data() + begin, y.data() + begin, out.data() + begin, end - begin, streaming);
  });
}

}  // namespace

template <class T>
void copy(std::span<const T> x, std::span<T> out, const HostOptions& options) {
  elementwise<T>(kernels<T>().copy, 2, T{}, x, x, out, options);
}
template <class T>
void scale(T scalar, std::span<const T> x, std::span<T> out, const HostOptions& options) {
  elementwise<T>(kernels<T>().scale, 2, scalar, x, x, out, options);
}
template <class T>
void add(std::span<const T> x, std::span<const T> y, std::span<T> out, const HostOptions& options) {
  elementwise<T>(kernels<T>().add, 3, T{}, x, y, out, options);
}
template <class T>
void triad(T scalar, std::span<const T> x, std::span<const T> y, std::span<T> out, const HostOptions& options) {
  elementwise<T>(kernels<T>().triad, 3, scalar, x, y, out, options);
}

template <class T>
void sequence(std::span<T> a, std::span<T> b, std::span<T> c, const HostOptions& options) {
  HostOptions chosen = options;  // decided by the size of all three arrays, which the four kernels share
  chosen.stores = streams(options, 3 * a.size_bytes()) ? Stores::streaming : Stores::temporal;
  const T scalar = static_cast<T>(stream_scalar);
  copy<T>(a, c, chosen);
  scale<T>(scalar, c, b, chosen);
  add<T>(a, b, c, chosen);
  triad<T>(scalar, b, c, a, chosen);
}

// Blocks of fixed length, added pairwise: the bits do not depend on the assignment of blocks to threads. A block of
// 32768 elements is 512 KiB of f64 operands: long enough to amortise the start of the loop, and short enough for 30
// blocks in 10^6 elements.
template <class T>
double dot(std::span<const T> x, std::span<const T> y, const HostOptions& options) {
  require(x.size() == y.size(), "stream: the arrays have different lengths");
  constexpr std::size_t block = 32768;
  std::vector<double> sums((x.size() + block - 1) / block);
  const auto part = [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t first = k * block;
      sums[k] = kernels<T>().dot(x.data() + first, y.data() + first, std::min(block, x.size() - first));
    }
  };
  core::parallel_for(sums.size(), block * sizeof(T), options.threads, part);
  for (std::size_t count = sums.size(); count > 1; count = (count + 1) / 2)
    for (std::size_t k = 0; k < count / 2; ++k) sums[k] += sums[count - 1 - k];
  return sums.empty() ? 0.0 : sums[0];
}

template void copy(std::span<const double>, std::span<double>, const HostOptions&);
template void copy(std::span<const float>, std::span<float>, const HostOptions&);
template void scale(double, std::span<const double>, std::span<double>, const HostOptions&);
template void scale(float, std::span<const float>, std::span<float>, const HostOptions&);
template void add(std::span<const double>, std::span<const double>, std::span<double>, const HostOptions&);
template void add(std::span<const float>, std::span<const float>, std::span<float>, const HostOptions&);
template void triad(double, std::span<const double>, std::span<const double>, std::span<double>, const HostOptions&);
template void triad(float, std::span<const float>, std::span<const float>, std::span<float>, const HostOptions&);
template double dot(std::span<const double>, std::span<const double>, const HostOptions&);
template double dot(std::span<const float>, std::span<const float>, const HostOptions&);
template void sequence(std::span<double>, std::span<double>, std::span<double>, const HostOptions&);
template void sequence(std::span<float>, std::span<float>, std::span<float>, const HostOptions&);

}  // namespace speedwell::stream
