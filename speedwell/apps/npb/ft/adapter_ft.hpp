// FT for the harness.
#pragma once

#include <vector>

#include "speedwell/apps/npb/adapter_rows.hpp"
#include "speedwell/apps/npb/ft/verify.hpp"

namespace speedwell::npb::ft {

Kernel kernel();

struct FtWorkload final : KernelWorkload {
  using Answer = Checksums;

  explicit FtWorkload(Class c) : KernelWorkload("ft"), problem(problem_of(c)), expected(expect(problem)) {}
  Answer make_answer() const { return Answer(static_cast<std::size_t>(problem.iterations)); }
  std::vector<harness::Output> outputs(Answer& checksums) const {
    return {{"checksums", harness::ElementType::f64, checksums.data(), 2 * checksums.size()}};
  }
  core::Verdict verify(const Answer& checksums) const { return ft::verify(expected, checksums); }

  Problem problem;
  Expected expected;
};

}  // namespace speedwell::npb::ft
