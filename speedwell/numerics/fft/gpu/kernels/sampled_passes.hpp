// The first and the last pass of a sampled transform. Included by CUDA sources only.
#pragma once

#include "speedwell/numerics/fft/gpu/kernels/memory.hpp"
#include "speedwell/numerics/fft/gpu/kernels/pass.hpp"
#include "speedwell/numerics/fft/gpu/samples.hpp"

namespace speedwell::fft::gpu {

/// Loads columns along the slowest axis of an array [][n1][n2], multiplied by the weights of the three axes.
template <class T>
struct Weighted {
  const Complex<T>* x;
  const T *w0, *w1, *w2;
  std::int64_t n1, n2;
  T sign;  // -1 conjugates

  struct Line {
    const Complex<T>* x;
    std::int64_t step;
    const T* w0;
    int width;
    T re, im;
    __device__ Complex<T> operator()(int e) const {
      const Complex<T> z = detail::fetch<CachePolicy::all_levels>(x + e * step);
      const T w = __ldg(w0 + e * width);
      return {z.re * (w * re), z.im * (w * im)};
    }
  };
  __device__ Line line(std::int64_t number, int lane, int width, const LineLayout& layout) const {
    const T w = __ldg(w1 + number / n2 % n1) * __ldg(w2 + number % n2);
    return {x + layout.line(number) + lane * layout.element, width * layout.element, w0 + lane, width, w, sign * w};
  }
};

/// A list of samples on the current device. One stream at a time may use it.
struct DeviceSamples {
  DeviceSamples(const SampleList& list, const core::Stream& stream)
      : first(list.first.size()), wanted(list.wanted.size()) {
    core::copy_async(first.data(), list.first.data(), first.size(), stream);
    core::copy_async(wanted.data(), list.wanted.data(), wanted.size(), stream);
    stream.synchronize();
  }
  double bytes() const { return static_cast<double>(first.bytes() + wanted.bytes()); }

  core::DeviceBuffer<std::int32_t> first;
  core::DeviceBuffer<Sample> wanted;
};

/// Stores the points of rows that are samples.
template <class T>
struct ToSamples {
  const std::int32_t* first;  // index in `wanted` of each line's first sample, and the end
  const Sample* wanted;       // ordered by lines
  Complex<T>* samples;
  T sign;

  struct Line {
    const Sample *begin, *end;
    Complex<T>* samples;
    int lane, width;
    T sign;
    __device__ void operator()(int e, Complex<T> z) const {
      for (const Sample* s = begin; s != end; ++s)
        if (s->element == lane + width * e) samples[s->number] = {z.re, sign * z.im};
    }
    __device__ void any(int e, Complex<T> z) const { (*this)(e, z); }
  };
  __device__ Line line(std::int64_t number, int lane, int width, const LineLayout&) const {
    return {wanted + __ldg(first + number), wanted + __ldg(first + number + 1), samples, lane, width, sign};
  }
};

template <class T>
void transform_columns(int log_n, const Pass<T>& pass, const Weighted<T>& in, const ToMemory<T>& out,
                       const core::Stream& stream);
template <class T>
void transform_rows(int log_n, const Pass<T>& pass, const FromMemory<T>& in, const ToSamples<T>& out,
                    const core::Stream& stream);

}  // namespace speedwell::fft::gpu
