// RanksTeam: the GPUs of all ranks as a team for one pair. For CUDA sources only.
//   RanksTeam team(ranks);
//   GpuPair pair(device);
//   GpuPairSteps steps(pair, query, subject, scoring, {}, false, &team);   // on every rank, with the same sequences
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "speedwell/apps/alignment/gpu_team.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/gpu/device_sums.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::alignment {

class RanksTeam final : public GpuTeam {
 public:
  /// Collective. For the current devices of the ranks. `ranks` must outlive the object. Throws core::Unavailable if the
  /// GPUs cannot reach each other's memory, or there are more than 16.
  explicit RanksTeam(const comm::Communicator& ranks);

  int size() const override { return ranks_.size(); }
  int member() const override { return ranks_.rank(); }
  std::unique_ptr<TeamMemory> share(std::size_t bytes) override;
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override { ranks_.gather(mine, all); }
  void barrier(const core::Stream& stream) override { sums_.sum(sum_.data(), 1, stream); }

  /// Seconds that this GPU waited in barriers so far. Waits for the device.
  double seconds() const { return sums_.seconds(); }

 private:
  const comm::Communicator& ranks_;
  comm::DeviceSums sums_;
  core::DeviceBuffer<double> sum_;
};

}  // namespace speedwell::alignment
