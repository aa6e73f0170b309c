// Parsing of counts and times on the command line and in files, and printing of quantities.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace speedwell::core {

/// A count: "1000", "1e8", "2^28", "64Mi" (binary: Ki Mi Gi Ti) or "64M" (decimal: k K M G T). Throws
/// std::invalid_argument naming the text if it is anything else, negative, not whole, or above 2^63 - 1.
std::int64_t parse_count(std::string_view text);
/// A time in seconds: "500ms", "10s", "5m", "2h", "20us". A bare number is an error. Throws std::invalid_argument.
double parse_seconds(std::string_view text);
/// A real number in the C locale. Throws std::invalid_argument for anything else, also for inf and nan.
double parse_real(std::string_view text);

/// "1.25 GiB", "512 B".
std::string format_bytes(double bytes);
/// "12.3 us", "1.50 s": three significant digits.
std::string format_seconds(double seconds);
/// "5:37:11": hours, minutes and seconds, rounded.
std::string format_clock(double seconds);
/// A number with three significant digits and no exponent where that is legible: "4310", "0.052", "1.2e+09".
std::string format_number(double value);

/// A number of things: "1 core", "0 cores", "2 cores"; "1 query", "2 queries" with `plural`, the noun of all numbers
/// but 1, which is `singular` with an s if it is empty.
template <std::integral Count>
std::string counted(Count count, std::string_view singular, std::string_view plural = {}) {
  std::string text = std::to_string(count) + ' ';
  if (count == 1 || plural.empty()) text += singular;
  if (count != 1) plural.empty() ? text += 's' : text += plural;
  return text;
}
/// The same in a sentence: "there is 1 core", "there are 2 cores".
template <std::integral Count>
std::string there_are(Count count, std::string_view singular, std::string_view plural = {}) {
  std::string text = count == 1 ? "there is " : "there are ";
  return text += counted(count, singular, plural);
}

}  // namespace speedwell::core
