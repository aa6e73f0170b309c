#include "speedwell/core/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace speedwell::core {
namespace {

[[noreturn]] void refuse(std::string_view text, std::string_view what) {
  throw std::invalid_argument(fmt::format("'{}' is not {}", text, what));
}
constexpr std::string_view count_grammar = "a count (allowed: 1000, 1e8, 2^28, 64Mi, 64M; below 2^63)";
constexpr std::string_view time_grammar = "a time (allowed: 20us, 500ms, 10s, 5m, 2h)";

// Removes an unsigned decimal number from the front of `text`; from_chars would also accept a sign, "inf" and
// hexadecimals.
double take_number(std::string_view& text) {
  double value = 0;
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::numeric_limits<double>::quiet_NaN();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::numeric_limits<double>::quiet_NaN();
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

}  // namespace

std::int64_t parse_count(std::string_view text) {
  std::string_view rest = text;
  // Integers are parsed exactly: above 2^53 a double would round them.
  if (std::int64_t whole = 0; !text.empty() && text[0] >= '0' && text[0] <= '9') {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (error == std::errc{} && end == text.data() + text.size()) return whole;
  }
  double value = take_number(rest);
  const bool exponent_form = text.substr(0, text.size() - rest.size()).find_first_of("eE") != std::string_view::npos;
  if (exponent_form && !rest.empty()) refuse(text, count_grammar);
  if (!rest.empty() && rest[0] == '^') {
    rest.remove_prefix(1);
    const double exponent = take_number(rest);
    if (value != 2 || exponent != std::floor(exponent)) refuse(text, count_grammar);
    value = std::exp2(exponent);
  }
  constexpr std::array<std::pair<std::string_view, double>, 10> suffixes = {{{"", 1.0},
                                                                             {"Ki", 0x1p10},
                                                                             {"Mi", 0x1p20},
                                                                             {"Gi", 0x1p30},
                                                                             {"Ti", 0x1p40},
                                                                             {"k", 1e3},
                                                                             {"K", 1e3},
                                                                             {"M", 1e6},
                                                                             {"G", 1e9},
                                                                             {"T", 1e12}}};
  for (const auto& [suffix, factor] : suffixes) {
    if (rest != suffix) continue;
    value *= factor;
    if (!(value >= 0 && value < 0x1p63) || value != std::floor(value)) break;
    return static_cast<std::int64_t>(value);
  }
  refuse(text, count_grammar);
}

double parse_seconds(std::string_view text) {
  std::string_view rest = text;
  const double value = take_number(rest);
  constexpr std::array<std::pair<std::string_view, double>, 5> units = {
      {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}}};
  for (const auto& [unit, factor] : units)
    if (rest == unit && std::isfinite(value)) return value * factor;
  refuse(text, time_grammar);
}

double parse_real(std::string_view text) {
  std::string_view rest = text;
  const bool negative = !rest.empty() && rest[0] == '-';
  if (negative) rest.remove_prefix(1);
  const double value = take_number(rest);
  if (!rest.empty() || !std::isfinite(value)) refuse(text, "a number");
  return negative ? -value : value;
}

std::string format_bytes(double bytes) {
  constexpr std::array<const char*, 6> units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  // From 999.5 on three digits would need an exponent: 1023 KiB are 0.999 MiB.
  while ((unit == 0 ? bytes >= 1024 : bytes >= 999.5) && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string format_seconds(double seconds) {
  if (seconds == 0) return "0 s";
  const double magnitude = std::abs(seconds);
  if (magnitude < 0.9995e-6) return fmt::format("{:.3g} ns", seconds * 1e9);
  if (magnitude < 0.9995e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (magnitude < 0.9995) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (magnitude < 999.5) return fmt::format("{:.3g} s", seconds);
  return fmt::format("{:.0f} s", seconds);
}

std::string format_clock(double seconds) {
  constexpr double max_seconds = 1e15;  // the maximum that is printed
  if (!(seconds < max_seconds)) return "?";
  const auto all = static_cast<std::int64_t>(std::llround(std::max(seconds, 0.0)));
  return fmt::format("{}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60);
}

std::string format_number(double value) {
  const double magnitude = std::abs(value);
  if (value != 0 && (magnitude < 1e-3 || magnitude >= 1e6)) return fmt::format("{:.2e}", value);
  if (magnitude >= 99.95) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

}  // namespace speedwell::core
