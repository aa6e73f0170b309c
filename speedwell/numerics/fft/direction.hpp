// The two signs of a Fourier transform.
#pragma once

namespace speedwell::fft {

/// forward: X[k] = sum_n x[n] e^{-2 pi i k n / N}. backward: the same with the sign +. Neither is scaled: backward
/// after forward multiplies by N.
enum class Direction { forward, backward };

}  // namespace speedwell::fft
