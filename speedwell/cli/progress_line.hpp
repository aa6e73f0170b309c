// The line that run, compare, ladder and suite show while they measure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace speedwell::cli {

/// Columns of the terminal on standard error; 80 where it does not say.
std::size_t terminal_columns();

/// `name` in at most `width` columns, its end cut off.
std::string shortened(const std::string& name, std::size_t width);

/// "[23/31] fft n=128: openmp, 1:02 so far, 0:40 left", in at most `width` columns: it is the middle, `what`, that is
/// cut. `at_most`: no more is known of the rest of the time than a bound.
std::string progress_line(const std::string& count, const std::string& what, double elapsed, std::optional<double> left,
                          bool at_most, std::size_t width);

/// Seconds that are left, from the shares of the work that are done and that are not; nothing before any is done.
std::optional<double> time_left(double done, double all, double elapsed);

}  // namespace speedwell::cli
