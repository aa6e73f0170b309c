#include "speedwell/apps/alignment/gpu_team_of_ranks.hpp"
#include "speedwell/comm/gpu/peer_memory.hpp"

namespace speedwell::alignment {
namespace {

struct RanksMemory final : TeamMemory {
  comm::PeerMemory memory;
  RanksMemory(const comm::Communicator& ranks, std::size_t bytes) : memory(ranks, bytes) {
    for (int rank = 0; rank < ranks.size(); ++rank) of_member.push_back(memory.of(rank));
  }
};

}  // namespace

RanksTeam::RanksTeam(const comm::Communicator& ranks) : ranks_(ranks), sums_(ranks), sum_(1) {
  core::check(cudaMemset(sum_.data(), 0, sum_.bytes()));
  core::check(cudaDeviceSynchronize());
}

std::unique_ptr<TeamMemory> RanksTeam::share(std::size_t bytes) { return std::make_unique<RanksMemory>(ranks_, bytes); }

}  // namespace speedwell::alignment
