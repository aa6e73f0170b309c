// Dispatch on the compiled block sizes.
#pragma once

#include <stdexcept>
#include <string>

namespace speedwell::sparse {

/// Calls visit<side>() for a side from 2 to 5; throws std::invalid_argument for any other.
template <class Visit>
void with_side(int side, const Visit& visit) {
  switch (side) {
    case 2:
      return visit.template operator()<2>();
    case 3:
      return visit.template operator()<3>();
    case 4:
      return visit.template operator()<4>();
    case 5:
      return visit.template operator()<5>();
    default:
      throw std::invalid_argument("sparse: blocks of side " + std::to_string(side) + "; 2 to 5");
  }
}

}  // namespace speedwell::sparse
