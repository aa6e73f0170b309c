#include "speedwell/apps/npb/ft/field.hpp"

#include "speedwell/apps/npb/random.hpp"

namespace speedwell::npb::ft {

void fill_initial(std::int64_t first, std::span<std::complex<double>> u) {
  Random random(seed);
  random.skip(static_cast<std::uint64_t>(2 * first));
  for (std::complex<double>& z : u) {
    const double re = random.next();
    z = {re, random.next()};
  }
}

}  // namespace speedwell::npb::ft
