// What the models say that a wavefront problem takes: on the ranks and the GPU of a run, and on others.
#pragma once

#include "speedwell/apps/wavefront/adapter_workload.hpp"
#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::wavefront {

/// The pipelined sweep (model.hpp) over ranks, with the time of a core measured here, and over GPUs, with that of
/// tiles; the network is as it is described, or as it is between the ranks of this run.
harness::Projector projector();

/// What they say of `mpi` on the context's ranks, all of which call it, of `cuda` on its device, and of `multi` on
/// those of the ranks, all of which call it.
harness::Prediction predict_on_ranks(const harness::Problem& problem, const harness::Context& context);
harness::Prediction predict_on_gpu(const harness::Problem& problem, const harness::Context& context);
harness::Prediction predict_on_gpus(const harness::Problem& problem, const harness::Context& context);

/// The model of tiles (gpu/tile_model.hpp): seconds of a sweep of such a grid on so many GPUs like `device`. Throws
/// core::Unavailable in a build without CUDA and where there is no `device`.
double seconds_on_gpus(const Settings& settings, const Extents& extents, int device, int gpus);

}  // namespace speedwell::wavefront
