// Every variant of stream with every kernel, both precisions and odd lengths; and wrong answers that only exact kernels
// must reject. The tests are shared by the host and a GPU: the including file selects the variants. Precisions and
// lengths are loops inside a test, because every GPU test has the cost of a context.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <tuple>
#include <vector>

#include "speedwell/apps/stream/adapter.hpp"
#include "speedwell/harness/measurement/element_bytes.hpp"
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
                                       const std::string& precision, std::int64_t n, std::int64_t repeats = 1) {
  return problem_with(application,
                      {{"kernel", std::get<1>(row)}, {"precision", precision}, {"n", n}, {"repeats", repeats}});
}

inline void expect_right(const harness::Application& application, const Row& row,
                         std::initializer_list<std::int64_t> lengths) {
  for (const std::string& precision : all_precisions)
    for (const std::int64_t n : lengths)
      for (const std::int64_t repeats : {1, 5}) {
        if (repeats > 1 && (std::get<1>(row) == "sequence" || n > 40000)) continue;
        const auto run = completed_run(application, harness::row(application, std::get<0>(row)),
                                       problem_of_row(application, row, precision, n, repeats));
        const core::Verdict v = run->verify();
        EXPECT_TRUE(v.passed) << precision << " n " << n << ": " << v.error << " > " << v.tolerance << ", " << v.oracle;
      }
}

/// Expects that zeros are rejected and, where the answer is exact, one element that is wrong in its last bit.
inline void expect_faults_rejected(const harness::Application& application, const Row& row,
                                   const std::string& precision, std::int64_t n) {
  const auto run = completed_run(application, harness::row(application, std::get<0>(row)),
                                 problem_of_row(application, row, precision, n));
  const std::string kernel = std::get<1>(row);
  for (const harness::Output& output : run->outputs()) {
    auto* const bytes = static_cast<unsigned char*>(output.data);
    const std::size_t width = harness::element_bytes(output.type);
    const std::vector<unsigned char> right(bytes, bytes + width * output.count);
    std::fill_n(bytes, right.size(), 0);
    EXPECT_FALSE(run->verify().passed) << output.name << ": zeros";
    std::copy(right.begin(), right.end(), bytes);
    if (kernel == "copy" || kernel == "scale" || kernel == "add") {
      bytes[output.count / 3 * width] ^= 1;
      EXPECT_FALSE(run->verify().passed) << output.name << ": one element wrong in its last bit";
      std::copy(right.begin(), right.end(), bytes);
    }
  }
}

}  // namespace speedwell::stream
