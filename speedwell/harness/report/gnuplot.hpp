// gnuplot as a program: a script in, an SVG out that can stand in a page beside others.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace speedwell::harness::report {

/// Runs `program` (a name looked up in PATH, or a path) on `script` and returns what it prints. No shell, no start-up
/// files, none of the caller's environment but PATH. Nothing if it cannot be started, fails, or takes longer than
/// `most`.
std::optional<std::string> run_gnuplot(const std::string& program, const std::string& script,
                                       std::chrono::milliseconds most);

/// The SVG that gnuplot printed, made fit to stand inside an HTML page: no prologue, no scripts, no fonts of its own;
/// ids made unique by `prefix`; `title` and `description` for who cannot see it; colours by reference to the page's, so
/// that it follows light and dark. The texts are escaped here. Nothing if `svg` is not one.
std::optional<std::string> inline_svg(std::string_view svg, const std::string& prefix, std::string_view title,
                                      std::string_view description);

/// The colours of lines and bars as gnuplot is given them, by Okabe and Ito (2008), told apart by all common kinds of
/// colour vision; style.cpp gives each its shade for light and dark pages.
inline constexpr const char* palette[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"};
inline constexpr int palette_size = 6;
/// For grid lines.
inline constexpr const char* grid_colour = "#C8C8C8";

}  // namespace speedwell::harness::report
