// The engine of complex and real plans: transforms along rows and then along the other axes, as columns.
#pragma once

#include <deque>

#include "speedwell/numerics/fft/cpu/rows.hpp"
#include "speedwell/numerics/fft/fft.hpp"

namespace speedwell::fft {

template <class T>
class Engine {
 public:
  Engine(Kind kind, const Shape& shape, const Options& options);

  std::int64_t points() const { return rows_count_ * n_; }
  std::int64_t row_points() const { return n_; }
  std::int64_t spectrum_points() const { return rows_count_ * spectrum_row_; }
  double bytes() const {
    return team_.buffer_bytes() + rows_.work_bytes() +
           static_cast<double>(spectrum_.bytes() + visited_.bytes() + planes_.bytes());
  }

  /// Complex transforms and real-to-complex ones: rows first. Row strides are in reals. Weights apply to complex data.
  /// With a visitor, which needs three axes, the results of the last transform are passed to it and not stored.
  void rows_first(const T* in, std::int64_t in_pitch, T* out, bool backward, const Weights<T>& weights = {},
                  const Visit<T>* visit = nullptr);
  /// Complex-to-real transforms: rows last. Out of place, the spectrum is copied through work space.
  void rows_last(const T* in, T* out, std::int64_t out_pitch);
  std::int64_t spectrum_pitch() const { return 2 * spectrum_row_; }

 private:
  struct Axis {
    explicit Axis(std::int64_t n) : plan(n) {}
    LinePlan<T> plan;
    std::int64_t blocks = 1, inner = 1;  // arrays [blocks][n][inner] that it is an axis of
  };

  LineSet<T> columns(const Axis& axis, const T* in, T* out, bool backward, T scale) const;
  void transform_columns(const Axis& axis, const T* in, T* out, bool backward, T scale);
  bool streams_planes(const void* in, const LineSet<T>& columns) const;
  bool has_streaming_size() const;
  void transform_planes(const LineSet<T>& first, const LineSet<T>& second, bool streamed);
  void apply_row_weights(const T* in, const T* weights, T* out);
  void visit_lines(const LineSet<T>& set, const Visit<T>& visit);
  bool fuses_planes() const;
  T scale_of(bool backward) const;

  Normalisation normalisation_;
  std::int64_t n_, spectrum_row_, rows_count_, size_ = 1;  // size_: N of the normalisation
  Team<T> team_;
  Rows<T> rows_;
  std::deque<Axis> axes_;  // all axes but the last, from the fastest to the slowest
  core::HostBuffer<T> spectrum_, visited_, planes_;
};

}  // namespace speedwell::fft
