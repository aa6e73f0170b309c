// The error of an element that an application states as admitted: what the amplitude of a planted Fourier mode is
// measured by.
#pragma once

#include "speedwell/harness/measurement/application.hpp"
#include "tests/campaign/faults.hpp"

namespace speedwell::campaign {

/// The absolute error that a verdict admits.
struct Stated {
  double everywhere = 0;  // root mean square over the output; 0 for integers
  double element = 0;     // of one element alone
};

/// The error that `problem`'s verdict is stated to admit in an element of `output`, absolute, as a root mean square
/// over the output, and of one element. `control`: the verdict on the right answer, whose tolerance it is where that is
/// given in the output's own unit. `all`: every output of the run. Throws std::logic_error for an application that is
/// not listed.
Stated stated_tolerance(const harness::Problem& problem, const harness::Output& output,
                        const std::vector<harness::Output>& all, const core::Verdict& control);

}  // namespace speedwell::campaign
