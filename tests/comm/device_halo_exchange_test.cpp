// Halos of fields on GPUs: with every transport that is here, the fields have the bits that HaloExchange gives them on
// the host, on 1 to 8 ranks, which may share a GPU.
#include "speedwell/comm/gpu/device_halo_exchange.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "speedwell/comm/halo_exchange.hpp"
#include "speedwell/core/error.hpp"
#include "tests/support/device_ranks.hpp"

namespace speedwell::comm {
namespace {

using test::ranks;

struct Case {
  GlobalBox box;
  std::array<int, 3> grid;
  HaloShape shape;
  std::vector<int> elements;
};

std::vector<Case> cases() {
  const int n = ranks().size();
  const std::array<bool, 3> open{}, closed{true, true, true}, mixed{true, false, true};
  return {
      {{{2 * n + 1, 19, 26}, closed, {1, 0, 0}}, {n, 1, 1}, HaloShape::faces, {1}},
      {{{2 * n + 1, 19, 26}, open, {2, 0, 0}}, {n, 1, 1}, HaloShape::faces, {1, 1, 1}},
      {{{17, 2 * n + 1, 26}, mixed, {1, 2, 1}}, {1, n, 1}, HaloShape::edges, {1, 3}},
      {{{17, 19, 2 * n + 1}, closed, {1, 1, 2}}, {1, 1, n}, HaloShape::corners, {5}},
      {{{17, 19, 26}, closed, {2, 1, 3}}, {0, 0, 0}, HaloShape::corners, {1, 1}},
      {{{64, 70, 66}, mixed, {1, 1, 1}}, {0, 0, 0}, HaloShape::edges, {1, 1, 1, 1, 1, 1, 1}},
  };
}

/// Fields with a value of its own at each element of each rank, the halo included.
std::vector<std::vector<double>> fields_of(const Case& c, const HaloLayout& layout, int round) {
  std::vector<std::vector<double>> fields;
  for (const int elements : c.elements) {
    std::vector<double>& field = fields.emplace_back(static_cast<std::size_t>(layout.size() * elements));
    for (std::size_t i = 0; i < field.size(); ++i)
      field[i] =
          static_cast<double>(i) + 1e7 * ranks().rank() + 1e9 * static_cast<double>(fields.size()) + 1e11 * round;
  }
  return fields;
}

std::vector<double*> pointers(std::vector<std::vector<double>>& fields) {
  std::vector<double*> all;
  for (auto& field : fields) all.push_back(field.data());
  return all;
}

class DeviceHalo : public testing::TestWithParam<Transport> {
 protected:
  void SetUp() override {
    if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
    if (const auto reason = transport_missing(ranks(), GetParam())) GTEST_SKIP() << *reason;
  }
};

TEST_P(DeviceHalo, HasTheBitsOfTheHosts) {
  const core::Stream stream;
  for (const Case& c : cases()) {
    const Decomposition decomposition(ranks().size(), c.box, c.grid);
    SCOPED_TRACE(decomposition.text() + " ranks, shape " + std::to_string(static_cast<int>(c.shape)));
    HaloExchange<double> host(ranks(), decomposition, c.shape, c.elements);
    DeviceHaloExchange<double> exchange(ranks(), decomposition, c.shape, c.elements, GetParam());
    // As many rounds as to use both buffers of the peers twice, with other values each time.
    for (int round = 0; round < 5; ++round) {
      auto expected = fields_of(c, host.layout(), round);
      std::vector<core::DeviceBuffer<double>> device;
      std::vector<double*> on_device;
      for (const auto& field : expected) {
        device.emplace_back(field.size());
        core::copy_async(device.back().data(), field.data(), field.size(), stream);
        on_device.push_back(device.back().data());
      }
      host.exchange(pointers(expected));
      exchange.exchange(on_device, stream);
      exchange.check(stream);
      for (std::size_t f = 0; f < expected.size(); ++f) {
        std::vector<double> got(expected[f].size());
        core::copy_async(got.data(), static_cast<const double*>(on_device[f]), got.size(), stream);
        stream.synchronize();
        EXPECT_EQ(std::memcmp(got.data(), expected[f].data(), got.size() * sizeof(double)), 0)
            << "field " << f << ", round " << round;
      }
    }
    EXPECT_GE(exchange.seconds(), 0);
  }
}

TEST_P(DeviceHalo, OverlapsWorkThatDoesNotReadTheHalo) {
  const core::Stream stream;
  const Decomposition decomposition(ranks().size(), {{4 * ranks().size(), 32, 32}, {true, true, true}, {1, 0, 0}},
                                    {ranks().size(), 1, 1});
  HaloExchange<double> host(ranks(), decomposition, HaloShape::faces, 1);
  DeviceHaloExchange<double> exchange(ranks(), decomposition, HaloShape::faces, 1, GetParam());
  const Case c{decomposition.box(), decomposition.grid(), HaloShape::faces, {1}};
  auto expected = fields_of(c, host.layout(), 0);
  core::DeviceBuffer<double> field(expected[0].size()), other(std::size_t{1} << 24);
  core::copy_async(field.data(), expected[0].data(), field.size(), stream);
  double* const on_device = field.data();
  host.exchange(pointers(expected));
  for (int round = 0; round < 20; ++round) {  // without waits of the host between exchanges
    exchange.start(std::span<double* const>(&on_device, 1), stream);
    core::fill_bytes_async(other, 0, stream);
    exchange.finish(std::span<double* const>(&on_device, 1), stream);
  }
  exchange.check(stream);
  std::vector<double> got(field.size());
  core::copy_async(got.data(), static_cast<const double*>(field.data()), got.size(), stream);
  stream.synchronize();
  EXPECT_EQ(std::memcmp(got.data(), expected[0].data(), field.bytes()), 0);
}

TEST_P(DeviceHalo, RefusesOtherFieldsThanItWasMadeFor) {
  const core::Stream stream;
  const Decomposition decomposition(ranks().size(), {{4 * ranks().size(), 5, 6}, {}, {1, 0, 0}},
                                    {ranks().size(), 1, 1});
  EXPECT_THROW(DeviceHaloExchange<float>(ranks(), decomposition, HaloShape::faces, 0, GetParam()),
               std::invalid_argument);
  EXPECT_THROW(DeviceHaloExchange<float>(ranks(), decomposition, HaloShape::faces, 41, GetParam()),
               std::invalid_argument);
  EXPECT_THROW(DeviceHaloExchange<float>(ranks(), decomposition, HaloShape::faces, std::vector<int>{1, 0}, GetParam()),
               std::invalid_argument);
  DeviceHaloExchange<float> exchange(ranks(), decomposition, HaloShape::faces, 2, GetParam());
  float* none = nullptr;
  EXPECT_THROW(exchange.start(std::span<float* const>(&none, 1), stream), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Transports, DeviceHalo, testing::ValuesIn(transports()), [](const auto& test) {
  const std::string name(to_string(test.param));
  return name == "gpu-aware" ? "gpu_aware" : name;
});

}  // namespace
}  // namespace speedwell::comm
