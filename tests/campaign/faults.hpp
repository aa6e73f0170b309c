// Faults for the outputs of a run in host memory, as Run::outputs() names them: what a kernel that skips work, mixes up
// tiles or reads a wrong neighbour would leave. Each is planted in one output and taken back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/harness/measurement/element_bytes.hpp"
#include "speedwell/harness/measurement/run.hpp"

namespace speedwell::campaign {

enum class Fault {
  skipped_percent,  // 1 % of the elements, spread out, keep their value from before; of fewer than 100 numbers, each is
                    // 1 % short
  block_skipped,    // a block of up to 256 elements keeps its values from before
  tiles_swapped,    // two tiles of up to 256 elements have changed places
  last_element,     // the last element keeps its value from before
  one_nan,          // one element is NaN; of integers the largest value
  halo_shifted,     // a plane (of a line of elements: a stretch) has the values of its neighbour
  fourier_mode,     // a cosine of one random wave number is added to every element
};
const std::vector<Fault>& all_faults();
std::string to_string(Fault fault);
/// Nothing for a name that no fault has.
std::optional<Fault> fault_named(std::string_view name);

bool is_integer(harness::ElementType type);

/// Root mean square and largest magnitude of a floating-point output.
struct Magnitude {
  double root_mean_square = 0, largest = 0;
};
Magnitude magnitude(const harness::Output& output);

/// Whether a fault was planted: where it is, or why there is none.
struct Planted {
  bool done = false;
  std::string text;
};

/// One output and its right values. What an element had before the execute is Output::initial, or zero. The output is
/// as it was after restore() and after the destructor. A change of floating-point elements by `admitted` or less is
/// none: the answer is still right within what its verdict is stated to admit.
class Planter {
 public:
  explicit Planter(const harness::Output& output, double admitted = 0);
  ~Planter() { restore(); }
  Planter(const Planter&) = delete;
  Planter& operator=(const Planter&) = delete;

  /// Plants `fault` at a position that depends on `seed`, another one where it would change nothing. `amplitude`: of
  /// fourier_mode. Restores what was planted before.
  Planted plant(Fault fault, std::uint64_t seed, double amplitude = 0);
  void restore();

 private:
  char* at(std::size_t i) { return static_cast<char*>(output_.data) + i * bytes_; }
  const char* right(std::size_t i) const { return right_.data() + i * bytes_; }
  /// Elements [first, first + count) keep their values from before.
  void skip(std::size_t first, std::size_t count);
  bool changed(std::size_t first, std::size_t count);
  void touch(std::size_t first, std::size_t count);

  Planted skipped_percent(std::uint64_t seed);
  Planted block_skipped(std::uint64_t seed);
  Planted tiles_swapped(std::uint64_t seed);
  Planted last_element();
  Planted one_nan(std::uint64_t seed);
  Planted halo_shifted(std::uint64_t seed);
  Planted fourier_mode(std::uint64_t seed, double amplitude);

  harness::Output output_;
  std::size_t bytes_;
  double admitted_;
  std::vector<char> right_;
  std::size_t begin_ = 0, end_ = 0;  // elements that may be wrong now
};

}  // namespace speedwell::campaign
