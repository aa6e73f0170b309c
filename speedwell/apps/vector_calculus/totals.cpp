#include "speedwell/apps/vector_calculus/totals.hpp"

namespace speedwell::vector_calculus {

Totals combined(std::span<const Totals> parts) {
  Totals all;
  if (parts.size() <= 8) {
    for (const Totals& part : parts) all.take(part);
    return all;
  }
  const std::size_t half = parts.size() / 2;
  all = combined(parts.first(half));
  all.take(combined(parts.subspan(half)));
  return all;
}

}  // namespace speedwell::vector_calculus
