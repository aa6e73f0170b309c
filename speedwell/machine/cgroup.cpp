// The files are described in the kernel's Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
#include "speedwell/machine/cgroup.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "speedwell/machine/files.hpp"

namespace speedwell::machine {
namespace {

namespace fs = std::filesystem;

template <class T>
void tighten(std::optional<T>& limit, std::optional<T> other) {
  if (other && (!limit || *other < *limit)) limit = other;
}

// Version 1 represents "no limit" by the largest multiple of a page.
constexpr std::int64_t unlimited = std::int64_t{1} << 60;

// `path` in the mount and all parent groups up to the mount itself. Inside a container the path may be one of the host
// that is not visible in the mount; then the mount's root is the container's group.
std::vector<fs::path> group_and_parents(const fs::path& mount, const std::string& path) {
  std::vector<fs::path> groups;
  std::error_code error;
  fs::path relative = fs::path(path).relative_path().lexically_normal();
  const bool outside = !relative.empty() && *relative.begin() == "..";
  if (!outside && fs::is_directory(mount / relative, error))
    for (; !relative.empty() && relative != "."; relative = relative.parent_path()) groups.push_back(mount / relative);
  groups.push_back(mount);
  return groups;
}

struct MemoryFiles {
  const char *limit, *usage, *reclaimable;
};
constexpr MemoryFiles memory_v1 = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr MemoryFiles memory_v2 = {"memory.max", "memory.current", "inactive_file"};

void read_memory(const fs::path& group, const MemoryFiles& names, CgroupLimits& limits) {
  const auto limit = read_whole(group / names.limit);  // "max" is not a number
  if (!limit || *limit < 0 || *limit >= unlimited) return;
  tighten(limits.memory_bytes, limit);
  const auto usage = read_whole(group / names.usage);
  if (!usage) return;
  const auto stat = read_text(group / "memory.stat");
  const auto text = stat ? value_of(*stat, names.reclaimable) : std::nullopt;
  const std::int64_t reclaimable = text ? parse_whole(*text).value_or(0) : 0;
  const std::int64_t used = std::max<std::int64_t>(0, *usage - reclaimable);
  tighten(limits.memory_available, std::optional(std::max<std::int64_t>(0, *limit - used)));
}

std::optional<double> cpus(std::optional<std::int64_t> quota_us, std::optional<std::int64_t> period_us) {
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) return std::nullopt;
  return static_cast<double>(*quota_us) / static_cast<double>(*period_us);
}

std::optional<double> cpus_v2(const fs::path& group) {
  const auto text = read_text(group / "cpu.max");  // "max 100000" or "150000 100000"
  if (!text) return std::nullopt;
  const auto space = text->find(' ');
  if (space == std::string::npos) return std::nullopt;
  return cpus(parse_whole(text->substr(0, space)), parse_whole(text->substr(space + 1)));
}

bool lists(const std::string& controllers, const std::string& name) {
  std::istringstream words(controllers);
  for (std::string word; std::getline(words, word, ',');)
    if (word == name) return true;
  return false;
}

}  // namespace

CgroupLimits cgroup_limits(const fs::path& root) {
  CgroupLimits limits;
  const auto groups = read_text(root / "proc/self/cgroup");
  if (!groups) return limits;
  const fs::path mounts = root / "sys/fs/cgroup";
  std::istringstream lines(*groups);
  for (std::string line; std::getline(lines, line);) {  // "hierarchy:controllers:path"
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (controllers.empty()) {
      std::error_code error;
      const fs::path hybrid = mounts / "unified";
      for (const auto& group : group_and_parents(fs::is_directory(hybrid, error) ? hybrid : mounts, path)) {
        tighten(limits.cpus, cpus_v2(group));
        read_memory(group, memory_v2, limits);
      }
    } else if (lists(controllers, "cpu")) {
      for (const auto& group : group_and_parents(mounts / "cpu", path))
        tighten(limits.cpus, cpus(read_whole(group / "cpu.cfs_quota_us"), read_whole(group / "cpu.cfs_period_us")));
    } else if (lists(controllers, "memory")) {
      for (const auto& group : group_and_parents(mounts / "memory", path)) read_memory(group, memory_v1, limits);
    }
  }
  return limits;
}

}  // namespace speedwell::machine
