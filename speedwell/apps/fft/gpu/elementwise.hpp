// What is done to the points of long, convolved and real lines one by one. Included by CUDA sources alone.
#pragma once

#include "speedwell/apps/fft/gpu/line_transform.hpp"
#include "speedwell/apps/fft/gpu/roots.hpp"

namespace speedwell::fft::gpu {

/// Lines of n points somewhere, and the same `pitch` apart in the work space.
template <class T>
struct Gathered {
  std::int64_t lines, n, pitch;
  const Complex<T>* chirp = nullptr;  // factor of every point of a line, if any
};
/// work = in times the chirp, conjugated before if sign is -1; zeros up to the pitch.
template <class T>
void gather(const Gathered<T>& g, const Complex<T>* in, const Place& place, T sign, Complex<T>* work,
            const core::Stream& stream);
/// out = work times the chirp, scaled, conjugated after.
template <class T>
void scatter(const Gathered<T>& g, const Complex<T>* work, Complex<T>* out, const Place& place, T sign, T scale,
             const core::Stream& stream);
/// Every line of x times the table.
template <class T>
void multiply(Complex<T>* x, std::int64_t lines, std::int64_t n, const Complex<T>* table, const core::Stream& stream);

/// Rows of n reals: n / 2 + 1 complex numbers in the spectrum.
struct RealRows {
  std::int64_t rows, n;
  std::int64_t kept() const { return n / 2 + 1; }
};
/// Even n. The transform of n / 2 pairs of reals to the spectrum, rows kept() apart, in place.
template <class T>
void unpack(const RealRows& r, Complex<T>* x, const Roots<T>& roots, const core::Stream& stream);
/// The other way, twice: transformed backward, it is n times the reals. In place where the pitch is kept().
template <class T>
void pack(const RealRows& r, const Complex<T>* spectrum, Complex<T>* pairs, std::int64_t pitch, const Roots<T>& roots,
          const core::Stream& stream);

/// Odd n: reals `pitch` apart as complex numbers, and what is kept of their transforms.
template <class T>
void widen(const RealRows& r, const T* reals, std::int64_t pitch, Complex<T>* x, const core::Stream& stream);
template <class T>
void keep(const RealRows& r, const Complex<T>* x, Complex<T>* spectrum, const core::Stream& stream);
/// Odd n: the whole of a kept spectrum, and the real parts of its transform.
template <class T>
void complete(const RealRows& r, const Complex<T>* spectrum, Complex<T>* x, const core::Stream& stream);
template <class T>
void narrow(const RealRows& r, const Complex<T>* x, T* reals, std::int64_t pitch, const core::Stream& stream);

}  // namespace speedwell::fft::gpu
