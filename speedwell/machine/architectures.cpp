#include "speedwell/machine/architectures.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

namespace speedwell::machine {
namespace {

struct Architecture {
  int capability = 0;
  char suffix = 0;  // 'a': exactly this one, 'f': its family
  bool machine_code = true, ptx = true;
  bool everything = false;  // "all", "all-major": whatever the toolkit knows
};

std::vector<Architecture> parse(std::string_view list) {
  std::vector<Architecture> found;
  while (!list.empty()) {
    const auto end = std::min(list.find_first_of(",;"), list.size());
    std::string_view word = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    Architecture a;
    if (word.starts_with("all")) {
      a.everything = true;
      found.push_back(a);
      continue;
    }
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), a.capability);
    if (error != std::errc{}) continue;
    word.remove_prefix(static_cast<std::size_t>(rest - word.data()));
    if (!word.empty() && word[0] != '-') {
      a.suffix = word[0];
      word.remove_prefix(1);
    }
    if (word == "-real") a.ptx = false;
    if (word == "-virtual") a.machine_code = false;
    found.push_back(a);
  }
  return found;
}

bool runs(const Architecture& a, int capability) {
  if (a.everything) return true;
  if (a.suffix == 'a') return capability == a.capability;
  const bool same_major = capability / 10 == a.capability / 10, later = capability >= a.capability;
  if (a.suffix != 0) return same_major && later;
  return (a.machine_code && same_major && later) || (a.ptx && later);
}

std::string spelled(int capability) { return std::to_string(capability / 10) + "." + std::to_string(capability % 10); }

}  // namespace

bool runs_on(std::string_view architectures, int capability) {
  const auto list = parse(architectures);
  return std::any_of(list.begin(), list.end(), [&](const Architecture& a) { return runs(a, capability); });
}

std::string why_not_runnable(std::string_view architectures, int capability) {
  std::vector<std::string> names;
  for (const Architecture& a : parse(architectures)) {
    const std::string name = spelled(a.capability) + (a.suffix ? std::string(1, a.suffix) : "");
    if (a.machine_code) names.push_back(name);
    if (a.ptx) names.push_back(name + " PTX");
  }
  std::string text = "this GPU has compute capability " + spelled(capability) + "; this build has code for ";
  if (names.empty()) return text + "none";
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

}  // namespace speedwell::machine
