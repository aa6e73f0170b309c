// The arithmetic of a cell on the device against the same functions on the host, on words that wrap and words that do
// not.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "speedwell/apps/alignment/gpu/cell.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::alignment {
namespace {

struct Results {
  std::uint32_t add_max, max3, e[2], f[2], h[2], below[2];  // of rows 0 and 1
  bool operator==(const Results&) const = default;
};

/// `gaps`: the bits that E and F may have.
template <class Arithmetic>
SPEEDWELL_HD
Results compute(std::uint32_t a, std::uint32_t b, std::uint32_t c, const CellConstants& constants, std::uint32_t gaps) {
  Results r{
      Arithmetic::add_max(a, b, c), Arithmetic::max3(a, b, c), {a & gaps, b & gaps}, {b & gaps, c & gaps}, {}, {}};
  const auto scores = Arithmetic::scores(a, b, constants);
  r.below[0] = Arithmetic::template cell<0>(r.e[0], r.f[0], b, c, a, scores, constants, r.h[0]);
  r.below[1] = Arithmetic::template cell<1>(r.e[1], r.f[1], c, a, b, scores, constants, r.h[1]);
  return r;
}

template <class Arithmetic>
__global__ void compute_kernel(const std::uint32_t* words, Results* results, std::size_t size, CellConstants constants,
                               std::uint32_t gaps) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) results[i] = compute<Arithmetic>(words[3 * i], words[3 * i + 1], words[3 * i + 2], constants, gaps);
}

/// `mask`: the bits that words may have.
template <class Arithmetic>
void expect_equal_on_both(std::uint64_t seed, std::uint32_t mask = 0xffffffffu, std::uint32_t gaps = 0xffffffffu) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  std::mt19937_64 random(seed);
  constexpr std::size_t size = 4096;
  const std::uint32_t corners[] = {0u,          1u,          0xffffu,     0x7fffu,    0x8000u,
                                   0x7fff7fffu, 0x80008000u, 0xffffffffu, 0x7fffffffu};
  std::vector<std::uint32_t> words(3 * size);
  for (auto& word : words) word = random() % 4 == 0 ? corners[random() % 9] : static_cast<std::uint32_t>(random());
  for (auto& word : words) word &= mask;
  const CellConstants constants = Arithmetic::constants(11, 1);

  const core::Stream stream;
  core::DeviceBuffer<std::uint32_t> device_words(words.size());
  core::DeviceBuffer<Results> device_results(size);
  core::copy_async(device_words.data(), words.data(), words.size(), stream);
  compute_kernel<Arithmetic>
      <<<size / 256, 256, 0, stream.get()>>>(device_words.data(), device_results.data(), size, constants, gaps);
  core::check(cudaGetLastError());
  std::vector<Results> results(size);
  core::copy_async(results.data(), device_results.data(), size, stream);
  stream.synchronize();
  for (std::size_t i = 0; i < size; ++i)
    EXPECT_EQ(results[i], compute<Arithmetic>(words[3 * i], words[3 * i + 1], words[3 * i + 2], constants, gaps))
        << std::hex << words[3 * i] << " " << words[3 * i + 1] << " " << words[3 * i + 2];
}

TEST(GpuCell, Pair16IsTheSameOnHostAndDevice) { expect_equal_on_both<Pair16>(1); }
// Halves of any size below 2, with E and F from 0 on: neither infinities nor what is no number come up in a search.
TEST(GpuCell, Pair11IsTheSameOnHostAndDevice) {
  expect_equal_on_both<Pair11>(3, 0xbfffbfffu, 0x7fff7fffu);
  expect_equal_on_both<Pair11>(4, 0x87ff87ffu, 0x7fff7fffu);
}
TEST(GpuCell, Single32IsTheSameOnHostAndDevice) { expect_equal_on_both<Single32>(2); }

}  // namespace
}  // namespace speedwell::alignment
