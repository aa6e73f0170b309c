#include "speedwell/harness/report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace speedwell::harness::report {
namespace {

struct Character {
  std::string_view bytes;
  std::uint32_t code;  // 0xfffd if the bytes are not UTF-8
};

// Takes one character off the front; a byte that begins none counts as one.
Character take(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t size = lead < 0x80                   ? 1
                           : lead >= 0xf0 && lead < 0xf5 ? 4
                           : lead >= 0xe0 && lead < 0xf0 ? 3
                           : lead >= 0xc2 && lead < 0xe0 ? 2
                                                         : 0;
  bool good = size > 0 && size <= text.size();
  std::uint32_t code = size == 1 ? lead : size > 1 ? lead & (0x7fu >> size) : 0;
  for (std::size_t i = 1; good && i < size; ++i) {
    good = (byte(i) & 0xc0) == 0x80;
    code = code << 6 | (byte(i) & 0x3f);
  }
  if (size == 3 && code < 0x800) good = false;
  if (size == 4 && (code < 0x10000 || code > 0x10ffff)) good = false;
  if (code >= 0xd800 && code < 0xe000) good = false;
  const Character c{text.substr(0, good ? size : 1), good ? code : 0xfffd};
  text.remove_prefix(c.bytes.size());
  return c;
}

// Codes that would be invisible, or turn the direction of what follows.
bool unprintable(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || code == 0x61c ||
         (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || code == 0xfffd || (code & 0xfffe) == 0xfffe ||
         (code >= 0xfdd0 && code <= 0xfdef);
}

constexpr std::string_view mark = "\xef\xbf\xbd";  // U+FFFD

std::string in_unit(double value, double factor, const char* unit, int digits) {
  return fmt::format("{:.{}g}{}{}", value * factor, digits, *unit ? " " : "", unit);
}

// The unit in which a time of this magnitude has one to three digits before the point.
std::pair<double, const char*> unit_of(double value) {
  const double magnitude = std::abs(value);
  if (magnitude < 0.9995e-6) return {1e9, "ns"};
  if (magnitude < 0.9995e-3) return {1e6, "µs"};
  if (magnitude < 0.9995) return {1e3, "ms"};
  return {1, "s"};
}

// Significant digits without an exponent below a million.
std::string digits_of(double value, int digits) {
  const double magnitude = std::abs(value);
  if (value == 0) return "0";
  if (magnitude >= 1e6 || magnitude < 1e-4) return fmt::format("{:.{}e}", value, digits - 1);
  const std::string rounded = fmt::format("{:.{}e}", value, digits - 1);  // 0.9996 counts as 1.00
  const int before = std::atoi(rounded.c_str() + rounded.find('e') + 1) + 1;
  return fmt::format("{:.{}f}", value, std::max(0, digits - before));
}

}  // namespace

std::string escape(std::string_view text, std::size_t limit) {
  std::string out;
  for (std::size_t n = 0; !text.empty(); ++n) {
    if (n == limit) return out + "…";
    const Character c = take(text);
    switch (c.code) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\n':
      case '\t':
        out += ' ';
        break;
      default:
        if (unprintable(c.code))
          out += mark;
        else
          out += c.bytes;
    }
  }
  return out;
}

std::string clip(std::string_view text, std::size_t limit) {
  std::string out;
  for (std::size_t n = 0; !text.empty(); ++n) {
    const Character c = take(text);
    if (n + 1 == limit && !text.empty()) return out + "…";
    if (c.code == '\n' || c.code == '\t')
      out += ' ';
    else if (unprintable(c.code))
      out += mark;
    else
      out += c.bytes;
  }
  return out;
}

std::size_t length(std::string_view text) {
  std::size_t n = 0;
  for (; !text.empty(); ++n) take(text);
  return n;
}

std::string seconds(double value, int digits) {
  if (value == 0) return "0 s";
  const auto [factor, unit] = unit_of(value);
  if (std::abs(value) >= 999.5) return fmt::format("{:.0f} s", value);
  return in_unit(value, factor, unit, digits);
}

std::string seconds_interval(double median, const std::pair<double, double>& ends) {
  const double factor = unit_of(median).first;
  return fmt::format("[{}, {}]", digits_of(ends.first * factor, 4), digits_of(ends.second * factor, 4));
}

std::string times(double ratio) { return digits_of(ratio, 3) + "×"; }
std::string times_interval(const std::pair<double, double>& ends) {
  return fmt::format("[{}, {}]", digits_of(ends.first, 3), digits_of(ends.second, 3));
}

std::string figure(double value) { return digits_of(value, 3); }

std::string percent(double fraction) {
  return fraction < 0.0995 ? fmt::format("{:.2g} %", 100 * fraction) : fmt::format("{:.0f} %", 100 * fraction);
}

Cell text(std::string_view plain) { return {escape(plain), {}, {}}; }
Cell value(std::string_view plain, std::string_view hint) { return {escape(plain), std::string(hint), "n"}; }
Cell code(std::string_view plain) { return {"<code>" + escape(plain) + "</code>", {}, {}}; }

Cell time_cell(const records::Phase& phase) {
  Cell cell =
      value(seconds(phase.median, phase.interval ? 4 : 3),
            fmt::format("{} samples in {} passes: 5 % below {}, 95 % below {}", phase.n, phase.passes, seconds(phase.p5),
                        seconds(phase.p95)));
  if (phase.interval)
    cell.html += "<small>" + escape(seconds_interval(phase.median, *phase.interval)) + "</small>";
  else
    cell.html += fmt::format("<small>{} {}</small>", phase.passes, phase.passes == 1 ? "pass" : "passes");
  return cell;
}

Cell ratio_cell(const Ratio& ratio) {
  Cell cell{"<b>" + escape(times(ratio.value)) + "</b>", {}, "n"};
  if (ratio.interval)
    cell.html += "<small>" + escape(times_interval(*ratio.interval)) + "</small>";
  else
    cell.hint = "no interval: one of the two has fewer than 6 passes";
  return cell;
}

Cell missing(std::string_view reason) { return {"–", std::string(reason), "n none"}; }

std::string Table::html(std::size_t most) const {
  std::string out = cards ? "<div class=\"scroll\"><table class=\"cards\">" : "<div class=\"scroll\"><table>";
  if (!caption.empty()) out += "<caption>" + escape(caption) + "</caption>";
  out += "<thead><tr>";
  for (const std::string& column : columns) out += "<th scope=\"col\">" + escape(column) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < std::min(most, rows.size()); ++r) {
    out += "<tr>";
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const Cell& cell = rows[r][c];
      out += c == 0 ? "<th scope=\"row\"" : "<td";
      if (!cell.style.empty()) out += " class=\"" + cell.style + "\"";
      if (!cell.hint.empty()) out += " title=\"" + escape(cell.hint) + "\"";
      if (cards) out += " data-label=\"" + escape(columns[c]) + "\"";
      out += ">" + cell.html + (c == 0 ? "</th>" : "</td>");
    }
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (rows.size() > most)
    out += fmt::format(
        "<p class=\"note\">{} more rows are left out, so that the file stays small: the records hold them.</p>\n",
        rows.size() - most);
  return out;
}

}  // namespace speedwell::harness::report
