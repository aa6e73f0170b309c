// The oracle: the table after all updates, directly from the definition without stream.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace speedwell::gups::reference {

/// Words x_0 ... x_n of the stream, computed one after another.
std::vector<std::uint64_t> stream(std::uint64_t n);

/// XORs updates 1 ... `updates` into `table`, whose size is a power of two: this is RandomAccess and, applied a second
/// time, its verification. Each of `threads` threads owns a part of the table; all generate the whole stream.
void replay(std::span<std::uint64_t> table, std::uint64_t updates, int threads);

}  // namespace speedwell::gups::reference
