#include "speedwell/harness/measurement/answer_digest.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "speedwell/harness/measurement/element_bytes.hpp"

namespace speedwell::harness {
namespace {

// Threads hash parts of this length of an output that is longer; its hash is that of theirs.
constexpr std::size_t hashed_part = std::size_t{16} << 20;  // bytes

XXH64_hash_t hash_of(const void* data, std::size_t bytes, XXH64_hash_t seed) {
  if (bytes <= hashed_part) return XXH3_64bits_withSeed(data, bytes, seed);
  std::vector<XXH64_hash_t> parts((bytes - 1) / hashed_part + 1);
  const auto* const first = static_cast<const unsigned char*>(data);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i] = XXH3_64bits_withSeed(first + i * hashed_part, std::min(hashed_part, bytes - i * hashed_part), seed);
  return XXH3_64bits_withSeed(parts.data(), parts.size() * sizeof(parts[0]), seed);
}

}  // namespace

std::string answer_digest(const std::vector<Output>& outputs) {
  XXH64_hash_t hash = 0;
  for (const Output& o : outputs) hash = hash_of(o.data, o.count * element_bytes(o.type), hash);
  return fmt::format("xxh3:{:016x}", hash);
}

}  // namespace speedwell::harness
