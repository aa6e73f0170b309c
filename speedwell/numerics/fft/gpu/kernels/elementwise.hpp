// Elementwise kernels for long, convolved and real lines. Included by CUDA sources only.
#pragma once

#include "speedwell/numerics/fft/gpu/line_transform.hpp"
#include "speedwell/numerics/fft/gpu/roots.hpp"

namespace speedwell::fft::gpu {

/// Lines of n points with any layout, and their copies with a distance of `pitch` in the work space.
template <class T>
struct GatheredLines {
  std::int64_t lines, n, pitch;
  const Complex<T>* chirp = nullptr;  // factor of every point of a line, or null
};
/// work = in times the chirp, padded with zeros up to the pitch. A sign of -1 conjugates the input first.
template <class T>
void gather(const GatheredLines<T>& g, const Complex<T>* in, const LineLayout& layout, T sign, Complex<T>* work,
            const core::Stream& stream);
/// out = work times the chirp, scaled. A sign of -1 conjugates the result.
template <class T>
void scatter(const GatheredLines<T>& g, const Complex<T>* work, Complex<T>* out, const LineLayout& layout, T sign,
             T scale, const core::Stream& stream);
/// Multiplies every line of x by the table.
template <class T>
void multiply(Complex<T>* x, std::int64_t lines, std::int64_t n, const Complex<T>* table, const core::Stream& stream);

/// Rows of n reals with n / 2 + 1 bins of the spectrum each.
struct RealRows {
  std::int64_t rows, n;
  std::int64_t bins() const { return n / 2 + 1; }
};
/// For even n: converts the transform of n / 2 pairs of reals to the spectrum, in place, with rows bins() apart.
template <class T>
void unpack(const RealRows& r, Complex<T>* x, const Roots<T>& roots, const core::Stream& stream);
/// The inverse of unpack(), doubled: transformed backward, the result is n times the reals. In place if the pitch is
/// bins().
template <class T>
void pack(const RealRows& r, const Complex<T>* spectrum, Complex<T>* pairs, std::int64_t pitch, const Roots<T>& roots,
          const core::Stream& stream);

/// For odd n: converts reals with a distance of `pitch` between rows to complex numbers, and extracts the bins that are
/// stored.
template <class T>
void widen(const RealRows& r, const T* reals, std::int64_t pitch, Complex<T>* x, const core::Stream& stream);
template <class T>
void extract_half_spectrum(const RealRows& r, const Complex<T>* x, Complex<T>* spectrum, const core::Stream& stream);
/// For odd n: expands stored bins to the whole spectrum, and extracts the real parts of its transform.
template <class T>
void expand_half_spectrum(const RealRows& r, const Complex<T>* spectrum, Complex<T>* x, const core::Stream& stream);
template <class T>
void narrow(const RealRows& r, const Complex<T>* x, T* reals, std::int64_t pitch, const core::Stream& stream);

}  // namespace speedwell::fft::gpu
