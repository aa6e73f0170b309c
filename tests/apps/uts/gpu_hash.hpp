// The device's compression of blocks, for the tests.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/apps/uts/fips_vectors.hpp"

namespace speedwell::uts {

/// The digests of the vectors, each hashed by a thread of its own with the device's code.
std::vector<std::array<std::uint32_t, 5>> hashed_on_device(const std::vector<FipsVector>& vectors);

}  // namespace speedwell::uts
