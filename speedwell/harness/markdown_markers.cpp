// The places in Markdown texts that generated tables stand in: <!-- results:NAME --> … <!-- /results -->.
#include <algorithm>
#include <stdexcept>

#include "speedwell/harness/markdown.hpp"

namespace speedwell::harness {
namespace {

constexpr std::string_view opening = "<!-- results:", closing = "<!-- /results -->", end_of_comment = " -->";

// A line of the text with its end; `content` is without it and without blanks around.
struct Line {
  std::string_view whole, content;
};

Line take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view whole = text.substr(0, end == std::string_view::npos ? text.size() : end + 1);
  text.remove_prefix(whole.size());
  std::string_view content = whole;
  while (!content.empty() && std::string_view(" \t\r\n").find(content.back()) != std::string_view::npos)
    content.remove_suffix(1);
  while (!content.empty() && (content.front() == ' ' || content.front() == '\t')) content.remove_prefix(1);
  return {whole, content};
}

// The text with its tables replaced by those that there are; `seen` becomes the names of all markers.
std::string replaced(std::string_view text, const std::map<std::string, std::string>& tables,
                     std::vector<std::string>& seen) {
  std::string out, open, fence;
  while (!text.empty()) {
    const Line line = take_line(text);
    const bool fences = line.content.starts_with("```") || line.content.starts_with("~~~");
    if (open.empty() && fences && (fence.empty() || line.content.starts_with(fence)))
      fence = fence.empty() ? std::string(line.content.substr(0, 3)) : std::string();
    const bool code = !fence.empty();
    if (!code && line.content == closing) {
      if (open.empty()) throw std::invalid_argument("'<!-- /results -->' closes nothing");
      open.clear();
    } else if (!code && line.content.starts_with(opening) && line.content.ends_with(end_of_comment)) {
      const auto name = std::string(
          line.content.substr(opening.size(), line.content.size() - opening.size() - end_of_comment.size()));
      if (!open.empty())
        throw std::invalid_argument("'<!-- results:" + open + " -->' is not closed before the next one");
      if (name.empty() || std::find(seen.begin(), seen.end(), name) != seen.end())
        throw std::invalid_argument("'<!-- results:" + name + " -->' has no name of its own");
      seen.push_back(name);
      open = name;
      out += line.whole;
      if (const auto table = tables.find(name); table != tables.end()) {
        out += table->second;
        if (!table->second.empty() && table->second.back() != '\n') out += '\n';
      }
      continue;
    }
    if (open.empty() || !tables.contains(open) || line.content == closing) out += line.whole;
  }
  if (!open.empty()) throw std::invalid_argument("'<!-- results:" + open + " -->' is not closed");
  return out;
}

}  // namespace

std::string update_markers(std::string_view text, const std::map<std::string, std::string>& tables) {
  std::vector<std::string> seen;
  std::string out = replaced(text, tables, seen);
  for (const auto& [name, table] : tables)
    if (std::find(seen.begin(), seen.end(), name) == seen.end())
      throw std::invalid_argument("there is no '<!-- results:" + name + " -->'");
  return out;
}

std::vector<std::string> marker_names(std::string_view text) {
  std::vector<std::string> names;
  replaced(text, {}, names);
  return names;
}

}  // namespace speedwell::harness
