// The cost of moving data and starting work: allocation, copies, launches and synchronisation, as a function of size.
// Every operation leaves a block with known contents, so that every byte is verified.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "speedwell/core/verdict.hpp"

namespace speedwell::transfer {

enum class Operation {
  upload,         // host to device
  download,       // device to host
  duplex,         // concurrently in both directions, `bytes` each
  peer,           // from one GPU to another
  peer_duplex,    // concurrently in both directions between two GPUs, `bytes` each
  copy,           // within the memory of the host, or of the device
  allocate,       // allocates one block of device or page-locked memory and frees another
  allocate_kept,  // allocates a block of such memory and keeps it, so that `repeats` are kept at the end
  free,           // frees one of `repeats` blocks that were allocated before
  first_touch,    // allocate in the host's memory, which is there only when its pages are touched: no counterpart on a
                  // device
  launch,         // a kernel that stores one word
  synchronise,    // the same, followed by synchronisation with the host
};

struct Problem {
  Operation operation = Operation::upload;
  std::int64_t bytes = 0;    // bytes per block; not used by launch and synchronise
  std::int64_t repeats = 1;  // operations per execute
  std::uint64_t seed = 1;

  /// Blocks of device or page-locked memory that the operation keeps, or begins with.
  std::int64_t kept_blocks() const {
    return operation == Operation::allocate_kept || operation == Operation::free ? repeats : 0;
  }
  bool moves_bytes() const { return operation != Operation::launch && operation != Operation::synchronise; }
  /// Bytes of a block that the operation writes: one word per launch.
  std::int64_t payload_bytes() const { return moves_bytes() ? bytes : 8 * repeats; }
};

/// A block consists of guard_bytes, the payload, and guard_bytes. The guards are a page each, so that the payload has
/// the alignment of the block.
inline constexpr std::size_t guard_bytes = 4096;
inline constexpr unsigned char guard_byte = 0xA5;
constexpr std::size_t block_bytes(std::int64_t payload_bytes) {
  return static_cast<std::size_t>(payload_bytes) + 2 * guard_bytes;
}

/// Writes the pattern: the bytes of core::random_bits(seed, 0), (seed, 1) …, in the byte order of the host.
void fill_pattern(std::span<unsigned char> payload, std::uint64_t seed, int threads = 0);
/// Writes the guards on both sides only.
void guard_block(std::span<unsigned char> block);
/// Writes the guards and 0xFF between them: the state before an operation.
void poison_block(std::span<unsigned char> block, int threads = 0);

/// Checks every byte of every block: the payload must be the pattern of seed + its number, the guards unchanged. The
/// error is the number of wrong bytes, the tolerance 0. In a block of the wrong length all bytes count as wrong.
core::Verdict verify(const Problem& problem, const std::vector<std::span<const unsigned char>>& blocks);
/// Number of blocks that an operation writes: 2 for duplex (up, down) and peer_duplex, otherwise 1.
std::size_t blocks_of(Operation operation);

/// memcpy by one thread or by several, each with a contiguous share. Throws std::invalid_argument for unequal lengths.
void host_copy(std::span<const unsigned char> from, std::span<unsigned char> to, int threads);
/// Pages of zeros, which the operating system provides when they are touched and takes back with this object. malloc
/// keeps freed memory for its next block, whose pages then are not new.
class NewPages {
 public:
  NewPages() = default;
  /// Throws std::bad_alloc.
  explicit NewPages(std::size_t bytes);
  NewPages(NewPages&& other) noexcept : block_(std::exchange(other.block_, {})) {}
  NewPages& operator=(NewPages&& other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~NewPages();
  std::span<unsigned char> span() const { return block_; }

 private:
  std::span<unsigned char> block_;
};

/// Writes one byte of every page, each thread in its share, which makes the operating system allocate the pages of a
/// block.
void touch(std::span<unsigned char> block, int threads);

}  // namespace speedwell::transfer
