// Streams that are created here, streams of the caller's that are borrowed, and attributes of the current device.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "speedwell/core/cuda.hpp"
#include "speedwell/core/cuda/cuda_graph.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::core {
namespace {

__global__ void add_one(int* x, int size) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < size) ++x[i];
}

constexpr int size = 1000, threads = 128;

void enqueue_add_one(DeviceBuffer<int>& x, cudaStream_t stream) {
  add_one<<<static_cast<unsigned>(blocks_for(size, threads)), threads, 0, stream>>>(x.data(), size);
  check(cudaGetLastError());
}

std::vector<int> downloaded(const DeviceBuffer<int>& x, const Stream& stream) {
  std::vector<int> host(x.size());
  copy_async(host.data(), x.data(), x.size(), stream);
  stream.synchronize();
  return host;
}

class CudaStream : public testing::Test {
 protected:
  void SetUp() override {
    if (!have_device()) GTEST_SKIP() << "no GPU";
    check(cudaStreamCreateWithFlags(&own_, cudaStreamNonBlocking));
  }
  void TearDown() override {
    if (own_) EXPECT_EQ(cudaStreamDestroy(own_), cudaSuccess) << "a borrowed stream has been destroyed";
  }
  cudaStream_t own_ = nullptr;
};

TEST_F(CudaStream, ThatIsBorrowedIsOrderedWithTheWorkOfItsOwner) {
  DeviceBuffer<int> x(size);
  const Stream borrowed = Stream::borrow(own_);
  EXPECT_EQ(borrowed.get(), own_);
  fill_bytes_async(x, 0, borrowed);
  for (int i = 0; i < 10; ++i) enqueue_add_one(x, i % 2 == 0 ? own_ : borrowed.get());
  EXPECT_EQ(downloaded(x, borrowed), std::vector<int>(size, 10));
}

TEST_F(CudaStream, ThatIsBorrowedOutlivesItsViews) {
  {
    Stream first = Stream::borrow(own_);
    Stream second = std::move(first);
    EXPECT_EQ(second.get(), own_);
    Stream created;
    const cudaStream_t of_created = created.get();
    std::swap(created, second);  // each keeps its owner
    EXPECT_EQ(created.get(), own_);
    EXPECT_EQ(second.get(), of_created);
  }
  EXPECT_EQ(cudaStreamQuery(own_), cudaSuccess);
}

TEST_F(CudaStream, ThatIsBorrowedMayBeTheDefaultStream) {
  DeviceBuffer<int> x(size);
  for (const cudaStream_t stream : {cudaStream_t{nullptr}, cudaStreamPerThread}) {
    const Stream borrowed = Stream::borrow(stream);
    fill_bytes_async(x, 0, borrowed);
    enqueue_add_one(x, stream);
    EXPECT_EQ(downloaded(x, borrowed), std::vector<int>(size, 1));
  }
}

TEST_F(CudaStream, ThatIsBorrowedCanBeCapturedUnlessItIsTheDefaultStream) {
  DeviceBuffer<int> x(size);
  const Stream borrowed = Stream::borrow(own_), default_stream = Stream::borrow(nullptr);
  fill_bytes_async(x, 0, borrowed);
  const Graph graph(borrowed, [&] { enqueue_add_one(x, own_); });
  for (int i = 0; i < 3; ++i) graph.launch(borrowed);
  EXPECT_EQ(downloaded(x, borrowed), std::vector<int>(size, 3));
  EXPECT_THROW(Graph(default_stream, [] {}), DeviceError);
}

TEST(DeviceAttribute, IsThatOfTheCurrentDevice) {
  if (!have_device()) GTEST_SKIP() << "no GPU";
  EXPECT_EQ(device_attribute(cudaDevAttrWarpSize), 32);
  EXPECT_GT(device_attribute(cudaDevAttrMultiProcessorCount), 0);
  EXPECT_THROW(device_attribute(static_cast<cudaDeviceAttr>(1 << 30)), DeviceError);
}

// Sizes around that from which copies are staged, blocks that begin anywhere, both kinds of host memory, and kernels
// before and after on the same stream.
TEST_F(CudaStream, CopiesOfPageableMemoryAreInItsOrder) {
  constexpr std::size_t staged = detail::min_staged_bytes / sizeof(int);
  const Stream stream = Stream::borrow(own_);
  for (const std::size_t count : {staged - 1, staged, staged + 1, 3 * staged + 12345}) {
    DeviceBuffer<int> x(count + 3);
    std::vector<int> sent(count + 3), got(count + 3);
    PinnedBuffer<int> pinned(count + 3);
    for (std::size_t offset : {0, 3}) {
      for (std::size_t k = 0; k < sent.size(); ++k) sent[k] = static_cast<int>(k * 2654435761u + offset);
      std::fill(got.begin(), got.end(), -1);
      fill_bytes_async(x, 0, stream);
      copy_async(x.data() + offset, sent.data() + offset, count, stream);
      add_one<<<static_cast<unsigned>(blocks_for(static_cast<std::int64_t>(count), threads)), threads, 0, own_>>>(
          x.data() + offset, static_cast<int>(count));
      check(cudaGetLastError());
      copy_async(got.data() + offset, x.data() + offset, count, stream);
      copy_async(pinned.data() + offset, x.data() + offset, count, stream);
      stream.synchronize();
      for (std::size_t k = offset; k < offset + count; ++k) {
        ASSERT_EQ(got[k], sent[k] + 1) << k << " of " << count;
        ASSERT_EQ(pinned.data()[k], sent[k] + 1) << k << " of " << count;
      }
    }
  }
}

TEST_F(CudaStream, OnlyCopiesBetweenPageableMemoryAndTheDeviceAreStaged) {
  constexpr std::size_t bytes = detail::min_staged_bytes;
  DeviceBuffer<char> device(bytes), other(bytes);
  PinnedBuffer<char> pinned(bytes);
  std::vector<char> pageable(bytes), more(bytes);
  const bool several_threads = resolve_threads(0) > 1;
  EXPECT_EQ(detail::copy_staged(device.data(), pageable.data(), bytes, own_), several_threads);
  EXPECT_EQ(detail::copy_staged(pageable.data(), device.data(), bytes, own_), several_threads);
  EXPECT_FALSE(detail::copy_staged(device.data(), pinned.data(), bytes, own_));
  EXPECT_FALSE(detail::copy_staged(pinned.data(), device.data(), bytes, own_));
  EXPECT_FALSE(detail::copy_staged(device.data(), other.data(), bytes, own_));
  EXPECT_FALSE(detail::copy_staged(more.data(), pageable.data(), bytes, own_));
  const Stream stream = Stream::borrow(own_);
  bool staged = true;
  Graph graph(stream, [&] {
    staged = detail::copy_staged(device.data(), pageable.data(), bytes, own_);
    fill_bytes_async(other, 0, stream);
  });
  EXPECT_FALSE(staged);
}

TEST_F(CudaStream, CopiesOfPageableMemoryOnTwoStreamsDoNotMix) {
  constexpr std::size_t count = 5 * detail::min_staged_bytes / sizeof(int);
  const Stream streams[2];
  DeviceBuffer<int> x[2] = {DeviceBuffer<int>(count), DeviceBuffer<int>(count)};
  std::vector<int> host[2], got[2];
  for (int s = 0; s < 2; ++s) {
    host[s].assign(count, s + 1);
    got[s].assign(count, 0);
    copy_async(x[s].data(), host[s].data(), count, streams[s]);
  }
  for (int s : {1, 0}) copy_async(got[s].data(), x[s].data(), count, streams[s]);
  for (int s = 0; s < 2; ++s) {
    streams[s].synchronize();
    EXPECT_EQ(got[s], host[s]);
  }
}

TEST_F(CudaStream, ThatCapturesIsGivenTheDriversCopies) {
  constexpr std::size_t count = 2 * detail::min_staged_bytes / sizeof(int);
  DeviceBuffer<int> x(count);
  std::vector<int> sent(count, 7), got(count);
  const Stream stream = Stream::borrow(own_);
  Graph graph(stream, [&] { copy_async(x.data(), sent.data(), count, stream); });
  graph.launch(stream);
  copy_async(got.data(), x.data(), count, stream);
  stream.synchronize();
  EXPECT_EQ(got, sent);
}

}  // namespace
}  // namespace speedwell::core
