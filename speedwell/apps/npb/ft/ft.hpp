// FT of the NAS Parallel Benchmarks: the heat equation du/dt = alpha lap(u) on a periodic box, by a forward discrete
// Fourier transform of the initial field and, for every time step, a factor per mode and an inverse transform. D.
// Bailey et al., RNR-94-007, section 2.2.5.
//   u(i, j, k) has as real and imaginary part the numbers 2 p + 1 and 2 p + 2 of seed 314159265 (random.hpp), p = (k ny
//   + j) nx + i. With U = DFT(u), alpha = 1e-6 and wave numbers from -n/2 to n/2 - 1, for t = 1 .. iterations: v =
//   DFT^-1(U exp(-4 alpha pi^2 (kx^2 + ky^2 + kz^2) t)), and of v the checksum sum over q = 1 .. 1024 of v(q mod nx, 3
//   q mod ny, 5 q mod nz).
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <numbers>
#include <vector>

#include "speedwell/core/host_device.hpp"

namespace speedwell::npb::ft {

constexpr std::uint64_t seed = 314159265;
constexpr double alpha = 1e-6;
// for wave number 1 in one time step
constexpr double decay_exponent = -4 * alpha * std::numbers::pi * std::numbers::pi;
constexpr int checksum_points = 1024;

/// Points along each axis, of which x is contiguous, and time steps.
struct Problem {
  std::int64_t nx = 64, ny = 64, nz = 64;
  int iterations = 6;

  friend bool operator==(const Problem&, const Problem&) = default;
};
/// Throws std::invalid_argument for extents or iterations below 1, and for more than 2^43 points, for which the period
/// of the generator is too short.
void require_valid(const Problem& problem);
SPEEDWELL_HD
constexpr std::int64_t points(const Problem& p) { return p.nx * p.ny * p.nz; }

/// The checksums of all time steps.
using Checksums = std::vector<std::complex<double>>;

/// FT on one core: in every step the modes are multiplied by the factors of one step and transformed into a second
/// array.
class SerialSolver {
 public:
  /// Allocates the memory. Throws as require_valid(), and core::Unavailable, which names the bytes, if there is too
  /// little.
  explicit SerialSolver(const Problem& problem);
  SerialSolver(SerialSolver&&) noexcept;
  ~SerialSolver();
  /// Executes the timed region of the benchmark, from the initial field on.
  Checksums run();
  static double bytes(const Problem& problem);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct Options {
  int threads = 0;  // 0: the maximum number of OpenMP threads
};

/// FT with OpenMP: the inverse transform applies the factors in its loads, and its result is not stored. The bits
/// depend on the instruction set, not on the number of threads.
class Solver {
 public:
  /// As SerialSolver.
  explicit Solver(const Problem& problem, const Options& options = {});
  Solver(Solver&&) noexcept;
  ~Solver();
  Checksums run();
  static double bytes(const Problem& problem);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The operation count of the benchmark: 5 n log2(n) for transforms, and the operations of the definition for the rest.
double nominal_operations(const Problem& problem);

/// The point of v that is term q = 1 .. checksum_points of a checksum.
struct GridPoint {
  std::int64_t x, y, z;
};
SPEEDWELL_HD
constexpr GridPoint point_of_term(const Problem& problem, int q) {
  return {q % problem.nx, 3 * q % problem.ny, 5 * q % problem.nz};
}

/// The wave number of entry i of a transform of n points: 0, 1, 2 …, followed by -n/2 to -1.
SPEEDWELL_HD
constexpr double wave_number(std::int64_t i, std::int64_t n) { return static_cast<double>(i < n - n / 2 ? i : i - n); }

/// exp(-4 alpha pi^2 k^2 t) for the wave numbers k of an axis of n points. The factor of a mode is the product over its
/// axes.
std::vector<double> decay(std::int64_t n, int t);

}  // namespace speedwell::npb::ft
