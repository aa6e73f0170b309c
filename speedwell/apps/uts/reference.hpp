// The oracle: the definition, written a second time. It shares nothing with what it judges: SHA-1 of bytes, and the
// formulas of the children in floating point at every node.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "speedwell/apps/uts/tree.hpp"

namespace speedwell::uts::reference {

using Digest = std::array<std::uint8_t, 20>;

/// SHA-1 of a message of any length (FIPS 180-4).
Digest sha1(std::span<const std::uint8_t> message);

Digest root(std::uint32_t seed);
Digest child(const Digest& parent, std::uint32_t number);
/// How many children a node has: one logarithm or comparison, no table.
int children(const Tree& tree, std::int64_t depth, const Digest& node);

/// Depth first on one thread, one node after another. Throws std::invalid_argument as require_valid(), and
/// std::bad_alloc.
Counts search(const Tree& tree);

}  // namespace speedwell::uts::reference
