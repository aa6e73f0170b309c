#include "speedwell/apps/gups/cpu_sort.hpp"

namespace speedwell::gups::SPEEDWELL_ISA {
namespace {

// The compiler divides vectors that are longer than those of the instruction set.
using Words [[gnu::vector_size(sizeof(std::uint64_t) * Segment::lanes)]] = std::uint64_t;
using SignedWords [[gnu::vector_size(sizeof(std::uint64_t) * Segment::lanes)]] = std::int64_t;

// Calls visit(region, x) for every update of a segment. A step is next() of stream.hpp, which is written out: the
// linker would keep one copy of an inline function, perhaps that of another instruction set.
template <class Visit>
[[gnu::always_inline]] inline void each_update(const Segment& segment, const Regions& regions, const Visit& visit) {
  Words x;
  __builtin_memcpy(&x, segment.before, sizeof(x));
  for (std::uint64_t step = 0; step < segment.steps; ++step) {
    x = x << 1 ^ (reinterpret_cast<Words>(reinterpret_cast<SignedWords>(x) >> 63) & 7);
    const Words in = (x & regions.mask) >> regions.shift;
    for (int l = 0; l < Segment::lanes; ++l) visit(in[l], x[l]);
  }
  std::uint64_t last = segment.before_rest;
  for (std::uint64_t n = 0; n < segment.rest; ++n) {
    last = last << 1 ^ (static_cast<std::uint64_t>(static_cast<std::int64_t>(last) >> 63) & 7);
    visit((last & regions.mask) >> regions.shift, last);
  }
}

void count(const Segment& segment, const Regions& regions, std::uint64_t* counts) {
  each_update(segment, regions, [&](std::uint64_t region, std::uint64_t) { ++counts[region]; });
}

void sort(const Segment& segment, const Regions& regions, std::uint64_t* cursors, std::uint64_t* sorted) {
  each_update(segment, regions, [&](std::uint64_t region, std::uint64_t x) { sorted[cursors[region]++] = x; });
}

}  // namespace

extern const SortKernels kernels;
const SortKernels kernels = {count, sort};

}  // namespace speedwell::gups::SPEEDWELL_ISA
