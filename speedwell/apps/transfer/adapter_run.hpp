// The run of every GPU variant of transfer: the blocks that are checked.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "speedwell/apps/transfer/adapter.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/harness/measurement/gpu_run.hpp"

namespace speedwell::transfer {

using Byte = unsigned char;
using Pageable = core::HostBuffer<Byte>;

/// Enqueues guard_block() of a block of `size` bytes on the device.
inline void guard_block_async(Byte* block, std::size_t size, const core::Stream& stream) {
  core::check(cudaMemsetAsync(block, guard_byte, guard_bytes, stream.get()));
  core::check(cudaMemsetAsync(block + size - guard_bytes, guard_byte, guard_bytes, stream.get()));
}

/// What all GPU variants share: the blocks that are checked, in ordinary memory, with their guards.
class TransferRun : public harness::GpuRun {
 public:
  explicit TransferRun(std::shared_ptr<const TransferCase> prepared)
      : case_(std::move(prepared)), results_(blocks_of(problem().operation)) {
    for (Pageable& result : results_) result = Pageable(block_bytes(problem().payload_bytes()));
  }
  core::Verdict verify() override {
    std::vector<std::span<const Byte>> blocks;
    for (const Pageable& result : results_) blocks.push_back(result.span());
    return transfer::verify(problem(), blocks);
  }
  std::vector<harness::Output> outputs() override {
    std::vector<harness::Output> all;
    const bool peers = problem().operation == Operation::peer_duplex;
    const char* const two[] = {peers ? "first" : "up", peers ? "second" : "down"};
    for (Pageable& result : results_)
      all.push_back(
          {results_.size() == 1 ? "block" : two[all.size()], harness::ElementType::u8, result.data(), result.size()});
    return all;
  }
  void reset() override {
    for (Pageable& result : results_) guard_block(result.span());
  }
  void poison() override {
    if (!downloaded_) return;  // as poisoned as they were
    for (Pageable& result : results_) poison_block(result.span());
    downloaded_ = false;
  }
  void download() override { downloaded_ = true; }

 protected:
  const Problem& problem() const { return case_->problem; }
  std::size_t bytes() const { return static_cast<std::size_t>(problem().payload_bytes()); }
  Pageable& result(std::size_t k) { return results_[k]; }

 private:
  std::shared_ptr<const TransferCase> case_;
  std::vector<Pageable> results_;
  bool downloaded_ = true;  // the results hold something
};

}  // namespace speedwell::transfer
