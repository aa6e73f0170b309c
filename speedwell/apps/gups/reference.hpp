// The oracle: the table after all updates, from the definition, spelled out without stream.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace speedwell::gups::reference {

/// Words x_0 ... x_n of the stream, one after another.
std::vector<std::uint64_t> stream(std::uint64_t n);

/// XORs updates 1 ... `updates` into `table`, whose size is a power of two: what RandomAccess does, and, a second time,
/// what its verification does. `threads` threads each own a part of the table; all go through the whole stream.
void replay(std::span<std::uint64_t> table, std::uint64_t updates, int threads);

}  // namespace speedwell::gups::reference
