// Fourier transforms of arrays of two or three axes that are divided among ranks. Conventions, normalisations and
// lengths are those of fft.hpp.
//
//   speedwell::fft::DistributedPlan<double> plan(ranks, {.extents = {256, 256, 256}});
//   plan.forward(x, spectrum);    // x: this rank's tile of the array; spectrum: its tile of the result
//   plan.backward(spectrum, x);
//
// The array is divided in slabs along its first axis, the spectrum along its second one: then one exchange among all
// ranks is enough. With SpectrumDivision::first_axis the spectrum is divided as the array is, which takes a second
// exchange. Slabs differ by at most one layer, the larger ones first (comm::part_of). A tile is row-major, its axes in
// the order of the array. In tiles of global indices an array of two axes has an axis of extent 1 before them.
//
// Each rank transforms its planes. Ranks of one host have them in memory that they share (comm::SharedMemory), so that
// each reads the lines along the first axis where they are, after a barrier. Otherwise slabs are exchanged by messages,
// in pieces along the last axis: while the lines of one piece are transformed along the first axis, the other pieces
// travel. Results agree with those of Plan and RealPlan to rounding, and are bitwise the same for the same number of
// ranks, with and without shared memory.
//
// Constructors and transforms are collective, and all ranks pass the same shape and options. Constructors throw
// std::invalid_argument as Plan does, for other than two or three extents, for a batch above 1, and for more ranks than
// layers of an axis that is divided. Transforms throw std::invalid_argument on all ranks if a span of one of them has
// the wrong size or if its in and out overlap.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/decomposition.hpp"
#include "speedwell/core/pimpl.hpp"
#include "speedwell/numerics/fft/fft.hpp"

namespace speedwell::fft {

/// The axis along which the spectrum is divided.
enum class SpectrumDivision {
  second_axis,  // what one exchange leaves
  first_axis,   // as the array
};

struct DistributedOptions {
  Normalisation normalisation = Normalisation::none;
  SpectrumDivision division = SpectrumDivision::second_axis;
  int pieces = 0;             // of an exchange of three axes by messages; 0: as many as keep these long, at most 4
  int threads = 1;            // of each rank; 0: the number of threads that OpenMP would use
  bool shared_memory = true;  // of ranks of one host, where the system lets them share memory; false: messages
};

/// Complex transforms in T, which is float or double. `ranks` must outlive the plan.
template <class T>
class DistributedPlan {
 public:
  using Complex = std::complex<T>;

  DistributedPlan(const comm::Communicator& ranks, const Shape& shape, const DistributedOptions& options = {});

  /// `array` has the points of this rank's tile of the array, `spectrum` those of its tile of the spectrum. The input
  /// is preserved.
  void forward(std::span<const Complex> array, std::span<Complex> spectrum);
  void backward(std::span<const Complex> spectrum, std::span<Complex> array);
  /// Transforms the product of the spectrum and the weights, which are those of the whole array (fft.hpp) and are
  /// applied in the loads of the first passes.
  void backward(std::span<const Complex> spectrum, const Weights<T>& weights, std::span<Complex> array);

  /// The tiles of all ranks, in global indices: between these and others a comm::Redistribution moves data.
  const std::vector<comm::Tile>& array_tiles() const;
  const std::vector<comm::Tile>& spectrum_tiles() const;
  std::int64_t array_points() const;     // of this rank
  std::int64_t spectrum_points() const;  // of this rank
  /// Bytes that this rank sends to others, or leaves for them in shared memory, in a transform.
  std::int64_t sent_bytes() const;
  double bytes() const;  // bytes of the plan's work space on this rank
  /// Seconds that this rank has packed, waited and unpacked.
  double exchange_seconds() const;
  /// Whether the ranks share memory in place of messages.
  bool shares_memory() const;

 private:
  struct Impl;
  core::Pimpl<Impl> impl_;
};

/// Real-to-complex and complex-to-real transforms in T. The last axis of the spectrum has n / 2 + 1 points. `ranks`
/// must outlive the plan.
template <class T>
class DistributedRealPlan {
 public:
  using Complex = std::complex<T>;

  DistributedRealPlan(const comm::Communicator& ranks, const Shape& shape, const DistributedOptions& options = {});

  /// `array` has the reals of this rank's tile of the array, `spectrum` the points of its tile of the spectrum. The
  /// input is preserved. Backward assumes the spectrum of real data, as RealPlan does.
  void forward(std::span<const T> array, std::span<Complex> spectrum);
  void backward(std::span<const Complex> spectrum, std::span<T> array);

  /// As those of DistributedPlan.
  const std::vector<comm::Tile>& array_tiles() const;
  const std::vector<comm::Tile>& spectrum_tiles() const;
  std::int64_t array_points() const;
  std::int64_t spectrum_points() const;
  std::int64_t sent_bytes() const;
  double bytes() const;
  double exchange_seconds() const;
  bool shares_memory() const;

 private:
  struct Impl;
  core::Pimpl<Impl> impl_;
};

extern template class DistributedPlan<float>;
extern template class DistributedPlan<double>;
extern template class DistributedRealPlan<float>;
extern template class DistributedRealPlan<double>;

}  // namespace speedwell::fft
