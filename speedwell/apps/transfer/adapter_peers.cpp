// The variants of transfer that move blocks between two GPUs of this process.
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/transfer/adapter.hpp"
#include "speedwell/apps/transfer/adapter_run.hpp"
#include "speedwell/apps/transfer/cuda.hpp"
#include "speedwell/core/cuda/device_guard.hpp"
#include "speedwell/core/cuda/peer_access.hpp"

namespace speedwell::transfer {
namespace {

enum class PeerMover { copy_engine, load, store };

/// A stream and an event of a GPU that need not be the current one.
class Worker {
 public:
  explicit Worker(int gpu) : Worker(gpu, core::DeviceGuard(gpu)) {}
  const int device;
  core::Stream stream;
  core::Event finished;

 private:
  Worker(int gpu, const core::DeviceGuard&) : device(gpu) {}  // the GPU is current while the members are made
};

/// peer and peer-duplex: one block, or two at once, from one GPU to another. The GPU that works on block k, k = 0 being
/// the one of the context, sends it by a copy engine or by a kernel that stores, or fetches it by a kernel that loads.
class PeerRun : public TransferRun {
 public:
  PeerRun(std::shared_ptr<const TransferCase> prepared, int device, int peer, PeerMover mover)
      : TransferRun(std::move(prepared)), access_(device, peer), mover_(mover), home_(device), other_(peer) {}

  void allocate() override {
    blocks_.clear();
    filled_ = false;
    for (std::size_t k = 0; k < blocks_of(problem().operation); ++k) {
      Block block;
      {
        const core::DeviceGuard guard(source(k).device);
        block.from = core::DeviceBuffer<Byte>(bytes());
      }
      const core::DeviceGuard guard(target(k).device);
      block.to = core::DeviceBuffer<Byte>(block_bytes(problem().payload_bytes()));
      blocks_.push_back(std::move(block));
    }
  }
  void reset() override {
    if (filled_) return;  // no transfer changes its source, nor what is around its target
    TransferRun::reset();
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      guard_target(k);
      const core::DeviceGuard guard(source(k).device);
      fill_pattern_async(blocks_[k].from.data(), bytes(), problem().seed + k, source(k).stream);
    }
    wait_for_both();
    filled_ = true;
  }
  void poison() override {
    TransferRun::poison();
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      {
        const core::DeviceGuard guard(target(k).device);
        core::fill_bytes_async(blocks_[k].to, 0xFF, target(k).stream);
      }
      guard_target(k);
    }
    wait_for_both();
  }
  void download() override {
    TransferRun::download();
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      const core::DeviceGuard guard(target(k).device);
      core::copy_async(result(k).data(), blocks_[k].to.data(), result(k).size(), target(k).stream);
      target(k).stream.synchronize();
    }
  }

 protected:
  void enqueue() override {
    const bool both = blocks_.size() > 1;
    if (both) {
      start_.record(stream());
      core::check(cudaStreamWaitEvent(other_.stream.get(), start_.get(), 0));
    }
    for (std::int64_t r = 0; r < problem().repeats; ++r)
      for (std::size_t k = 0; k < blocks_.size(); ++k) move(k, k == 0 ? stream() : other_.stream);
    if (both) {
      other_.finished.record(other_.stream);
      core::check(cudaStreamWaitEvent(stream().get(), other_.finished.get(), 0));
    }
  }

 private:
  struct Block {
    core::DeviceBuffer<Byte> from, to;
  };

  Worker& worker(std::size_t k) { return k == 0 ? home_ : other_; }
  Worker& source(std::size_t k) { return worker(mover_ == PeerMover::load ? 1 - k : k); }
  Worker& target(std::size_t k) { return worker(mover_ == PeerMover::load ? k : 1 - k); }

  // `on` is a stream of the GPU that works on block k.
  void move(std::size_t k, const core::Stream& on) {
    Block& block = blocks_[k];
    const core::DeviceGuard guard(worker(k).device);
    if (mover_ == PeerMover::copy_engine)
      core::check(cudaMemcpyPeerAsync(block.to.data() + guard_bytes, target(k).device, block.from.data(),
                                      source(k).device, bytes(), on.get()));
    else
      copy_by_kernel(block.to.data() + guard_bytes, block.from.data(), bytes(), on);
  }
  void guard_target(std::size_t k) {
    const core::DeviceGuard guard(target(k).device);
    guard_block_async(blocks_[k].to.data(), blocks_[k].to.size(), target(k).stream);
  }
  void wait_for_both() const {
    home_.stream.synchronize();
    other_.stream.synchronize();
  }

  core::PeerAccess access_;  // outlives the blocks
  PeerMover mover_;
  Worker home_, other_;
  std::vector<Block> blocks_;
  bool filled_ = false;
  core::Event start_;
};

std::optional<std::string> peers_missing() {
  const int count = core::device_count();
  if (count < 2) return "needs two GPUs, and this process sees " + std::to_string(count);
  for (int device = 0; device < count; ++device)
    if (core::first_peer(device)) return std::nullopt;
  return "no two GPUs here can access each other's memory";
}

harness::Binding between_gpus(const char* name, PeerMover mover) {
  const auto make = [mover](std::shared_ptr<const harness::Workload> prepared,
                            const harness::Context& context) -> std::unique_ptr<harness::Run> {
    core::check(cudaSetDevice(context.device));
    const int peer = context.peer >= 0 ? context.peer : core::first_peer(context.device).value_or(-1);
    if (peer < 0)
      throw core::Unavailable("GPU " + std::to_string(context.device) + " cannot access the memory of another GPU");
    return std::make_unique<PeerRun>(std::static_pointer_cast<const TransferCase>(std::move(prepared)), context.device,
                                     peer, mover);
  };
  return {name, make, peers_missing};
}

}  // namespace

std::vector<harness::Binding> peer_runs() {
  return {between_gpus("cuda-peer-copy", PeerMover::copy_engine), between_gpus("cuda-peer-load", PeerMover::load),
          between_gpus("cuda-peer-store", PeerMover::store)};
}

}  // namespace speedwell::transfer
