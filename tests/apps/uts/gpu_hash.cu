#include "speedwell/apps/uts/sha1.hpp"
#include "speedwell/core/cuda.hpp"
#include "tests/apps/uts/gpu_hash.hpp"

namespace speedwell::uts {
namespace {

struct Message {
  std::size_t first, count;  // blocks
};

__global__ void hash_kernel(const Message* messages, const std::uint32_t* words, std::uint32_t* digests) {
  const Message message = messages[threadIdx.x];
  Digest<std::uint32_t> chain = initial_digest<std::uint32_t>();
  for (std::size_t b = message.first; b < message.first + message.count; ++b) {
    std::uint32_t block[16];
    for (int k = 0; k < 16; ++k) block[k] = words[16 * b + static_cast<std::size_t>(k)];
    chain = compressed(chain, block);
  }
  for (int k = 0; k < 5; ++k) digests[5 * threadIdx.x + static_cast<unsigned>(k)] = chain.h[k];
}

}  // namespace

std::vector<std::array<std::uint32_t, 5>> hashed_on_device(const std::vector<FipsVector>& vectors) {
  std::vector<Message> messages;
  std::vector<std::uint32_t> words;
  for (const FipsVector& vector : vectors) {
    messages.push_back({words.size() / 16, vector.blocks.size()});
    for (const auto& block : vector.blocks) words.insert(words.end(), block.begin(), block.end());
  }
  const core::Stream stream;
  core::DeviceBuffer<Message> device_messages(messages.size());
  core::DeviceBuffer<std::uint32_t> device_words(words.size()), device_digests(5 * vectors.size());
  core::copy_async(device_messages.data(), messages.data(), messages.size(), stream);
  core::copy_async(device_words.data(), words.data(), words.size(), stream);
  hash_kernel<<<1, static_cast<unsigned>(vectors.size()), 0, stream.get()>>>(
      device_messages.data(), device_words.data(), device_digests.data());
  core::check(cudaGetLastError());
  std::vector<std::array<std::uint32_t, 5>> digests(vectors.size());
  core::copy_async(digests.data()->data(), static_cast<const std::uint32_t*>(device_digests.data()), 5 * digests.size(),
                   stream);
  stream.synchronize();
  return digests;
}

}  // namespace speedwell::uts
