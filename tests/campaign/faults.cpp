#include "tests/campaign/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "speedwell/core/random.hpp"

namespace speedwell::campaign {
namespace {

using harness::ElementType;

constexpr std::size_t max_block = 256;  // elements: what a block of threads has in most kernels
constexpr int max_attempts = 64;        // places that are tried before a fault counts as one that changes nothing

struct Name {
  Fault fault;
  const char* name;
};
constexpr Name names[] = {{Fault::skipped_percent, "skipped_percent"},
                          {Fault::block_skipped, "block_skipped"},
                          {Fault::tiles_swapped, "tiles_swapped"},
                          {Fault::last_element, "last_element"},
                          {Fault::one_nan, "one_nan"},
                          {Fault::halo_shifted, "halo_shifted"},
                          {Fault::fourier_mode, "fourier_mode"}};

const Name& name_of(Fault fault) {
  for (const Name& n : names)
    if (n.fault == fault) return n;
  throw std::logic_error("a fault without a name");
}

template <class T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
double number(ElementType type, const char* from) {
  return type == ElementType::f32 ? static_cast<double>(load<float>(from)) : load<double>(from);
}
void store(ElementType type, double value, char* to) {
  if (type == ElementType::f32) {
    const auto single = static_cast<float>(value);
    std::memcpy(to, &single, sizeof single);
  } else {
    std::memcpy(to, &value, sizeof value);
  }
}

// 1 % less of a number, one less at least of an integer that is not 0.
void shorten(ElementType type, char* at) {
  switch (type) {
    case ElementType::f64:
    case ElementType::f32:
      return store(type, 0.99 * number(type, at), at);
    case ElementType::i64: {
      const auto value = load<std::int64_t>(at);
      const std::int64_t less = value - (value == 0 ? 0 : value > 0 ? std::max<std::int64_t>(1, value / 100) : -1);
      std::memcpy(at, &less, sizeof less);
      return;
    }
    case ElementType::i32: {
      const auto value = load<std::int32_t>(at);
      const std::int32_t less = value - (value == 0 ? 0 : value > 0 ? std::max(1, value / 100) : -1);
      std::memcpy(at, &less, sizeof less);
      return;
    }
    case ElementType::u8:
      *at = static_cast<char>(*at - (*at != 0));
      return;
  }
}

std::string range(std::size_t first, std::size_t count) {
  return count == 1 ? "element " + std::to_string(first)
                    : "elements " + std::to_string(first) + " to " + std::to_string(first + count - 1);
}

// Uniform below `count`.
std::size_t random_below(std::size_t count, std::uint64_t seed, std::uint64_t attempt) {
  return static_cast<std::size_t>(core::random_bits(seed, attempt) % count);
}

}  // namespace

const std::vector<Fault>& all_faults() {
  static const std::vector<Fault> all = [] {
    std::vector<Fault> list;
    for (const Name& n : names) list.push_back(n.fault);
    return list;
  }();
  return all;
}
std::string to_string(Fault fault) { return name_of(fault).name; }
std::optional<Fault> fault_named(std::string_view name) {
  for (const Name& n : names)
    if (n.name == name) return n.fault;
  return std::nullopt;
}

bool is_integer(ElementType type) { return type != ElementType::f64 && type != ElementType::f32; }

Magnitude magnitude(const harness::Output& output) {
  const std::size_t bytes = harness::element_bytes(output.type);
  const char* data = static_cast<const char*>(output.data);
  double squares = 0, largest = 0;
#pragma omp parallel for reduction(+ : squares) reduction(max : largest)
  for (std::size_t i = 0; i < output.count; ++i) {
    const double value = number(output.type, data + i * bytes);
    squares += value * value;
    largest = std::max(largest, std::abs(value));
  }
  return {output.count > 0 ? std::sqrt(squares / static_cast<double>(output.count)) : 0, largest};
}

Planter::Planter(const harness::Output& output, double admitted)
    : output_(output), bytes_(harness::element_bytes(output.type)), admitted_(admitted) {
  const char* data = static_cast<const char*>(output.data);
  right_.assign(data, data + output.count * bytes_);
  std::size_t product = 1;
  for (const std::size_t extent : output_.extents) product *= extent;
  if (output_.extents.empty())
    output_.extents = {output.count};
  else if (product != output.count)
    throw std::logic_error("output " + output.name + ": extents that are not its count");
}

void Planter::touch(std::size_t first, std::size_t count) {
  begin_ = begin_ == end_ ? first : std::min(begin_, first);
  end_ = std::max(end_, first + count);
}
void Planter::restore() {
  if (begin_ < end_) std::memcpy(at(begin_), right(begin_), (end_ - begin_) * bytes_);
  begin_ = end_ = 0;
}
bool Planter::changed(std::size_t first, std::size_t count) {
  if (std::memcmp(at(first), right(first), count * bytes_) == 0) return false;
  if (is_integer(output_.type) || admitted_ == 0) return true;
  for (std::size_t i = first; i < first + count; ++i)
    if (!(std::abs(number(output_.type, at(i)) - number(output_.type, right(i))) <= admitted_)) return true;
  return false;
}
void Planter::skip(std::size_t first, std::size_t count) {
  touch(first, count);
  if (output_.initial)
    std::memcpy(at(first), static_cast<const char*>(output_.initial) + first * bytes_, count * bytes_);
  else
    std::memset(at(first), 0, count * bytes_);
}

Planted Planter::plant(Fault fault, std::uint64_t seed, double amplitude) {
  restore();
  if (output_.count == 0) return {false, "no elements"};
  switch (fault) {
    case Fault::skipped_percent:
      return skipped_percent(seed);
    case Fault::block_skipped:
      return block_skipped(seed);
    case Fault::tiles_swapped:
      return tiles_swapped(seed);
    case Fault::last_element:
      return last_element();
    case Fault::one_nan:
      return one_nan(seed);
    case Fault::halo_shifted:
      return halo_shifted(seed);
    case Fault::fourier_mode:
      return fourier_mode(seed, amplitude);
  }
  throw std::logic_error("a fault without an implementation");
}

Planted Planter::skipped_percent(std::uint64_t seed) {
  touch(0, output_.count);
  if (output_.count < 100) {
    for (std::size_t i = 0; i < output_.count; ++i) shorten(output_.type, at(i));
    return changed(0, output_.count) ? Planted{true, "every element 1 % short"} : Planted{false, "all elements are 0"};
  }
  for (std::size_t offset = 0; offset < 100; ++offset) {
    const std::size_t first = (random_below(100, seed, 0) + offset) % 100;
    bool any = false;
    for (std::size_t i = first; i < output_.count; i += 100) {
      skip(i, 1);
      any = any || changed(i, 1);
    }
    if (any) return {true, "every 100th element from " + std::to_string(first)};
    for (std::size_t i = first; i < output_.count; i += 100) std::memcpy(at(i), right(i), bytes_);
  }
  return {false, "every element is what it was before"};
}

Planted Planter::block_skipped(std::uint64_t seed) {
  const std::size_t block = std::max<std::size_t>(1, std::min(max_block, output_.count / 4));
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    const std::size_t first = random_below(output_.count - block + 1, seed, static_cast<std::uint64_t>(attempt));
    skip(first, block);
    if (changed(first, block)) return {true, range(first, block)};
    restore();
  }
  return {false, "blocks are what they were before"};
}

Planted Planter::tiles_swapped(std::uint64_t seed) {
  const std::size_t tile = std::max<std::size_t>(1, std::min(max_block, output_.count / 4));
  const std::size_t tiles = output_.count / tile;
  if (tiles < 2) return {false, "one element"};
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    const auto k = static_cast<std::uint64_t>(attempt);
    const std::size_t a = tile * random_below(tiles, seed, 2 * k), b = tile * random_below(tiles, seed, 2 * k + 1);
    touch(a, tile);
    touch(b, tile);
    std::memcpy(at(a), right(b), tile * bytes_);
    std::memcpy(at(b), right(a), tile * bytes_);
    if (changed(a, tile))
      return {true, "tiles of " + std::to_string(tile) + " from " + std::to_string(a) + " and " + std::to_string(b)};
    restore();
  }
  return {false, "tiles are equal"};
}

Planted Planter::last_element() {
  // The last one that the execute changed at all.
  for (std::size_t i = output_.count; i-- > 0;) {
    skip(i, 1);
    if (changed(i, 1)) return {true, range(i, 1)};
    restore();
  }
  return {false, "every element is what it was before"};
}

Planted Planter::one_nan(std::uint64_t seed) {
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    const std::size_t i = random_below(output_.count, seed, static_cast<std::uint64_t>(attempt));
    touch(i, 1);
    if (is_integer(output_.type)) {
      std::memset(at(i), 0xff, bytes_);
      at(i)[bytes_ - 1] = 0x7f;  // little-endian
    } else {
      store(output_.type, std::numeric_limits<double>::quiet_NaN(), at(i));
    }
    if (changed(i, 1)) return {true, range(i, 1)};
    restore();
  }
  return {false, "elements have the largest value already"};
}

// The faces of the slowest extent above 1 are planes that are contiguous in memory.
Planted Planter::halo_shifted(std::uint64_t seed) {
  std::size_t outer = 1, planes = 1, plane = output_.count;
  for (const std::size_t extent : output_.extents) {
    outer *= planes;
    planes = extent;
    plane /= extent;
    if (extent > 8) break;  // fewer are components or velocities, which have no halo
  }
  if (planes < 2) return {false, "one element"};
  if (plane == 1) {  // a line of elements, or many: a stretch of one moves by one
    const std::size_t stretch = std::max<std::size_t>(1, std::min(max_block, planes / 4));
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
      const auto k = static_cast<std::uint64_t>(attempt);
      const std::size_t line = random_below(outer, seed, 2 * k) * planes;
      const std::size_t first = line + random_below(planes - stretch, seed, 2 * k + 1);
      touch(first, stretch);
      std::memcpy(at(first), right(first + 1), stretch * bytes_);
      if (changed(first, stretch)) return {true, range(first, stretch) + " from one further"};
      restore();
    }
    return {false, "neighbours are equal"};
  }
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    const auto k = static_cast<std::uint64_t>(attempt);
    const std::size_t block = random_below(outer, seed, 2 * k), p = random_below(planes - 1, seed, 2 * k + 1);
    const std::size_t first = (block * planes + p) * plane;
    touch(first, plane);
    std::memcpy(at(first), right(first + plane), plane * bytes_);
    if (changed(first, plane))
      return {true, "plane " + std::to_string(p) + " of " + std::to_string(planes) + " from the next one"};
    restore();
  }
  return {false, "neighbouring planes are equal"};
}

Planted Planter::fourier_mode(std::uint64_t seed, double amplitude) {
  if (is_integer(output_.type)) return {false, "integers"};
  if (!(amplitude > 0)) return {false, "no amplitude"};
  touch(0, output_.count);
  const std::vector<std::size_t>& extents = output_.extents;
  std::vector<std::size_t> wave(extents.size());
  std::string text = "wave numbers";
  for (std::size_t d = 0; d < extents.size(); ++d) {
    wave[d] = extents[d] > 1 ? 1 + random_below(extents[d] / 2, seed, d) : 0;
    text += " " + std::to_string(wave[d]);
  }
  const double phase = output_.count < 100 ? 0 : core::random_uniform(seed, extents.size());
#pragma omp parallel for
  for (std::size_t i = 0; i < output_.count; ++i) {
    double turns = phase;
    std::size_t rest = i;
    for (std::size_t d = extents.size(); d-- > 0;) {
      turns += static_cast<double>(wave[d] * (rest % extents[d]) % extents[d]) / static_cast<double>(extents[d]);
      rest /= extents[d];
    }
    store(output_.type, number(output_.type, right(i)) + amplitude * std::cos(2 * std::numbers::pi * turns), at(i));
  }
  if (std::memcmp(at(0), right(0), output_.count * bytes_) != 0)
    return {true, text + fmt::format(", amplitude {:.3g}", amplitude)};
  return {false, "the amplitude is below the rounding of every element"};
}

}  // namespace speedwell::campaign
