// Transforms of arrays that are divided among GPUs, which ranks may share, against those of one GPU: two and three
// axes, uneven slabs, lengths of every method, both directions, stores in passes and in several pieces, by every
// transport that is here.
#include "speedwell/numerics/fft/ranks/gpu_distributed.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "speedwell/numerics/fft/gpu/method.hpp"
#include "speedwell/numerics/fft/gpu_fft.hpp"
#include "tests/numerics/fft/divided_arrays.hpp"
#include "tests/numerics/fft/gpu_support.hpp"
#include "tests/numerics/fft/plan_cases.hpp"
#include "tests/support/device_ranks.hpp"

namespace speedwell::fft {
namespace {

using comm::Transport;
using test::ranks;

class GpuDistributedFft : public testing::TestWithParam<Transport> {
 protected:
  void SetUp() override {
    if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
    if (const auto reason = comm::transport_missing(ranks(), GetParam())) GTEST_SKIP() << *reason;
  }
};

template <class T>
void expect_transforms(const std::vector<std::int64_t>& extents, const GpuDistributedOptions& options) {
  using Complex = std::complex<T>;
  SCOPED_TRACE(name(Shape{extents}) + ", " + std::to_string(options.pieces) + " pieces");
  const core::Stream stream;
  const std::vector<Complex> x = random_complex<T>(product(extents), 21);
  GpuPlan<T> plan({extents}, {.normalisation = options.normalisation});
  core::DeviceBuffer<Complex> in = upload(x, stream), out(x.size());
  plan.forward(in.span(), out.span(), stream);
  const std::vector<Complex> forward = download(out, stream);
  plan.backward(in.span(), out.span(), stream);
  const std::vector<Complex> backward = download(out, stream);

  GpuDistributedPlan<T> distributed(ranks(), {extents}, options);
  const core::DeviceBuffer<Complex> array = upload(own_part(x, distributed.array_tiles()), stream);
  const core::DeviceBuffer<Complex> spectrum = upload(own_part(x, distributed.spectrum_tiles()), stream);
  core::DeviceBuffer<Complex> array_out(array.size()), spectrum_out(spectrum.size());
  ASSERT_EQ(static_cast<std::int64_t>(array.size()), distributed.array_points());
  ASSERT_EQ(static_cast<std::int64_t>(spectrum.size()), distributed.spectrum_points());
  // Again and again, without the host in between: no exchange overwrites what another one reads.
  std::vector<Complex> first_forward, first_backward;
  for (int again = 0; again < 3; ++again) {
    core::fill_bytes_async(array_out, 0xff, stream);
    core::fill_bytes_async(spectrum_out, 0xff, stream);
    for (int k = 0; k < 2; ++k) {
      distributed.forward(array.span(), spectrum_out.span(), stream);
      distributed.backward(spectrum.span(), array_out.span(), stream);
    }
    distributed.check(stream);
    const std::vector<Complex> got_forward = download(spectrum_out, stream);
    const std::vector<Complex> got_backward = download(array_out, stream);
    EXPECT_LE(difference(own_part(forward, distributed.spectrum_tiles()), got_forward), max_difference<T>);
    EXPECT_LE(difference(own_part(backward, distributed.array_tiles()), got_backward), max_difference<T>);
    if (again == 0) {
      first_forward = got_forward;
      first_backward = got_backward;
    }
    EXPECT_EQ(got_forward, first_forward) << "every time the same";
    EXPECT_EQ(got_backward, first_backward) << "every time the same";
  }
  const bool is_direct =
      options.transport == Transport::peer && options.pieces == 0 && gpu::stores_in_passes(extents, sizeof(T));
  EXPECT_EQ(distributed.pieces() == 0, is_direct);
  EXPECT_EQ(distributed.sent_bytes() > 0, ranks().size() > 1);
  EXPECT_GT(distributed.bytes(), 0);
  EXPECT_GE(distributed.exchange_seconds(), 0);
}

TEST_P(GpuDistributedFft, AgreesWithOneGpu) {
  for (const std::vector<std::int64_t>& extents : {std::vector<std::int64_t>{4, 4},
                                                   {64, 48},
                                                   {23, 19},
                                                   {4, 4, 4},
                                                   {32, 64, 16},
                                                   {13, 7, 10},
                                                   {31, 37, 5},
                                                   {9, 30, 33},
                                                   {4, 6, 1},
                                                   {8, 64, 512},
                                                   {256, 128, 64},
                                                   {64, 1024, 64},
                                                   {128, 64, 512},
                                                   {128, 128, 128}})
    for (const int pieces : {0, 1, 3}) {
      // NCCL takes half a second to begin, and other transports than peer have no pieces.
      if (GetParam() != Transport::peer && pieces != 1) continue;
      if (GetParam() == Transport::nccl && extents.size() == 2) continue;
      expect_transforms<double>(extents, {.transport = GetParam(), .pieces = pieces});
      expect_transforms<float>(extents,
                               {.normalisation = Normalisation::backward, .transport = GetParam(), .pieces = pieces});
    }
}

TEST_P(GpuDistributedFft, RefusesWhatCannotBeDividedAndWrongSpans) {
  const std::int64_t n = ranks().size();
  const GpuDistributedOptions options{.transport = GetParam()};
  EXPECT_THROW(GpuDistributedPlan<double>(ranks(), {{n - 1, 8, 8}}, options), std::invalid_argument);
  EXPECT_THROW(GpuDistributedPlan<double>(ranks(), {{8, n - 1, 8}}, options), std::invalid_argument);
  EXPECT_THROW(GpuDistributedPlan<double>(ranks(), {{64}}, options), std::invalid_argument);
  EXPECT_THROW(GpuDistributedPlan<double>(ranks(), {{8, 8, 8}, 2}, options), std::invalid_argument);
  EXPECT_THROW(GpuDistributedPlan<double>(ranks(), {{8, 8, 8}}, {.transport = GetParam(), .pieces = -1}),
               std::invalid_argument);
  GpuDistributedPlan<float> plan(ranks(), {{8, 9, 10}}, options);
  const core::Stream stream;
  core::DeviceBuffer<std::complex<float>> array(static_cast<std::size_t>(plan.array_points())),
      spectrum(static_cast<std::size_t>(plan.spectrum_points()));
  EXPECT_THROW(plan.forward(array.span(), spectrum.span().first(1), stream), std::invalid_argument);
  EXPECT_THROW(plan.backward(spectrum.span().first(1), array.span(), stream), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Transports, GpuDistributedFft, testing::ValuesIn(comm::transports()), [](const auto& test) {
  const std::string name(to_string(test.param));
  return name == "gpu-aware" ? "gpu_aware" : name;
});

}  // namespace
}  // namespace speedwell::fft
