// What a wavefront problem would take on ranks that are not here.
#pragma once

#include "speedwell/harness/application.hpp"

namespace speedwell::wavefront {

/// The pipelined sweep over ranks (model.hpp) with the time of a core measured here; the network is as it is described.
harness::Projector projector();

}  // namespace speedwell::wavefront
