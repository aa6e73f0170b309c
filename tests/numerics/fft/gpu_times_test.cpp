// Times of the GPU's transforms and of cuFFT's on the same arrays, everything in turn. Nothing is verified here.
#include <cufft.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <string>

#include "speedwell/numerics/fft/gpu/block_transform.hpp"
#include "speedwell/numerics/fft/gpu/kernels/planes.hpp"
#include "speedwell/numerics/fft/gpu_ladder.hpp"
#include "tests/numerics/fft/gpu_support.hpp"

namespace speedwell::fft {
namespace {

struct NamedTransform {
  std::string name;
  std::function<void()> enqueue;
};

/// The middle one of five times of each, in milliseconds, in a line each.
void print_times(const std::string& what, const std::vector<NamedTransform>& transforms, const core::Stream& stream) {
  std::map<std::string, std::vector<double>> times;
  core::Event begin, end;
  for (int sample = -1; sample < 5; ++sample)
    for (const NamedTransform& transform : transforms) {
      begin.record(stream);
      transform.enqueue();
      end.record(stream);
      end.synchronize();
      if (sample >= 0) times[transform.name].push_back(end.seconds_since(begin) * 1e3);
    }
  std::printf("%s:", what.c_str());
  for (const NamedTransform& transform : transforms) {
    auto& t = times[transform.name];
    std::sort(t.begin(), t.end());
    std::printf("  %s %.4f", transform.name.c_str(), t[2]);
  }
  std::printf("\n");
  std::fflush(stdout);
}

/// cuFFT's plan of the same shape.
template <class T>
class Peer {
 public:
  Peer(const Shape& shape, const core::Stream& stream) {
    std::vector<long long> extents(shape.extents.begin(), shape.extents.end());
    long long size = 1;
    for (const auto n : extents) size *= n;
    std::size_t bytes = 0;
    EXPECT_EQ(cufftCreate(&plan_), CUFFT_SUCCESS);
    EXPECT_EQ(cufftMakePlanMany64(plan_, static_cast<int>(extents.size()), extents.data(), nullptr, 1, size, nullptr, 1,
                                  size, sizeof(T) == 8 ? CUFFT_Z2Z : CUFFT_C2C, shape.batch, &bytes),
              CUFFT_SUCCESS);
    EXPECT_EQ(cufftSetStream(plan_, stream.get()), CUFFT_SUCCESS);
  }
  Peer(const Peer&) = delete;
  ~Peer() { cufftDestroy(plan_); }
  void forward(void* in, void* out) {
    if constexpr (sizeof(T) == 8)
      cufftExecZ2Z(plan_, static_cast<cufftDoubleComplex*>(in), static_cast<cufftDoubleComplex*>(out), CUFFT_FORWARD);
    else
      cufftExecC2C(plan_, static_cast<cufftComplex*>(in), static_cast<cufftComplex*>(out), CUFFT_FORWARD);
  }

 private:
  cufftHandle plan_ = 0;
};

/// Random values, which draw the power that a user's would: what is repeated every 2^20 points is no less so.
template <class T>
struct Arrays {
  Arrays(std::int64_t points, const core::Stream& stream) : in(points), out(points) {
    const auto some = random_complex<T>(std::min<std::int64_t>(points, 1 << 20));
    for (std::int64_t done = 0; done < points; done += static_cast<std::int64_t>(some.size()))
      core::copy_async(in.data() + done, some.data(), std::min<std::size_t>(some.size(), points - done), stream);
    stream.synchronize();
  }
  core::DeviceBuffer<std::complex<T>> in, out;
};

template <class T>
void time_plans(const Shape& shape, bool in_place = false) {
  const core::Stream stream;
  std::int64_t points = shape.batch;
  std::string what = sizeof(T) == 8 ? "f64" : "f32";
  for (const auto n : shape.extents) points *= n, what += " " + std::to_string(n);
  if (shape.batch > 1) what += " x " + std::to_string(shape.batch);
  if (in_place) what += " in place";
  Arrays<T> a(points, stream);
  auto& out = in_place ? a.in : a.out;
  Peer<T> peer(shape, stream);
  std::vector<std::unique_ptr<GpuPlan<T>>> plans;
  std::vector<NamedTransform> transforms = {{"cufft", [&] { peer.forward(a.in.data(), out.data()); }}};
  for (const Step& step : steps) {
    if (shape.extents.size() == 1 && step.name != "cuda") continue;
    if (points > (1 << 29) && step.name == "cuda-transposed") continue;
    plans.push_back(std::make_unique<GpuPlan<T>>(shape, GpuOptions{.step = step.name}));
    transforms.push_back(
        {std::string(step.name), [&, plan = plans.back().get()] { plan->forward(a.in.span(), out.span(), stream); }});
  }
  print_times(what, transforms, stream);
}

template <class T>
void time_axes(std::int64_t n) {
  const core::Stream stream;
  Arrays<T> a(n * n * n, stream);
  const auto* in = reinterpret_cast<const gpu::Complex<T>*>(a.in.data());
  auto* out = reinterpret_cast<gpu::Complex<T>*>(a.out.data());
  const gpu::BlockTransform<T> line(n, stream);
  core::DeviceBuffer<std::uint32_t> counters(gpu::plane_counters(n));
  std::vector<NamedTransform> transforms;
  const auto pass = [&](const std::string& name, const gpu::Complex<T>* from, gpu::LineLayout layout,
                        gpu::LineLayout to) {
    transforms.push_back({name, [&, from, layout, to] { line.run({from, out, n * n, layout, to}, nullptr, stream); }});
  };
  pass("x", in, gpu::row_layout(n), gpu::row_layout(n));
  pass("y", in, gpu::column_layout(n, n), gpu::column_layout(n, n));
  pass("z", in, gpu::column_layout(n, n * n), gpu::column_layout(n, n * n));
  pass("z in place", out, gpu::column_layout(n, n * n), gpu::column_layout(n, n * n));
  const gpu::LineLayout transposed{.element = n * n, .count = {n * n, 1}, .step = {1, 0, n * n * n}};
  pass("x transposing", in, gpu::row_layout(n), transposed);
  transforms.push_back({"copy", [&] { core::copy_async(a.out.data(), a.in.data(), a.in.size(), stream); }});
  for (const int lag : {1, 2, 3, 4, 6, 8, 16, 32})
    transforms.push_back({"xy lag " + std::to_string(lag), [&, lag] {
                            gpu::transform_planes<T>({n, line.log_n(), line.log_n(), line.table(), line.table(), lag},
                                                     in, out, T{1}, T{1}, T{1}, counters.data(), stream);
                          }});
  print_times((sizeof(T) == 8 ? "f64 " : "f32 ") + std::to_string(n) + " cubed", transforms, stream);
}

TEST(DISABLED_FftGpuTimes, Axes) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const std::int64_t n : {256, 512, 1024}) time_axes<double>(n);
  for (const std::int64_t n : {256, 512, 1024}) time_axes<float>(n);
}

TEST(DISABLED_FftGpuTimes, Cubes) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const std::int64_t n : {64, 128, 256, 512, 1024}) time_plans<double>({{n, n, n}}, n == 1024);
  for (const std::int64_t n : {64, 128, 256, 512}) time_plans<float>({{n, n, n}});
}

TEST(DISABLED_FftGpuTimes, Batches) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (int log = 1; log <= 12; ++log) time_plans<double>({{1 << log}, 1 << (27 - log)});
  for (int log = 6; log <= 14; ++log) time_plans<float>({{1 << log}, 1 << (28 - log)});
}

TEST(DISABLED_FftGpuTimes, LongLines) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const int log : {14, 16, 18, 20, 22}) time_plans<double>({{1 << log}, 1 << (27 - log)});
  for (const int log : {20, 24, 26, 28}) time_plans<double>({{1 << log}});
  for (const int log : {14, 18, 20, 22}) time_plans<float>({{1 << log}, 1 << (28 - log)});
  for (const int log : {24, 28}) time_plans<float>({{1 << log}});
}

TEST(DISABLED_FftGpuTimes, OtherLengths) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const std::int64_t n : {12, 60, 100, 243, 729, 1000, 2187, 3125, 4000}) time_plans<double>({{n}, (1 << 27) / n});
  for (const std::int64_t n : {127, 1009, 100000, 100003, 1000000, 1000003}) time_plans<double>({{n}, (1 << 25) / n});
  time_plans<double>({{360, 360, 360}});
}

}  // namespace
}  // namespace speedwell::fft
