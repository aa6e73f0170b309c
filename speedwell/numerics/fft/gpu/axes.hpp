// The axes of arrays on a GPU: the transforms of their lines, the layout of these, and the common work space. Included
// by CUDA sources only.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "speedwell/numerics/fft/gpu/line_transform.hpp"
#include "speedwell/numerics/fft/gpu_fft.hpp"

namespace speedwell::fft::gpu {

/// An axis of arrays [outer][n][inner].
template <class T>
struct Axis {
  std::int64_t n, outer, inner;
  const LineTransform<T>* transform;
  std::int64_t lines() const { return outer * inner; }
  LineLayout layout() const { return inner == 1 ? row_layout(n) : column_layout(n, inner); }
};

template <class T>
class Axes {
 public:
  /// The transform of lines of n points; axes of the same length share it.
  const LineTransform<T>* transform(std::int64_t n, const core::Stream& stream);
  /// Axes longer than one point, from the fastest to the slowest; consecutive points of the fastest axis are `inner`
  /// apart.
  std::vector<Axis<T>> axes(std::span<const std::int64_t> extents, std::int64_t inner, std::int64_t batch,
                            const core::Stream& stream);

 private:
  struct Entry {
    std::int64_t n;
    std::unique_ptr<LineTransform<T>> transform;
  };
  std::vector<Entry> entries_;
};

/// Transforms along an axis; `out` may be `in`. A sign of -1 conjugates input and output.
template <class T>
void run_axis(const Axis<T>& axis, const Complex<T>* in, Complex<T>* out, T sign, T scale, Complex<T>* work,
              const core::Stream& stream);
template <class T>
std::int64_t work_points(const Axis<T>& axis);

/// The factor of the results of a transform of `size` points.
double scale_of(Normalisation normalisation, std::int64_t size, bool backward);
/// Throw the exceptions that gpu_fft.hpp documents.
void require_step(std::string_view step);
void require_free_memory(double bytes);

}  // namespace speedwell::fft::gpu
