#include <string>

#include "speedwell/comm/gpu/peer_flags.hpp"
#include "speedwell/comm/gpu/timeout.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/numerics/fft/ranks/rank_flags.hpp"

namespace speedwell::fft::gpu {
namespace {

/// The flags of all ranks, in the memory of the rank that reads them.
struct Flags {
  unsigned long long* flag[RankFlags::max_ranks] = {};
};

/// Thread r sets flag r: what earlier kernels of the stream have stored is visible to who waits for it.
__global__ void tell_kernel(const __grid_constant__ Flags flags, int ranks, unsigned long long number) {
  if (static_cast<int>(threadIdx.x) >= ranks) return;
  __threadfence_system();
  comm::store_release(flags.flag[threadIdx.x], number);
}
__global__ void wait_kernel(const unsigned long long* flags, int ranks, unsigned long long number, int* timed_out) {
  if (static_cast<int>(threadIdx.x) < ranks) comm::wait_for_flag(flags + threadIdx.x, number, timed_out);
}

std::size_t bytes_of(const comm::Communicator& ranks, int kinds) {
  if (ranks.size() > RankFlags::max_ranks)
    throw core::Unavailable("fft: " + std::to_string(ranks.size()) + " GPUs; at most " +
                            std::to_string(RankFlags::max_ranks));
  return static_cast<std::size_t>(kinds * RankFlags::max_ranks) * sizeof(unsigned long long);
}

}  // namespace

RankFlags::RankFlags(const comm::Communicator& ranks, int kinds)
    : ranks_(ranks), window_(ranks, bytes_of(ranks, kinds)), timed_out_(1) {
  core::check(cudaMemset(timed_out_.data(), 0, timed_out_.bytes()));
  core::check(cudaDeviceSynchronize());
}

void RankFlags::tell(int kind, unsigned long long number, cudaStream_t stream) const {
  Flags flags;
  for (int r = 0; r < ranks_.size(); ++r) flags.flag[r] = flags_of(r, kind) + ranks_.rank();
  tell_kernel<<<1, max_ranks, 0, stream>>>(flags, ranks_.size(), number);
  core::check(cudaGetLastError());
}

void RankFlags::wait(int kind, unsigned long long number, cudaStream_t stream) const {
  wait_kernel<<<1, max_ranks, 0, stream>>>(flags_of(ranks_.rank(), kind), ranks_.size(), number,
                                           const_cast<int*>(timed_out_.data()));
  core::check(cudaGetLastError());
}

void RankFlags::check(const core::Stream& stream, const char* purpose) const {
  comm::throw_if_late(timed_out_.data(), "a rank", purpose, stream);
}

}  // namespace speedwell::fft::gpu
