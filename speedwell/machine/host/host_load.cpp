#include "speedwell/machine/host/host_load.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include "speedwell/machine/files.hpp"

namespace speedwell::machine {
namespace {

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

double seconds_of(const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }

}  // namespace

HostLoad& HostLoad::operator+=(const HostLoad& other) {
  const double window = window_s + other.window_s;
  if (window > 0) {
    others = (others * window_s + other.others * other.window_s) / window;
    steal = (steal * window_s + other.steal * other.window_s) / window;
  }
  window_s = window;
  involuntary_switches += other.involuntary_switches;
  return *this;
}

std::optional<CpuSeconds> cpu_seconds(const std::string& stat, const std::vector<int>& cpus, double ticks_per_second) {
  std::set<int> left(cpus.begin(), cpus.end());
  CpuSeconds all;
  std::istringstream lines(stat);
  for (std::string line; std::getline(lines, line) && !left.empty();) {
    if (line.size() < 4 || line.compare(0, 3, "cpu") != 0 || line[3] < '0' || line[3] > '9') continue;
    std::istringstream words(line.substr(3));
    int cpu = 0;
    double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
    if (!(words >> cpu)) return std::nullopt;
    if (!left.contains(cpu)) continue;
    if (!(words >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal)) return std::nullopt;
    left.erase(cpu);
    all.busy += (user + nice + system + irq + softirq) / ticks_per_second;
    all.steal += steal / ticks_per_second;
  }
  if (!left.empty() || cpus.empty()) return std::nullopt;
  return all;
}

HostLoadMeter::HostLoadMeter() : HostLoadMeter(allowed_cpus()) {}
HostLoadMeter::HostLoadMeter(std::vector<int> cpus) : cpus_(std::move(cpus)) {}

void HostLoadMeter::begin() { begin_ = read(); }

std::optional<HostLoadMeter::Counters> HostLoadMeter::read() const {
  const auto stat = read_text("/proc/stat");
  rusage usage = {};
  timespec now = {};
  if (!stat || getrusage(RUSAGE_SELF, &usage) != 0 || clock_gettime(CLOCK_MONOTONIC, &now) != 0) return std::nullopt;
  const auto seconds = cpu_seconds(*stat, cpus_, static_cast<double>(sysconf(_SC_CLK_TCK)));
  if (!seconds) return std::nullopt;
  return Counters{seconds->busy, seconds->steal, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
                  static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec), usage.ru_nivcsw};
}

std::optional<HostLoad> HostLoadMeter::end() const {
  const auto now = begin_ ? read() : std::nullopt;
  if (!now) return std::nullopt;
  const double window = now->wall_s - begin_->wall_s;
  const double available = window * static_cast<double>(cpus_.size());
  if (available <= 0) return std::nullopt;
  const auto fraction = [&](double seconds) { return std::clamp(seconds / available, 0.0, 1.0); };
  return HostLoad{window, fraction(now->busy_s - begin_->busy_s - (now->own_s - begin_->own_s)),
                  fraction(now->steal_s - begin_->steal_s), now->switches - begin_->switches};
}

}  // namespace speedwell::machine
