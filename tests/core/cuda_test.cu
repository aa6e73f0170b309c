// Streams that are created here, streams of the caller's that are borrowed, and attributes of the current device.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "speedwell/core/cuda.hpp"
#include "speedwell/core/cuda/cuda_graph.hpp"

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

}  // namespace
}  // namespace speedwell::core
