// A single real transform that is too long for one SIMD lane. Even lengths are transformed as half as many complex
// points.
#pragma once

#include "speedwell/numerics/fft/cpu/long_line.hpp"

namespace speedwell::fft {

template <class T>
class LongReal {
 public:
  LongReal(std::int64_t n, Team<T>& team);
  std::int64_t work_points() const { return half_.points() + half_.work_points(); }
  /// n reals to n / 2 + 1 complex numbers, or backward. in and out begin at the same address or are disjoint.
  void execute(Team<T>& team, const T* in, T* out, T* work, bool backward, T scale, int thread) const;

 private:
  void unpack(T* x, T scale, int threads) const;
  void pack(const T* x, T* z, int threads) const;

  std::int64_t n_;
  LongLine<T> half_;
  std::vector<T> unpack_;
};

}  // namespace speedwell::fft
