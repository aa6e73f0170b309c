// Bytes that transforms move through memory, counted in passes: a pass reads the data once and writes it once. What
// limits are computed from, here and in programs that are made of transforms.
#pragma once

#include <cstddef>
#include <string_view>

#include "speedwell/apps/fft/direction.hpp"
#include "speedwell/apps/fft/fft.hpp"
#include "speedwell/apps/fft/rows.hpp"
#include "speedwell/apps/fft/study.hpp"

namespace speedwell::fft {

struct Traffic {
  double read = 0, written = 0;
};

/// The fewest passes: one where a transform of the batch fits a core's caches or a cluster's shared memory, which here
/// is 4 MiB, and two beyond.
Traffic best_traffic(Kind kind, Direction direction, const Shape& shape, std::size_t real_bytes);

/// Plan and RealPlan: rows together with the columns of their plane where that is at most 4 MiB, else axis by axis.
Traffic host_traffic(Kind kind, Direction direction, const Shape& shape, std::size_t real_bytes);

/// GpuPlan and GpuRealPlan by a step of gpu_ladder.hpp, on a device with clusters.
Traffic gpu_traffic(Kind kind, Direction direction, const Shape& shape, std::string_view step, std::size_t real_bytes);

/// StudyTransform, of one dimension: a pass for every stage, and those that copy and reorder. Of the recursive one,
/// whose stages stay in whatever cache holds their part, the fewest passes.
Traffic study_traffic(Algorithm algorithm, const Shape& shape, std::size_t real_bytes);

}  // namespace speedwell::fft
