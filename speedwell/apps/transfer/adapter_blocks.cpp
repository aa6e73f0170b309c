// The runs of transfer that allocate and free memory.
#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "speedwell/apps/transfer/memory_kinds.hpp"

namespace speedwell::transfer {
namespace {

/// Blocks of one kind of memory, one after the other.
class BlockSource {
 public:
  /// Without a kind: blocks of a memory pool.
  explicit BlockSource(std::optional<Kind> kind) : kind_(kind) {}
  /// Begins with an empty pool. No block may be left.
  void restart() {
    if (!kind_) pool_.emplace();
  }
  Memory take(std::size_t bytes, const core::Stream& stream) const {
    if (kind_) return transfer::take(*kind_, bytes);
    return PoolBlock(bytes, *pool_, stream);
  }
  /// Whether everything has been freed, as far as CUDA tells.
  bool is_empty() const { return !pool_ || pool_->used_bytes() == 0; }

 private:
  std::optional<Kind> kind_;
  std::optional<Pool> pool_;  // outlives its blocks
};

/// What the runs that allocate and free have in common: the blocks' source, and the block that is verified.
class BlocksRun : public TransferRun {
 public:
  BlocksRun(std::shared_ptr<const TransferCase> prepared, std::optional<Kind> kind)
      : TransferRun(std::move(prepared)), source_(kind) {}

  void poison() override {
    TransferRun::poison();
    fresh_ = false;
  }
  void download() override {
    TransferRun::download();
    if (fresh_) download_block();
  }

 protected:
  /// Allocates or frees: what is timed.
  virtual void change_blocks() = 0;
  /// Reads a block by read_back(), unless the blocks are not as they have to be.
  virtual void download_block() = 0;

  void enqueue() override {
    change_blocks();
    fresh_ = true;
  }
  /// Begins with an empty source. No block may be left.
  void restart() {
    stream().synchronize();
    source_.restart();
  }
  Memory take_one() { return source_.take(bytes(), stream()); }
  bool source_is_empty() const { return source_.is_empty(); }
  void fill(Memory& block) { fill_any(block, bytes(), problem().seed, stream()); }
  /// Downloads a block that has been filled.
  void read_back(Memory& block) {
    core::copy_async(result(0).data() + guard_bytes, data(block), bytes(), stream());
    stream().synchronize();
  }

 private:
  BlockSource source_;
  bool fresh_ = false;
};

/// Each execute takes a block and gives back the block of the time before. The block that is left is written and read
/// over its whole length.
class AllocateRun : public BlocksRun {
 public:
  using BlocksRun::BlocksRun;

  void allocate() override {
    held_ = {};
    restart();
  }
  void reset() override {
    TransferRun::reset();
    if (std::holds_alternative<std::monostate>(held_)) held_ = take_one();
    stream().synchronize();
  }

 protected:
  void change_blocks() override {
    for (std::int64_t r = 0; r < problem().repeats; ++r) {
      Memory block = take_one();
      std::swap(held_, block);
    }
  }
  void download_block() override {
    fill(held_);
    read_back(held_);
  }

 private:
  Memory held_;
};

/// Each execute allocates a number of blocks, which are kept until the next one, or frees as many that were allocated
/// before it. After an allocation all blocks are written over their whole length, none in the place of another, and the
/// last one is read; after a free a new block is, and a pool must be empty.
class KeptBlocksRun : public BlocksRun {
 public:
  using BlocksRun::BlocksRun;

  void allocate() override {
    blocks_.clear();
    blocks_.reserve(static_cast<std::size_t>(problem().repeats));
    restart();
  }
  void reset() override {
    TransferRun::reset();
    if (!frees()) blocks_.clear();
    while (frees() && std::cmp_less(blocks_.size(), problem().repeats)) blocks_.push_back(take_one());
    stream().synchronize();
  }

 protected:
  void change_blocks() override {
    if (frees()) {
      blocks_.clear();
      core::check(cudaGetLastError());  // of a free that has failed
    } else {
      for (std::int64_t r = 0; r < problem().repeats; ++r) blocks_.push_back(take_one());
    }
  }
  void download_block() override {
    if (frees()) {
      if (!blocks_.empty() || !source_is_empty()) return;
      blocks_.push_back(take_one());
    } else if (overlap()) {
      return;
    }
    for (Memory& block : blocks_) fill(block);
    read_back(blocks_.back());
    if (frees()) blocks_.clear();
  }

 private:
  bool frees() const { return problem().operation == Operation::free; }
  bool overlap() {
    std::vector<Byte*> begins;
    for (Memory& block : blocks_) begins.push_back(data(block));
    std::sort(begins.begin(), begins.end());
    return std::adjacent_find(begins.begin(), begins.end(),
                              [&](const Byte* one, const Byte* next) { return next < one + bytes(); }) != begins.end();
  }

  std::vector<Memory> blocks_;
};

}  // namespace

std::unique_ptr<harness::Run> block_run(std::shared_ptr<const TransferCase> prepared, std::optional<Kind> kind) {
  if (prepared->problem.operation == Operation::allocate)
    return std::make_unique<AllocateRun>(std::move(prepared), kind);
  return std::make_unique<KeptBlocksRun>(std::move(prepared), kind);
}

}  // namespace speedwell::transfer
