// FT for the harness.
#pragma once

#include <vector>

#include "speedwell/apps/npb/adapter_kernel.hpp"
#include "speedwell/apps/npb/ft/verify.hpp"

namespace speedwell::npb::ft {

Kernel kernel();

/// What all runs of a class share, and what they do with their results.
struct FtCase final : KernelCase {
  using Answer = Checksums;

  explicit FtCase(Class c) : KernelCase("ft"), problem(problem_of(c)), expected(expect(problem)) {}
  Checksums poison() const;
  core::Verdict verify(const Checksums& checksums) const { return ft::verify(expected, checksums); }
  static std::vector<harness::Output> outputs(Checksums& checksums);

  Problem problem;
  Expected expected;
};

}  // namespace speedwell::npb::ft
