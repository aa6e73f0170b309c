#include "speedwell/comm/placement.hpp"

#include <sched.h>
#include <unistd.h>

namespace speedwell::comm {

namespace {

std::string affinity_text() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {};
  std::string text;
  for (int first = 0; first < CPU_SETSIZE; ++first) {
    if (!CPU_ISSET(first, &set)) continue;
    int last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    if (last > first) text += '-' + std::to_string(last);
    first = last;
  }
  return text;
}

}  // namespace

std::string host_name() {
  char name[256] = "";
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

std::vector<Placement> placement(const Communicator& ranks) {
  const std::vector<std::string> hosts = ranks.gather(host_name());
  const std::vector<std::string> locals = ranks.gather(std::to_string(ranks.split_by_host().rank()));
  const std::vector<std::string> cores = ranks.gather(affinity_text());
  std::vector<Placement> all;
  for (std::size_t r = 0; r < hosts.size(); ++r)
    all.push_back({static_cast<int>(r), hosts[r], std::stoi(locals[r]), cores[r], {}});
  return all;
}

}  // namespace speedwell::comm
