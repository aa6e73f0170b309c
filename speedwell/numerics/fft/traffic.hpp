// Bytes that transforms move through memory, counted in passes that read the data once and write it once. Performance
// limits are computed from them, here and in applications that use transforms.
#pragma once

#include <cstddef>
#include <string_view>

#include "speedwell/numerics/fft/cpu/rows.hpp"
#include "speedwell/numerics/fft/direction.hpp"
#include "speedwell/numerics/fft/fft.hpp"

namespace speedwell::fft {

struct Traffic {
  double read = 0, written = 0;
};

/// The minimum number of passes: one if a transform of the batch fits the caches of a core or the shared memory of a
/// cluster, taken as 4 MiB, and otherwise two.
Traffic best_traffic(Kind kind, Direction direction, const Shape& shape, std::size_t real_bytes);

/// Plan and RealPlan: rows together with the columns of their plane if a plane has at most 4 MiB, otherwise axis by
/// axis.
Traffic host_traffic(Kind kind, Direction direction, const Shape& shape, std::size_t real_bytes);

/// GpuPlan and GpuRealPlan with a variant of gpu_ladder.hpp, on a device with clusters.
Traffic gpu_traffic(Kind kind, Direction direction, const Shape& shape, std::string_view step, std::size_t real_bytes);

/// How GpuDistributedPlan moves slabs to other GPUs: its passes send where they can, or slabs are copied.
enum class Exchange { stores, copies };
/// GpuDistributedPlan, of all GPUs together: a pass for each axis, where passes send of the last two in one if their
/// planes stay in the second-level cache, and a pass that copies slabs otherwise.
Traffic gpus_traffic(const Shape& shape, Exchange exchange, std::size_t real_bytes);

}  // namespace speedwell::fft
