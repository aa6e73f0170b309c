// Every variant of transfer with every operation that it supports, and single bytes changed in and beside its blocks.
// The tests are shared by the host and a GPU: the including file selects the variants.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "speedwell/apps/transfer/adapter.hpp"
#include "tests/apps/lifecycle.hpp"

namespace speedwell::transfer {

inline harness::Problem problem_of_variant(const harness::Application& application, const std::string& operation,
                                           std::int64_t bytes, std::int64_t repeats = 1) {
  return problem_with(application, {{"operation", operation}, {"bytes", bytes}, {"repeats", repeats}});
}

/// The operations that a variant supports.
inline std::vector<std::string> operations_of(const harness::Application& application,
                                              const std::string& variant_name) {
  std::vector<std::string> does;
  for (const std::string& operation : application.parameters[0].choices)
    if (!harness::row(application, variant_name).unsupported_reason(problem_of_variant(application, operation, 64)))
      does.push_back(operation);
  return does;
}

inline void expect_right(const harness::Application& application, const std::string& variant_name,
                         std::initializer_list<std::int64_t> sizes) {
  for (const std::string& operation : operations_of(application, variant_name))
    for (const std::int64_t bytes : sizes)
      for (const std::int64_t repeats : {1, 3}) {
        const auto run = completed_run(application, harness::row(application, variant_name),
                                       problem_of_variant(application, operation, bytes, repeats));
        EXPECT_TRUE(run->verify().passed)
            << operation << " " << bytes << " B: " << run->verify().error << " wrong bytes";
      }
}

inline void expect_faults_rejected(const harness::Application& application, const std::string& variant_name,
                                   std::int64_t bytes) {
  const harness::Variant& variant = harness::row(application, variant_name);
  for (const std::string& operation : operations_of(application, variant_name)) {
    const harness::Problem problem = problem_of_variant(application, operation, bytes, 5);
    const auto run = completed_run(application, variant, problem);
    for (const harness::Output& output : run->outputs()) {
      auto* const block = static_cast<unsigned char*>(output.data);
      const std::vector<unsigned char> saved(block, block + output.count);
      const auto rejected = [&](const char* fault) {
        EXPECT_FALSE(run->verify().passed) << operation << " " << output.name << ": " << fault;
        std::memcpy(block, saved.data(), saved.size());
        EXPECT_TRUE(run->verify().passed);
      };
      const std::size_t first = guard_bytes, last = output.count - guard_bytes - 1;
      block[first] ^= 1;
      rejected("first byte");
      block[last] ^= 0x80;
      rejected("last byte");
      block[(first + last) / 2] ^= 0x10;
      rejected("a byte in the middle");
      block[first - 1] = 0;
      rejected("a byte before the block");
      block[last + 1] = 0;
      rejected("a byte after the block");
    }
  }
}

}  // namespace speedwell::transfer
