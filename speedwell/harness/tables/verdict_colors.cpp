#include "speedwell/harness/tables/verdict_colors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace speedwell::harness {

std::string with_colors(const std::string& table) {
  constexpr std::pair<std::string_view, std::string_view> codes[] = {
      {" ok", "32"}, {" ok, busy", "33"}, {" skipped", "33"}, {" FAILED", "1;31"}, {" ERROR", "1;31"}};
  std::string colored;
  for (std::size_t begin = 0; begin < table.size();) {
    const std::size_t end = std::min(table.find('\n', begin), table.size());
    const std::string_view line = std::string_view(table).substr(begin, end - begin);
    const auto* const code =
        std::find_if(std::begin(codes), std::end(codes), [&](const auto& c) { return line.ends_with(c.first); });
    if (code == std::end(codes)) {
      colored += line;
    } else {
      const std::string_view verdict = code->first.substr(1);
      colored +=
          fmt::format("{}\x1b[{}m{}\x1b[0m", line.substr(0, line.size() - verdict.size()), code->second, verdict);
    }
    if (end < table.size()) colored += '\n';
    begin = end + 1;
  }
  return colored;
}

}  // namespace speedwell::harness
