// What moving data and starting work cost: allocation, copies, launches and synchronisation, against size. Every
// operation leaves a block whose bytes are known, so that a fast way that loses a byte is not a way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/core/verdict.hpp"

namespace speedwell::transfer {

enum class Operation {
  upload,       // host to device
  download,     // device to host
  duplex,       // both at once, `bytes` each way
  copy,         // within the memory of the host, or of the device
  allocate,     // one block of device or page-locked memory taken and one given back
  first_touch,  // the same in the host's memory, which is there only when its pages are touched: no counterpart on a
                // device
  launch,       // a kernel that stores one word
  synchronise,  // the same, and the host waits for it
};

struct Problem {
  Operation operation = Operation::upload;
  std::int64_t bytes = 0;    // of each block; launch and synchronise: not used
  std::int64_t repeats = 1;  // operations in one execute
  std::uint64_t seed = 1;

  bool moves_bytes() const { return operation != Operation::launch && operation != Operation::synchronise; }
  /// Bytes of a block that the operation leaves: one word per launch.
  std::int64_t payload_bytes() const { return moves_bytes() ? bytes : 8 * repeats; }
};

/// A block is guard_bytes, the payload, guard_bytes. A page each, so that payloads are as aligned as their block.
inline constexpr std::size_t guard_bytes = 4096;
inline constexpr unsigned char guard_byte = 0xA5;
constexpr std::size_t block_bytes(std::int64_t payload_bytes) {
  return static_cast<std::size_t>(payload_bytes) + 2 * guard_bytes;
}

/// Writes the pattern: the bytes of core::random_bits(seed, 0), (seed, 1) …, in the order of the host's memory.
void fill_pattern(std::span<unsigned char> payload, std::uint64_t seed, int threads = 0);
/// Writes the guards on both sides alone.
void guard_block(std::span<unsigned char> block);
/// Guards on both sides, 0xFF between them: what an operation that does nothing leaves.
void poison_block(std::span<unsigned char> block, int threads = 0);

/// Looks at every byte of every block: the payload must be the pattern of seed + its number, the guards untouched. The
/// error is the number of wrong bytes, the tolerance 0. A block of the wrong length is wrong altogether.
core::Verdict verify(const Problem& problem, const std::vector<std::span<const unsigned char>>& blocks);
/// How many blocks an operation leaves: 2 for duplex (up, down), else 1.
std::size_t blocks_of(Operation operation);

/// memcpy by one thread, or by several, each with a contiguous part. Throws std::invalid_argument for unequal lengths.
void host_copy(std::span<const unsigned char> from, std::span<unsigned char> to, int threads);
/// Writes one byte of every page, each thread in its part: what makes the operating system find memory for a block.
void touch(std::span<unsigned char> block, int threads);

}  // namespace speedwell::transfer
