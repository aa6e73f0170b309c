#include "speedwell/harness/tables/progress_line.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "speedwell/core/units.hpp"

namespace speedwell::harness {

std::string shortened(const std::string& name, std::size_t width) {
  constexpr std::size_t min_width = 4;
  if (name.size() <= std::max(width, min_width)) return name;
  const std::size_t variant = name.rfind(": ");
  if (variant != std::string::npos && width >= name.size() - variant + min_width)  // the problem is shortened, not that
    return shortened(name.substr(0, variant), width - (name.size() - variant)) + name.substr(variant);
  return name.substr(0, std::max(width, min_width) - 3) + "...";
}

std::string progress_line(const std::string& count, const std::string& what, double elapsed, std::optional<double> left,
                          bool is_bound, std::size_t width) {
  const std::string begin = "[" + count + "] ";
  std::string end = ", " + core::format_clock(elapsed) + " so far";
  if (left) end += fmt::format(", {}{} left", is_bound ? "at most " : "", core::format_clock(*left));
  const std::size_t taken = begin.size() + end.size();
  return begin + shortened(what, width > taken ? width - taken : 0) + end;
}

std::optional<double> time_left(double done, double all, double elapsed) {
  if (!(done > 0)) return std::nullopt;
  return elapsed * std::max(0.0, all - done) / done;
}

}  // namespace speedwell::harness
