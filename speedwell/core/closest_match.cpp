#include "speedwell/core/closest_match.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace speedwell::core {
namespace {

// ASCII only, whatever the locale: names are ours.
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t n = a.size(), m = b.size();
  std::vector<std::vector<int>> d(n + 1, std::vector<int>(m + 1));
  for (std::size_t i = 0; i <= n; ++i) d[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= m; ++j) d[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= n; ++i)
    for (std::size_t j = 1; j <= m; ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[n][m];
}

std::string closest_match(std::string_view text, std::span<const std::string> names) {
  std::string best;
  int least = std::numeric_limits<int>::max();
  const std::string_view bounded = text.substr(0, 200);  // a user's text may be long; names are not
  for (const std::string& name : names) {
    const int distance = edit_distance(bounded, name);
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best;
}

std::string similar(std::string_view text, std::span<const std::string> names) {
  constexpr std::size_t min_prefix = 3;  // letters: shorter prefixes are ambiguous
  const std::string* begins = nullptr;   // the shortest: "cud" is "cuda" before "cuda-naive"
  for (const std::string& name : names)
    if (text.size() >= min_prefix && std::string_view(name).starts_with(text) &&
        (!begins || name.size() < begins->size()))
      begins = &name;
  if (begins) return *begins;
  std::string close = closest_match(text, names);
  const std::size_t letters = std::min(text.size(), close.size());
  const int allowed = std::max(1, static_cast<int>((letters + 1) / 3));
  // With one or two letters, an edit leaves nothing in common.
  if (letters < min_prefix || edit_distance(text.substr(0, 200), close) > allowed) close.clear();
  return close;
}

std::string advice(std::string_view text, std::span<const std::string> names) {
  if (names.empty()) return {};
  if (const std::string close = similar(text, names); !close.empty()) return "; the nearest is '" + close + "'";
  std::string list = "; allowed: ";
  for (std::size_t i = 0; i < names.size(); ++i) list.append(i == 0 ? "" : ", ").append(names[i]);
  return list;
}

std::string unknown_name(std::string_view what, std::string_view text, std::span<const std::string> names) {
  std::string message = "unknown ";
  return message.append(what).append(" '").append(text).append("'").append(advice(text, names));
}

bool matches_glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (star != std::string_view::npos) {  // let the last star match one more letter
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace speedwell::core
