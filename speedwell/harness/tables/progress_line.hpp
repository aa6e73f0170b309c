// A line that tells how far a campaign is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace speedwell::harness {

/// `name` in at most `width` columns, its end cut off; of "problem: variant" the problem's, where that is enough.
std::string shortened(const std::string& name, std::size_t width);

/// "[23/31] fft n=128: openmp, 1:02 so far, 0:40 left", in at most `width` columns; `what`, in the middle, is shortened
/// if necessary. Times are in seconds. `is_bound`: `left` is an upper bound and not an estimate.
std::string progress_line(const std::string& count, const std::string& what, double elapsed, std::optional<double> left,
                          bool is_bound, std::size_t width);

/// An estimate of the seconds that are left after `elapsed` seconds, in which `done` of `all` units of work were done;
/// nothing if `done` is 0.
std::optional<double> time_left(double done, double all, double elapsed);

}  // namespace speedwell::harness
