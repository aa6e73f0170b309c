// Columns on 1 to 8 ranks have the bits of one process: both sources, every kernel, numbers of columns that do not
// divide.
#include "speedwell/apps/two_stream/distributed.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <vector>

#include "tests/support/ranks.hpp"

namespace speedwell::two_stream {
namespace {

using test::is_root;
using test::ranks;
template <class T>
void expect_the_same(const Problem& problem) {
  const SyntheticAtmosphere<T> whole(problem);
  const Atmosphere<T> atmosphere = whole.atmosphere();
  DistributedColumns<T> columns(ranks(), problem);
  columns.scatter(is_root() ? &atmosphere : nullptr);
  const bool fluxes = is_column(problem);
  const std::int64_t rows = fluxes ? problem.layers + 1 : problem.layers * problem.points;
  const auto arrays = [&](std::int64_t count) {
    return std::vector<std::vector<T>>(5, std::vector<T>(static_cast<std::size_t>(rows * count)));
  };
  const auto compute = [&](const Atmosphere<T>& of, std::vector<std::vector<T>>& to) {
    T* const beam = problem.source == Source::sun ? to[2].data() : nullptr;
    if (fluxes)
      solve(of, problem.options, Fluxes<T>{to[0].data(), to[1].data(), beam});
    else
      layer_coefficients(of, problem.options,
                         Coefficients<T>{.reflected = to[0].data(),
                                         .transmitted = to[1].data(),
                                         .direct = beam,
                                         .top = to[3].data(),
                                         .bottom = to[4].data()});
  };
  std::vector<std::vector<T>> expected = arrays(problem.columns), own = arrays(columns.columns()),
                              got = arrays(problem.columns);
  compute(atmosphere, expected);
  compute(columns.atmosphere(), own);
  for (std::size_t i = 0; i < own.size(); ++i) {
    columns.gather(own[i], rows, got[i].data());
    if (is_root()) {
      EXPECT_EQ(std::memcmp(got[i].data(), expected[i].data(), expected[i].size() * sizeof(T)), 0) << "array " << i;
    }
  }
}

TEST(DistributedColumns, HaveTheBitsOfOneProcess) {
  for (const Kernel kernel : {Kernel::column, Kernel::triple, Kernel::coefficients})
    for (const Source source : {Source::sun, Source::thermal})
      for (const bool quadratic : {false, true}) {
        const Problem problem{.kernel = kernel,
                              .source = source,
                              .quadratic = quadratic,
                              .columns = 61,
                              .layers = 9,
                              .points = 3,
                              .seed = 2};
        expect_the_same<double>(problem);
        expect_the_same<float>(problem);
      }
}

TEST(DistributedColumns, HaveNoCloudsOfAnEarlierAtmosphere) {
  const Problem problem{.kernel = Kernel::triple, .columns = 17, .layers = 4, .points = 2};
  const SyntheticAtmosphere<double> data(problem);
  Atmosphere<double> sky = data.atmosphere();
  DistributedColumns<double> columns(ranks(), problem);
  columns.scatter(is_root() ? &sky : nullptr);
  EXPECT_NE(columns.atmosphere().cloud_fraction, nullptr);
  sky.cloud_fraction = sky.cloud_optical_depth = sky.cloud_albedo = sky.cloud_asymmetry = nullptr;
  columns.scatter(is_root() ? &sky : nullptr);
  const Atmosphere<double> own = columns.atmosphere();
  EXPECT_NE(own.optical_depth, nullptr);
  for (const double* array : {own.cloud_fraction, own.cloud_optical_depth, own.cloud_albedo, own.cloud_asymmetry})
    EXPECT_EQ(array, nullptr);
}

TEST(DistributedColumns, AreAtLeastAsManyAsRanks) {
  const auto columns = [](std::int64_t n) { return Problem{.columns = n, .layers = 2, .points = 1}; };
  EXPECT_EQ(DistributedColumns<double>(ranks(), columns(ranks().size())).columns(), 1);
  EXPECT_THROW(DistributedColumns<double>(ranks(), columns(ranks().size() - 1)), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::two_stream
