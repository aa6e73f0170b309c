// What both kinds of GPU plans are made of. Included by CUDA sources alone.
#pragma once

#include <memory>
#include <vector>

#include "speedwell/apps/fft/gpu/line_transform.hpp"
#include "speedwell/apps/fft/gpu_fft.hpp"
#include "speedwell/apps/fft/rows.hpp"

namespace speedwell::fft {

template <class T>
class GpuEngine {
 public:
  using Complex = gpu::Complex<T>;
  GpuEngine(const Shape& shape, const GpuOptions& options);

  std::int64_t points() const { return points_; }
  double bytes() const { return static_cast<double>(work_.bytes() + counters_.bytes()); }
  void transform(const Complex* in, Complex* out, bool backward, const core::Stream& stream);

 private:
  enum class Way { transposed, passes, planes };
  struct Axis {
    std::int64_t n, outer, inner;  // an array [outer][n][inner]
    const gpu::LineTransform<T>* lines;
  };
  using Signs = struct { T sign, scale; };

  void make_axes(const Shape& shape, const core::Stream& stream);
  std::int64_t work_points() const;
  void run_transposed(const Complex* in, Complex* out, Signs signs, const core::Stream& stream);
  void run_passes(const Complex* in, Complex* out, Signs signs, const core::Stream& stream);
  Signs signs_of(bool backward) const;

  Way way_;
  Normalisation normalisation_;
  std::int64_t points_ = 0, size_ = 0;  // size_: N of the normalisation
  std::vector<std::unique_ptr<gpu::LineTransform<T>>> transforms_;
  std::vector<Axis> axes_;  // those longer than a point, from the fastest to the slowest; at least one
  core::DeviceBuffer<Complex> work_;
  core::DeviceBuffer<std::uint32_t> counters_;
};

}  // namespace speedwell::fft
