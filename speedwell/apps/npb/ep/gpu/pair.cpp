#include "speedwell/apps/npb/ep/gpu/pair.hpp"

namespace speedwell::npb::ep {

std::vector<Segment> segments() {
  std::vector<Segment> table(segment_count);
  constexpr int first_of_one = (segment_powers - 1) * segments_per_power;  // the segment that begins with 1
  for (int i = 0; i < segment_count; ++i) {
    const double middle = 1 + (i % segments_per_power + 0.5) / segments_per_power;
    const bool next_to_one = i == first_of_one - 1 || i == first_of_one;
    const double c = next_to_one ? 1.0 : std::ldexp(middle, i / segments_per_power - (segment_powers - 1));
    table[static_cast<std::size_t>(i)] = {1 / c, 2 * std::log(1 / c)};
  }
  table[first_of_one].logarithm = 0x1p-200;
  return table;
}

}  // namespace speedwell::npb::ep
