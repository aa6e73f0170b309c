// Memory of a GPU that kernels of the other GPUs of a team write to, or of one GPU alone, and what of it the sweep of
// one huge pair in bands shares. Included by CUDA sources only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "speedwell/apps/alignment/gpu_pair/band_kernel.hpp"
#include "speedwell/apps/alignment/gpu_team.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::alignment {

class TeamBlock {
 public:
  /// No memory.
  TeamBlock() = default;
  /// `bytes` of the current device. Collective if there is a team.
  TeamBlock(GpuTeam* team, std::size_t bytes) {
    if (team)
      shared_ = team->share(bytes);
    else
      alone_ = core::DeviceBuffer<std::byte>(bytes);
  }
  /// The memory of a member; of one GPU alone, its own.
  std::byte* of(int member) { return shared_ ? shared_->of_member[static_cast<std::size_t>(member)] : alone_.data(); }

 private:
  std::unique_ptr<TeamMemory> shared_;
  core::DeviceBuffer<std::byte> alone_;
};

/// What a GPU keeps for its bands, and the preceding GPU writes: the row above, the progress of the bands above, and
/// the known scores of all.
class BandShare {
 public:
  BandShare() = default;
  BandShare(GpuTeam* team, std::size_t bands, std::size_t chunks)
      : progress_at_(sizeof(unsigned long long) * max_pair_gpus),
        border_at_(aligned(progress_at_ + sizeof(long long) * bands)),
        base_at_(border_at_ + sizeof(std::uint32_t) * chunks * chunk_columns),
        block_(team, bytes(bands, chunks)) {}

  static std::size_t bytes(std::size_t bands, std::size_t chunks) {
    return aligned(sizeof(unsigned long long) * max_pair_gpus + sizeof(long long) * bands) +
           sizeof(std::uint32_t) * chunks * chunk_columns + sizeof(std::int32_t) * (chunks + 2);
  }
  /// Sets the pointers of a launch.
  void connect(GpuTeam* team, BandLaunch& launch) {
    launch.gpu = team ? team->member() : 0;
    launch.gpus = team ? team->size() : 1;
    std::byte *const own = block_.of(launch.gpu), *const next = block_.of((launch.gpu + 1) % launch.gpus);
    const auto known_in = [&](int member) { return reinterpret_cast<unsigned long long*>(block_.of(member)); };
    launch.known_from = known_in(launch.gpu);
    launch.known = launch.known_from + launch.gpu;
    for (int member = 0; member < launch.gpus; ++member) launch.known_to[member] = known_in(member) + launch.gpu;
    launch.progress = reinterpret_cast<long long*>(own + progress_at_);
    launch.progress_below = reinterpret_cast<long long*>(next + progress_at_);
    launch.problem.border = reinterpret_cast<std::uint32_t*>(own + border_at_);
    launch.problem.border_base = reinterpret_cast<std::int32_t*>(own + base_at_);
    launch.problem.border_below = reinterpret_cast<std::uint32_t*>(next + border_at_);
    launch.problem.border_base_below = reinterpret_cast<std::int32_t*>(next + base_at_);
  }

 private:
  static std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

  std::size_t progress_at_ = 0, border_at_ = 0, base_at_ = 0;
  TeamBlock block_;
};

}  // namespace speedwell::alignment
