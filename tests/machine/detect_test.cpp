#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "speedwell/machine/cgroup.hpp"
#include "speedwell/machine/files.hpp"
#include "speedwell/machine/machine.hpp"

namespace speedwell::machine {
namespace {

// The parent's mask: an OpenMP library that binds threads has narrowed our own by now.
std::size_t processors_of_the_parent() {
  const auto status = read_text("/proc/" + std::to_string(getppid()) + "/status");
  const auto list = status ? value_of(*status, "Cpus_allowed_list") : std::nullopt;
  const auto cpus = list ? parse_cpu_list(*list) : std::nullopt;
  return cpus ? cpus->size() : 0;
}

TEST(Detect, HardwareThreadsAreTheAffinityMaskUnlessAGroupLimitsThem) {
  const std::size_t parents = processors_of_the_parent();
  if (parents == 0) GTEST_SKIP() << "/proc does not show the parent";
  const Machine machine = detect();
  EXPECT_GE(machine.cpu.threads, 1);
  EXPECT_LE(machine.cpu.threads, static_cast<int>(parents));
  // A quota, or places that the user chose, are the reasons for fewer.
  const bool quota = cgroup_limits("/").cpus.has_value();
  if (!quota && !std::getenv("OMP_PLACES")) {
    EXPECT_EQ(machine.cpu.threads, static_cast<int>(parents));
  }
}

TEST(Detect, WhatItFindsHangsTogether) {
  const Machine machine = detect();
  const Cpu& cpu = machine.cpu;
  EXPECT_FALSE(cpu.name.empty());
  EXPECT_GE(cpu.cores, 1);
  EXPECT_LE(cpu.cores, cpu.threads);
  EXPECT_LE(cpu.sockets, cpu.cores);
  EXPECT_GE(cpu.numa_nodes, 1);
  EXPECT_GT(cpu.memory_bytes, 0);
  EXPECT_FALSE(machine.os.empty());
  EXPECT_FALSE(machine.kernel.empty());
  for (const Cache& cache : cpu.caches) {
    EXPECT_GT(cache.bytes, 0);
    EXPECT_GE(cache.instances, 1);
    EXPECT_GE(cache.shared_by, 1);
  }
  EXPECT_TRUE(std::is_sorted(cpu.caches.begin(), cpu.caches.end(),
                             [](const Cache& a, const Cache& b) { return a.level < b.level; }));
  EXPECT_EQ(machine.gpus.empty(), !machine.gpu_reason.empty()) << "no GPU needs a reason, and only that";
}

TEST(Detect, MemoryIsAtMostWhatProcMeminfoSays) {
  std::ifstream in("/proc/meminfo");
  std::string key;
  std::int64_t kib = 0;
  ASSERT_TRUE(in >> key >> kib);
  ASSERT_EQ(key, "MemTotal:");
  const Machine machine = detect();
  EXPECT_LE(machine.cpu.memory_bytes, kib * 1024);
  EXPECT_GT(available_host_bytes(), 0);
  EXPECT_LE(available_host_bytes(), machine.cpu.memory_bytes);
}

TEST(Detect, TheIdIsTheSameEveryTime) {
  const std::string id = detect().id;
  EXPECT_EQ(id.size(), 16u);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(detect().id, id);
}

TEST(Detect, TheLastLevelIsTheLargestLevelOnly) {
  Cpu cpu;
  EXPECT_EQ(cpu.last_level_cache_bytes(), 0);
  cpu.caches = {{1, 100, 1, 8}, {2, 1000, 1, 8}, {3, 30000, 4, 2}, {3, 50000, 4, 1}};
  EXPECT_EQ(cpu.last_level_cache_bytes(), 2 * 30000 + 50000);
}

TEST(Detect, AGpuIsFoundByItsIndexAndNotByItsPosition) {
  Machine machine;
  EXPECT_EQ(find_gpu(machine, 0), nullptr);
  machine.gpus = {{.index = 3, .name = "a"}, {.index = 1, .name = "b"}};
  EXPECT_EQ(find_gpu(machine, 0), nullptr);
  ASSERT_NE(find_gpu(machine, 1), nullptr);
  EXPECT_EQ(find_gpu(machine, 1)->name, "b");
}

}  // namespace
}  // namespace speedwell::machine
