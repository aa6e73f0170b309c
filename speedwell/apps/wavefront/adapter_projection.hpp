// What a wavefront problem would take on ranks and GPUs that are not here.
#pragma once

#include "speedwell/harness/application.hpp"

namespace speedwell::wavefront {

/// The pipelined sweep (model.hpp) over ranks, with the time of a core measured here, and over GPUs, with that of
/// tiles; the network is as it is described, or as it is between the ranks of this run.
harness::Projector projector();

}  // namespace speedwell::wavefront
