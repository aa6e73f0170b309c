// What the models say that a wavefront problem takes: on the ranks and the GPU of a run, and on others.
#pragma once

#include "speedwell/harness/application.hpp"

namespace speedwell::wavefront {

/// The pipelined sweep (model.hpp) over ranks, with the time of a core measured here, and over GPUs, with that of
/// tiles; the network is as it is described, or as it is between the ranks of this run.
harness::Projector projector();

/// What they say of `mpi` on the context's ranks, all of which call it, and of `cuda` on its device.
harness::Prediction predict_on_ranks(const harness::Problem& problem, const harness::Context& context);
harness::Prediction predict_on_gpu(const harness::Problem& problem, const harness::Context& context);

}  // namespace speedwell::wavefront
