#pragma once

#include "speedwell/apps/uts/hashing.hpp"

namespace speedwell::uts::sha_ni {

/// Not to be used on a processor without the SHA instructions and SSE 4.1.
Hasher hasher();

}  // namespace speedwell::uts::sha_ni
