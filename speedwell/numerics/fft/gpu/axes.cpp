#include "speedwell/numerics/fft/gpu/axes.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "speedwell/core/units.hpp"
#include "speedwell/numerics/fft/gpu/method.hpp"
#include "speedwell/numerics/fft/gpu_ladder.hpp"

namespace speedwell::fft::gpu {

template <class T>
const LineTransform<T>* Axes<T>::transform(std::int64_t n, const core::Stream& stream) {
  const auto same = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& k) { return k.n == n; });
  if (same != entries_.end()) return same->transform.get();
  // Only the tables of convolutions can exceed the memory: they are checked before they are made.
  const LineMethod method = line_method(n, sizeof(T));
  if (method.kind == LineMethod::Kind::convolution)
    require_free_memory(static_cast<double>(method.n + method.longer) * sizeof(Complex<T>));
  return entries_.emplace_back(Entry{n, make_line_transform<T>(n, stream)}).transform.get();
}

template <class T>
std::vector<Axis<T>> Axes<T>::axes(std::span<const std::int64_t> extents, std::int64_t inner, std::int64_t batch,
                                   const core::Stream& stream) {
  std::int64_t outer = batch;
  for (const std::int64_t n : extents) outer *= n;
  std::vector<Axis<T>> axes;
  for (std::size_t d = extents.size(); d-- > 0; inner *= extents[d]) {
    outer /= extents[d];
    if (extents[d] > 1) axes.push_back({extents[d], outer, inner, transform(extents[d], stream)});
  }
  return axes;
}

template <class T>
void run_axis(const Axis<T>& axis, const Complex<T>* in, Complex<T>* out, T sign, T scale, Complex<T>* work,
              const core::Stream& stream) {
  axis.transform->run({in, out, axis.lines(), axis.layout(), axis.layout(), sign, sign, scale}, work, stream);
}

template <class T>
std::int64_t work_points(const Axis<T>& axis) {
  return work_points(line_method(axis.n, sizeof(T)), axis.lines(), axis.inner == 1, sizeof(T));
}

double scale_of(Normalisation normalisation, std::int64_t size, bool backward) {
  if (normalisation == Normalisation::orthogonal) return 1 / std::sqrt(static_cast<double>(size));
  return normalisation == Normalisation::backward && backward ? 1 / static_cast<double>(size) : 1;
}

void require_step(std::string_view step) {
  for (const Step& known : steps)
    if (known.name == step) return;
  throw std::invalid_argument("'" + std::string(step) + "' is no GPU variant of fft");
}

void require_free_memory(double bytes) {
  std::size_t free = 0, total = 0;
  core::check(cudaMemGetInfo(&free, &total));
  if (bytes > static_cast<double>(free))
    throw core::Unavailable("fft: the plan's work space or tables take " + core::format_bytes(bytes) + "; " +
                            core::format_bytes(static_cast<double>(free)) + " of the GPU's memory are free");
}

#define SPEEDWELL_AXES(T)                                                                                         \
  template class Axes<T>;                                                                                         \
  template void run_axis(const Axis<T>&, const Complex<T>*, Complex<T>*, T, T, Complex<T>*, const core::Stream&); \
  template std::int64_t work_points(const Axis<T>&);
SPEEDWELL_AXES(float)
SPEEDWELL_AXES(double)
#undef SPEEDWELL_AXES

}  // namespace speedwell::fft::gpu
