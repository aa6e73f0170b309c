#include "speedwell/comm/gpu/peer_memory.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <span>
#include <utility>

#include "speedwell/comm/placement.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::comm {
namespace {

// Smaller allocations may share a block of the driver's, all of which would be mapped.
constexpr std::size_t granule = std::size_t{2} << 20;

/// Collective. Throws core::Unavailable on all ranks if one has a reason.
void agree(const Communicator& ranks, const std::string& reason) {
  for (const std::string& text : ranks.gather(reason))
    if (!text.empty()) throw core::Unavailable("memory of other GPUs: " + text);
}

std::string text_of(cudaError_t status) {
  if (status == cudaSuccess) return {};
  (void)cudaGetLastError();
  return cudaGetErrorString(status);
}

}  // namespace

PeerMemory::PeerMemory(const Communicator& ranks, std::size_t bytes)
    : ranks_(&ranks), mapped_(static_cast<std::size_t>(ranks.size())) {
  const auto hosts = ranks.gather(host_name());
  if (std::any_of(hosts.begin(), hosts.end(), [&](const std::string& host) { return host != hosts.front(); }))
    throw core::Unavailable("memory of other GPUs: the ranks are on several hosts");
  const std::size_t size = std::max<std::size_t>((bytes + granule - 1) / granule, 1) * granule;
  void* own = nullptr;
  cudaIpcMemHandle_t handle{};
  cudaError_t status = cudaMalloc(&own, size);
  own_ = static_cast<std::byte*>(own);
  if (status == cudaSuccess) status = cudaMemset(own_, 0, size);
  if (status == cudaSuccess) status = cudaDeviceSynchronize();
  if (status == cudaSuccess && ranks.size() > 1) status = cudaIpcGetMemHandle(&handle, own_);
  try {
    agree(ranks, text_of(status));
    std::vector<cudaIpcMemHandle_t> handles(mapped_.size());
    ranks.gather(std::span<const cudaIpcMemHandle_t>(&handle, 1), std::span<cudaIpcMemHandle_t>(handles));
    for (std::size_t r = 0; r < handles.size() && status == cudaSuccess; ++r) {
      if (static_cast<int>(r) == ranks.rank()) {
        mapped_[r] = own_;
        continue;
      }
      void* there = nullptr;
      status = cudaIpcOpenMemHandle(&there, handles[r], cudaIpcMemLazyEnablePeerAccess);
      mapped_[r] = static_cast<std::byte*>(there);
    }
    agree(ranks, text_of(status));
  } catch (...) {
    release();
    throw;
  }
}

PeerMemory::PeerMemory(PeerMemory&& other) noexcept
    : ranks_(std::exchange(other.ranks_, nullptr)),
      own_(std::exchange(other.own_, nullptr)),
      mapped_(std::move(other.mapped_)) {}

PeerMemory& PeerMemory::operator=(PeerMemory&& other) noexcept {
  std::swap(ranks_, other.ranks_);
  std::swap(own_, other.own_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

PeerMemory::~PeerMemory() { release(); }

void PeerMemory::release() {
  if (!ranks_) return;
  (void)cudaDeviceSynchronize();  // no kernel of this rank uses the memory of another any more
  for (std::byte* const there : mapped_)
    if (there && there != own_) cudaIpcCloseMemHandle(there);
  // A rank that failed alone must not wait for the others, which may never come here.
  if (std::uncaught_exceptions() == 0) {
    try {
      ranks_->barrier();
    } catch (...) {  // the job is ending
    }
  }
  if (own_) cudaFree(own_);
  ranks_ = nullptr;
  own_ = nullptr;
}

}  // namespace speedwell::comm
