// When stores should go past the caches.
#pragma once

#include <cstdint>

namespace speedwell::core {

/// Whether they are faster so in work that touches `working_set_bytes` in all, and writes whole arrays.
bool streaming_wins(std::int64_t working_set_bytes);

}  // namespace speedwell::core
