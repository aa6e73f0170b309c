#include "speedwell/apps/transfer/transfer.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

#include "speedwell/core/parts.hpp"
#include "speedwell/core/random.hpp"

namespace speedwell::transfer {
namespace {

// One thread for less than 256 KiB, which a core copies in less time than it takes to start another thread.
template <class Part>
void parallel_for(std::size_t n, int threads, const Part& part) {
  core::parallel_for(n, 1, threads, part, std::size_t{256} << 10);
}

std::int64_t wrong_bytes(std::span<const unsigned char> payload, std::uint64_t seed) {
  const auto words = static_cast<std::int64_t>(payload.size() / 8);
  std::int64_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
  for (std::int64_t w = 0; w < words; ++w) {
    const std::uint64_t expected = core::random_bits(seed, static_cast<std::uint64_t>(w));
    const unsigned char* got = payload.data() + 8 * w;
    if (std::memcmp(got, &expected, 8) == 0) continue;
    unsigned char bytes[8];
    std::memcpy(bytes, &expected, 8);
    for (int b = 0; b < 8; ++b) wrong += got[b] != bytes[b];
  }
  const std::uint64_t last = core::random_bits(seed, static_cast<std::uint64_t>(words));
  unsigned char bytes[8];
  std::memcpy(bytes, &last, 8);
  for (std::size_t b = 0; b < payload.size() % 8; ++b)
    wrong += payload[8 * static_cast<std::size_t>(words) + b] != bytes[b];
  return wrong;
}

}  // namespace

void fill_pattern(std::span<unsigned char> payload, std::uint64_t seed, int threads) {
  parallel_for(payload.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; at += 8) {  // shares begin on page and hence word boundaries
      const std::uint64_t word = core::random_bits(seed, at / 8);
      std::memcpy(payload.data() + at, &word, std::min<std::size_t>(8, end - at));
    }
  });
}

void guard_block(std::span<unsigned char> block) {
  if (block.empty()) return;
  std::memset(block.data(), guard_byte, guard_bytes);
  std::memset(block.data() + block.size() - guard_bytes, guard_byte, guard_bytes);
}
void poison_block(std::span<unsigned char> block, int threads) {
  parallel_for(block.size(), threads,
               [&](std::size_t begin, std::size_t end) { std::memset(block.data() + begin, 0xFF, end - begin); });
  guard_block(block);
}

std::size_t blocks_of(Operation operation) {
  return operation == Operation::duplex || operation == Operation::peer_duplex ? 2 : 1;
}

core::Verdict verify(const Problem& problem, const std::vector<std::span<const unsigned char>>& blocks) {
  constexpr const char* oracle = "position-dependent pattern between guards, number of wrong bytes";
  const std::size_t expected_size = block_bytes(problem.payload_bytes());
  if (blocks.size() != blocks_of(problem.operation)) return {false, static_cast<double>(expected_size), 0, oracle};
  std::int64_t wrong = 0;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const auto block = blocks[k];
    if (block.size() != expected_size) return {false, static_cast<double>(expected_size), 0, oracle};
    const auto is_wrong = [](unsigned char byte) { return byte != guard_byte; };
    wrong += std::count_if(block.begin(), block.begin() + guard_bytes, is_wrong);
    wrong += std::count_if(block.end() - guard_bytes, block.end(), is_wrong);
    wrong += wrong_bytes(block.subspan(guard_bytes, block.size() - 2 * guard_bytes), problem.seed + k);
  }
  return core::Verdict::from_error(static_cast<double>(wrong), 0, oracle);
}

void host_copy(std::span<const unsigned char> from, std::span<unsigned char> to, int threads) {
  if (from.size() != to.size()) throw std::invalid_argument("transfer: the blocks of a copy have different lengths");
  parallel_for(to.size(), threads, [&](std::size_t begin, std::size_t end) {
    std::memcpy(to.data() + begin, from.data() + begin, end - begin);
  });
}

NewPages::NewPages(std::size_t bytes) {
  if (bytes == 0) return;
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  block_ = {static_cast<unsigned char*>(pages), bytes};
}
NewPages::~NewPages() {
  if (!block_.empty()) munmap(block_.data(), block_.size());
}

void touch(std::span<unsigned char> block, int threads) {
  parallel_for(block.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; at += 4096) *static_cast<volatile unsigned char*>(block.data() + at) = 1;
  });
}

}  // namespace speedwell::transfer
