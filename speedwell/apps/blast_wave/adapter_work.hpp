// What variants of blast_wave compute and move, for limits and for the model of scaling: functions of the adapter.
#pragma once

#include <functional>

#include "speedwell/apps/blast_wave/ladder.hpp"
#include "speedwell/harness/division_model.hpp"
#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::blast_wave {

/// The work of a problem without blocks, and with all that iterations read and write on the chip.
harness::Work work(const harness::Problem& problem);
/// The work of a variant whose products read their blocks from `blocks`.
std::function<harness::Work(const harness::Problem&)> with(BlockSource blocks);
/// What one of `parts` ranks, or GPUs, computes and sends. Throws std::invalid_argument for a problem that cannot be
/// divided so, or whose iterations are not known.
harness::Division divide(const harness::Problem& problem, const harness::Variant& variant, int parts);

}  // namespace speedwell::blast_wave
