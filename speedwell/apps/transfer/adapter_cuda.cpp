// The GPU ways of transfer.
#include <optional>
#include <utility>
#include <vector>

#include "speedwell/apps/transfer/adapter.hpp"
#include "speedwell/apps/transfer/adapter_run.hpp"
#include "speedwell/apps/transfer/cuda.hpp"
#include "speedwell/apps/transfer/memory_kinds.hpp"
#include "speedwell/core/cuda/cuda_graph.hpp"
#include "speedwell/core/random.hpp"

namespace speedwell::transfer {
namespace {

// threads: core::copy_async, which all threads stage.
enum class Mover { driver, threads, kernel };

/// upload, download, copy and duplex: one or two blocks copied from one kind of memory to another; two on two streams.
class CopyRun : public TransferRun {
 public:
  struct Path {
    Kind from, to;
  };
  CopyRun(std::shared_ptr<const TransferCase> prepared, std::vector<Path> paths, Mover mover)
      : TransferRun(std::move(prepared)), paths_(std::move(paths)), mover_(mover) {}

  void allocate() override {
    from_.clear();
    to_.clear();
    filled_ = false;
    for (const Path& path : paths_) {
      from_.push_back(take(path.from, bytes()));
      to_.push_back(take(path.to, block_bytes(problem().payload_bytes())));
    }
  }
  void reset() override {
    if (filled_) return;  // no copy changes its source, nor what is around its target
    TransferRun::reset();
    for (Memory& block : to_) guard_any(block, block_bytes(problem().payload_bytes()), stream());
    for (std::size_t k = 0; k < from_.size(); ++k) fill_any(from_[k], bytes(), problem().seed + k, stream());
    stream().synchronize();
    filled_ = true;
  }
  void poison() override {
    TransferRun::poison();
    for (Memory& block : to_) poison_any(block, block_bytes(problem().payload_bytes()), stream());
    stream().synchronize();
    if (mover_ == Mover::threads) overwrite_staging();
  }
  void download() override {
    TransferRun::download();
    for (std::size_t k = 0; k < to_.size(); ++k)
      core::copy_async(result(k).data(), data(to_[k]), result(k).size(), stream());
    stream().synchronize();
  }

 protected:
  void enqueue() override {
    if (to_.size() > 1) {
      start_.record(stream());
      core::check(cudaStreamWaitEvent(side_.get(), start_.get(), 0));
    }
    for (std::int64_t r = 0; r < problem().repeats; ++r)
      for (std::size_t k = 0; k < to_.size(); ++k) {
        const core::Stream& on = k == 0 ? stream() : side_;
        Byte* const to = data(to_[k]) + guard_bytes;
        const Byte* const from = data(from_[k]);
        switch (mover_) {
          case Mover::kernel:
            copy_by_kernel(to, from, bytes(), on);
            break;
          case Mover::driver:
            core::copy_by_driver_async(to, from, bytes(), on);
            break;
          case Mover::threads:
            core::copy_async(to, from, bytes(), on);
            break;
        }
      }
    if (to_.size() > 1) {
      finish_.record(side_);
      core::check(cudaStreamWaitEvent(stream().get(), finish_.get(), 0));
    }
  }

 private:
  // What the last copies left in the page-locked buffers would hide a transfer that is not waited for.
  void overwrite_staging() {
    constexpr std::size_t all_buffers = std::size_t{32} << 20;
    const std::vector<Byte> other(all_buffers, 0xFF);
    core::DeviceBuffer<Byte> nowhere(all_buffers);
    core::copy_async(nowhere.data(), other.data(), all_buffers, stream());
    stream().synchronize();
  }

  std::vector<Path> paths_;
  Mover mover_;
  std::vector<Memory> from_, to_;
  bool filled_ = false;
  core::Stream side_;
  core::Event start_, finish_;
};

/// launch and synchronise: kernel r stores word r of the pattern.
class LaunchRun : public TransferRun {
 public:
  enum class Wait { never, stream, event, flag };
  LaunchRun(std::shared_ptr<const TransferCase> prepared, bool as_graph, Wait wait)
      : TransferRun(std::move(prepared)), as_graph_(as_graph), wait_(wait) {}

  void allocate() override {
    const std::size_t size = block_bytes(problem().payload_bytes());
    block_ = take(wait_ == Wait::flag ? Kind::pinned : Kind::device, size);
    if (as_graph_) graph_ = core::Graph(stream(), [&] { launch_all(); });
  }
  void reset() override {
    TransferRun::reset();
    guard_any(block_, block_bytes(problem().payload_bytes()), stream());
    stream().synchronize();
  }
  void poison() override {
    TransferRun::poison();
    poison_any(block_, block_bytes(problem().payload_bytes()), stream());
    stream().synchronize();
  }
  void download() override {
    TransferRun::download();
    core::copy_async(result(0).data(), data(block_), result(0).size(), stream());
    stream().synchronize();
  }

 protected:
  void enqueue() override {
    if (as_graph_)
      graph_.launch(stream());
    else
      launch_all();
  }

 private:
  std::uint64_t* words() { return reinterpret_cast<std::uint64_t*>(data(block_) + guard_bytes); }
  void launch_all() {
    for (std::int64_t r = 0; r < problem().repeats; ++r) {
      const std::uint64_t word = core::random_bits(problem().seed, static_cast<std::uint64_t>(r));
      store_word(words() + r, word, stream());
      switch (wait_) {
        case Wait::never:
          break;
        case Wait::stream:
          stream().synchronize();
          break;
        case Wait::event:
          done_.record(stream());
          done_.synchronize();
          break;
        case Wait::flag:
          watch(words() + r, word);
          break;
      }
    }
  }
  // Until the device has written the word. A look at the stream now and then, so that a kernel that failed ends the
  // wait.
  void watch(const volatile std::uint64_t* at, std::uint64_t word) {
    for (unsigned look = 1; *at != word; ++look) {
      if (look % (1u << 16) != 0) continue;
      const cudaError_t status = cudaStreamQuery(stream().get());
      if (status == cudaSuccess) return;  // finished: the word is there, or the verdict says that it is not
      if (status != cudaErrorNotReady) core::check(status);
    }
  }

  bool as_graph_;
  Wait wait_;
  Memory block_;
  core::Graph graph_;
  core::Event done_;
};

using Own = std::shared_ptr<const TransferCase>;
using Made = std::unique_ptr<harness::Run>;

harness::Binding way(const char* name, Made (*make)(Own)) {
  return {name, [make](std::shared_ptr<const harness::Workload> prepared, const harness::Context& context) {
            core::check(cudaSetDevice(context.device));
            return make(std::static_pointer_cast<const TransferCase>(std::move(prepared)));
          }};
}

Made copies(Own own, Kind host, Mover mover = Mover::driver) {
  std::vector<CopyRun::Path> paths;
  const Operation operation = own->problem.operation;
  if (operation != Operation::download) paths.push_back({host, Kind::device});
  if (operation != Operation::upload) paths.push_back({Kind::device, host});
  return std::make_unique<CopyRun>(std::move(own), std::move(paths), mover);
}

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  using Wait = LaunchRun::Wait;
  std::vector<harness::Binding> runs = {
      way("cuda-pageable", [](Own own) { return copies(std::move(own), Kind::pageable); }),
      way("cuda-staged", [](Own own) { return copies(std::move(own), Kind::pageable, Mover::threads); }),
      way("cuda-pinned",
          [](Own own) -> Made {
            if (own->problem.operation == Operation::allocate || own->problem.kept_blocks() > 0)
              return block_run(std::move(own), Kind::pinned);
            return copies(std::move(own), Kind::pinned);
          }),
      way("cuda-write-combined", [](Own own) { return copies(std::move(own), Kind::write_combined); }),
      way("cuda-mapped",
          [](Own own) -> Made {
            if (core::device_attribute(cudaDevAttrCanMapHostMemory) == 0)
              throw core::Unavailable("this GPU cannot map host memory");
            if (own->problem.operation == Operation::synchronise)
              return std::make_unique<LaunchRun>(std::move(own), false, Wait::flag);
            return copies(std::move(own), Kind::pinned, Mover::kernel);
          }),
      way("cuda-device",
          [](Own own) -> Made {
            switch (own->problem.operation) {
              case Operation::allocate:
              case Operation::allocate_kept:
              case Operation::free:
                return block_run(std::move(own), Kind::device);
              case Operation::launch:
                return std::make_unique<LaunchRun>(std::move(own), false, Wait::never);
              case Operation::synchronise:
                return std::make_unique<LaunchRun>(std::move(own), false, Wait::stream);
              default:
                break;
            }
            return std::make_unique<CopyRun>(std::move(own), std::vector<CopyRun::Path>{{Kind::device, Kind::device}},
                                             Mover::driver);
          }),
      way("cuda-pool", [](Own own) -> Made { return block_run(std::move(own), std::nullopt); }),
      way("cuda-graph", [](Own own) -> Made { return std::make_unique<LaunchRun>(std::move(own), true, Wait::never); }),
      way("cuda-event",
          [](Own own) -> Made { return std::make_unique<LaunchRun>(std::move(own), false, Wait::event); }),
  };
  for (harness::Binding& run : peer_runs()) runs.push_back(std::move(run));
  return runs;
}

}  // namespace speedwell::transfer
