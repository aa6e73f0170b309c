// Every variant of stream with every kernel, both precisions and odd lengths; and faults injected into its answers. The
// tests are shared by the host and a GPU: the including file selects the variants. Precisions and lengths are loops
// inside a test, because every GPU test has the cost of a context.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <tuple>
#include <vector>

#include "speedwell/apps/stream/adapter.hpp"
#include "tests/apps/lifecycle.hpp"

namespace speedwell::stream {

inline const std::string all_kernels[] = {"copy", "scale", "add", "triad", "dot", "sequence"};
inline const std::string all_precisions[] = {"f64", "f32"};

/// Variant and kernel.
using Row = std::tuple<std::string, std::string>;

inline std::string name_of(const ::testing::TestParamInfo<Row>& info) {
  std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

inline harness::Problem problem_of_row(const harness::Application& application, const Row& row,
                                       const std::string& precision, std::int64_t n, std::int64_t repeats = 1,
                                       std::uint64_t seed = 1) {
  return problem_with(application,
                      {{"kernel", std::get<1>(row)}, {"precision", precision}, {"n", n}, {"repeats", repeats}}, seed);
}

/// One output as bytes, for fault injection.
struct Bytes {
  explicit Bytes(const harness::Output& output)
      : data(static_cast<unsigned char*>(output.data)),
        width(output.type == harness::ElementType::f64 ? 8 : 4),
        count(output.count),
        saved(data, data + width * count) {}
  void restore() const { std::memcpy(data, saved.data(), saved.size()); }
  void put_nan(std::size_t i) const { std::memset(data + i * width, 0xFF, width); }
  /// Changes element i by one unit in the last place.
  void nudge(std::size_t i) const { data[i * width] ^= 1; }

  unsigned char* data;
  std::size_t width, count;
  std::vector<unsigned char> saved;
};

inline void expect_right(const harness::Application& application, const Row& row,
                         std::initializer_list<std::int64_t> lengths) {
  for (const std::string& precision : all_precisions)
    for (const std::int64_t n : lengths)
      for (const std::int64_t repeats : {1, 5}) {
        if (repeats > 1 && (std::get<1>(row) == "sequence" || n > 40000)) continue;
        const auto run = lived(application, harness::row(application, std::get<0>(row)),
                               problem_of_row(application, row, precision, n, repeats));
        const core::Verdict v = run->verify();
        EXPECT_TRUE(v.passed) << precision << " n " << n << ": " << v.error << " > " << v.tolerance << ", " << v.oracle;
      }
}

/// Injects the errors of faulty variants and expects every one of them to be rejected.
inline void expect_faults_rejected(const harness::Application& application, const Row& row,
                                   const std::string& precision, std::int64_t n) {
  const harness::Variant& variant = harness::row(application, std::get<0>(row));
  const harness::Problem problem = problem_of_row(application, row, precision, n);
  EXPECT_FALSE(lived(application, variant, problem, false)->verify().passed) << "a run that computed nothing";

  const auto run = lived(application, variant, problem);
  ASSERT_TRUE(run->verify().passed);
  const std::string kernel = std::get<1>(row);
  const auto other = lived(application, variant, problem_of_row(application, row, precision, n, 1, 2));
  const std::vector<harness::Output> others = other->outputs();
  std::size_t which = 0;
  for (const harness::Output& output : run->outputs()) {
    const Bytes bytes(output);
    const auto rejected = [&](const char* fault) {
      EXPECT_FALSE(run->verify().passed) << output.name << ": " << fault;
      bytes.restore();
      EXPECT_TRUE(run->verify().passed);
    };
    bytes.put_nan(bytes.count / 2);
    rejected("one NaN");
    bytes.put_nan(bytes.count - 1);
    rejected("the last element not written");
    std::memset(bytes.data, 0, bytes.saved.size());
    rejected("zeros");
    if (kernel != "sequence") {  // whose answers are constant, and depend on no seed
      std::memcpy(bytes.data, others[which].data, bytes.saved.size());
      rejected("the answer of another problem");
      if (bytes.count > 1) {
        std::memmove(bytes.data + bytes.width, bytes.saved.data(), bytes.saved.size() - bytes.width);
        rejected("off by one");
      }
    }
    if (kernel == "copy" || kernel == "scale" || kernel == "add") {
      bytes.nudge(bytes.count / 3);
      rejected("one element wrong in its last bit");
    }
    ++which;
  }
}

}  // namespace speedwell::stream
