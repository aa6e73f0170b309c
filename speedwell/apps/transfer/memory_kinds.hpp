// The kinds of memory between which transfer moves blocks, and which it allocates and frees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <variant>

#include "speedwell/apps/transfer/adapter_run.hpp"
#include "speedwell/apps/transfer/cuda.hpp"

namespace speedwell::transfer {

using Pinned = core::PinnedBuffer<Byte>;
using WriteCombined = core::WriteCombinedBuffer<Byte>;
using Device = core::DeviceBuffer<Byte>;
using Memory = std::variant<std::monostate, Pageable, Pinned, WriteCombined, Device, PoolBlock>;

enum class Kind { pageable, pinned, write_combined, device };

inline Memory take(Kind kind, std::size_t bytes) {
  switch (kind) {
    case Kind::pageable:
      return Pageable(bytes);
    case Kind::pinned:
      return Pinned(bytes);
    case Kind::write_combined:
      return WriteCombined(bytes);
    case Kind::device:
      return Device(bytes);
  }
  throw std::logic_error("transfer: a kind of memory without its buffer");
}
inline Byte* data(Memory& memory) {
  return std::visit(
      [](auto& block) -> Byte* {
        if constexpr (std::is_same_v<std::decay_t<decltype(block)>, std::monostate>)
          return nullptr;
        else
          return block.data();
      },
      memory);
}
inline bool on_device(const Memory& memory) {
  return std::holds_alternative<Device>(memory) || std::holds_alternative<PoolBlock>(memory);
}
/// guard_block() and poison_block() of either side's memory, on `stream`.
inline void guard_any(Memory& memory, std::size_t size, const core::Stream& stream) {
  Byte* const block = data(memory);
  if (!on_device(memory)) return guard_block({block, size});
  guard_block_async(block, size, stream);
}
inline void poison_any(Memory& memory, std::size_t size, const core::Stream& stream) {
  Byte* const block = data(memory);
  if (!on_device(memory)) return poison_block({block, size});
  core::check(cudaMemsetAsync(block, 0xFF, size, stream.get()));
  guard_any(memory, size, stream);
}

/// fill_pattern() of either side's memory, on `stream`.
inline void fill_any(Memory& memory, std::size_t bytes, std::uint64_t seed, const core::Stream& stream) {
  if (on_device(memory))
    fill_pattern_async(data(memory), bytes, seed, stream);
  else
    fill_pattern({data(memory), bytes}, seed);
}

/// The run of allocate, allocate-kept or free. Without a kind: of blocks of a memory pool.
std::unique_ptr<harness::Run> block_run(std::shared_ptr<const TransferCase> prepared, std::optional<Kind> kind);

}  // namespace speedwell::transfer
