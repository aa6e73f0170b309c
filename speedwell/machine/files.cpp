#include "speedwell/machine/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

namespace speedwell::machine {
namespace {

constexpr std::string_view white = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(white);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white) - first + 1);
}

// Removes the part before the next `separator` from the front of `text`.
std::string_view take_until(std::string_view& text, char separator) {
  const auto end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

}  // namespace

std::optional<std::string> read_text(const std::filesystem::path& file) {
  // Plain system calls, because sensors are read between timed samples, and because reading a counter in /sys may fail
  // after opening it.
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  std::string text;
  std::array<char, 4096> part;
  ::ssize_t got = 0;
  do {
    got = ::read(descriptor, part.data(), part.size());
    if (got > 0) text.append(part.data(), static_cast<std::size_t>(got));
  } while (got > 0 || (got < 0 && errno == EINTR));
  ::close(descriptor);
  if (got < 0) return std::nullopt;
  const auto last = text.find_last_not_of(white);
  text.resize(last == std::string::npos ? 0 : last + 1);
  return text;
}

std::optional<std::int64_t> read_whole(const std::filesystem::path& file) {
  const auto text = read_text(file);
  return text ? parse_whole(*text) : std::nullopt;
}

std::optional<std::int64_t> parse_whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  constexpr std::int64_t max_id = 1 << 20;
  std::vector<int> cpus;
  text = trimmed(text);
  while (!text.empty()) {
    std::string_view range = take_until(text, ',');
    const bool single = range.find('-') == std::string_view::npos;
    const auto first = parse_whole(take_until(range, '-'));
    const auto last = single ? first : parse_whole(range);
    if (!first || !last || *first < 0 || *last < *first || *last >= max_id) return std::nullopt;
    for (std::int64_t cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<int>(cpu));
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::optional<std::int64_t> parse_cache_size(std::string_view text) {
  text = trimmed(text);
  int shift = 0;
  if (!text.empty()) {
    switch (text.back()) {
      case 'K':
        shift = 10;
        break;
      case 'M':
        shift = 20;
        break;
      case 'G':
        shift = 30;
        break;
      default:
        break;
    }
    if (shift > 0) text.remove_suffix(1);
  }
  const auto value = parse_whole(text);
  if (!value || *value < 0 || *value > (INT64_MAX >> shift)) return std::nullopt;
  return *value << shift;
}

std::optional<std::string_view> value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    if (!line.starts_with(key)) continue;
    line = trimmed(line.substr(key.size()));
    if (line.starts_with(':')) return trimmed(line.substr(1));
    if (!line.empty()) return line;
  }
  return std::nullopt;
}

std::vector<std::filesystem::path> numbered_entries(const std::filesystem::path& folder, std::string_view prefix) {
  std::vector<std::pair<std::int64_t, std::filesystem::path>> found;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with(prefix)) continue;
    const auto number = parse_whole(std::string_view(name).substr(prefix.size()));
    if (number && *number >= 0) found.emplace_back(*number, it->path());
  }
  std::sort(found.begin(), found.end());
  std::vector<std::filesystem::path> paths;
  for (auto& [number, path] : found) paths.push_back(std::move(path));
  return paths;
}

}  // namespace speedwell::machine
