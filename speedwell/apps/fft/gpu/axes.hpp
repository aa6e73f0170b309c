// The axes of arrays on a GPU: what transforms their lines, where these lie, and the work space of all. Included by
// CUDA sources alone.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "speedwell/apps/fft/gpu/line_transform.hpp"
#include "speedwell/apps/fft/gpu_fft.hpp"

namespace speedwell::fft::gpu {

/// Arrays [outer][n][inner].
template <class T>
struct Axis {
  std::int64_t n, outer, inner;
  const LineTransform<T>* transform;
  std::int64_t lines() const { return outer * inner; }
  Place place() const { return inner == 1 ? row_place(n) : column_place(n, inner); }
};

template <class T>
class Axes {
 public:
  /// A transform of lines of n points; one for all axes of a length.
  const LineTransform<T>* transform(std::int64_t n, const core::Stream& stream);
  /// Axes that are longer than a point, from the fastest to the slowest; `inner` points are one of the fastest's.
  std::vector<Axis<T>> axes(std::span<const std::int64_t> extents, std::int64_t inner, std::int64_t batch,
                            const core::Stream& stream);

 private:
  struct Known {
    std::int64_t n;
    std::unique_ptr<LineTransform<T>> transform;
  };
  std::vector<Known> known_;
};

/// Along an axis; `out` may be `in`. Conjugated on the way in and out if sign is -1.
template <class T>
void run_axis(const Axis<T>& axis, const Complex<T>* in, Complex<T>* out, T sign, T scale, Complex<T>* work,
              const core::Stream& stream);
template <class T>
std::int64_t work_points(const Axis<T>& axis);

/// What results of a transform of `size` points are multiplied by.
double scale_of(Normalisation normalisation, std::int64_t size, bool backward);
/// Throws as gpu_fft.hpp says.
void require_step(std::string_view step);
void require_free_memory(double bytes);

}  // namespace speedwell::fft::gpu
