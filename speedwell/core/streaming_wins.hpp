// Whether stores that bypass the caches are the faster ones for arrays of some size.
#pragma once

#include <cstdint>

namespace speedwell::core {

/// Whether non-temporal (streaming) stores are expected to be faster than stores through the caches in a kernel that
/// accesses `working_set_bytes` in total: whether these exceed this system's share of the last-level cache.
bool streaming_wins(std::int64_t working_set_bytes);

}  // namespace speedwell::core
