#include "speedwell/machine/host/cpu.hpp"

#include <gtest/gtest.h>

#include "speedwell/machine/cgroup.hpp"
#include "speedwell/machine/host/topology.hpp"
#include "tree.hpp"

namespace speedwell::machine {
namespace {

constexpr const char* cpuinfo =
    "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
    "model name\t: Intel(R) Xeon(R) Platinum 8480C\n"
    "flags\t\t: fpu sse2 sse4_1 sse4_2 avx avx2 avx512f avx512bw hypervisor amx_tile fma\nbugs\t\t:\n";

TEST(Cpu, NameAndInstructionSetsComeFromCpuinfo) {
  EXPECT_EQ(cpu_name(cpuinfo), "Intel(R) Xeon(R) Platinum 8480C");
  EXPECT_EQ(instruction_sets(cpuinfo), (std::vector<std::string>{"sse2", "sse4.1", "sse4.2", "avx", "avx2", "avx512f",
                                                                 "avx512bw", "amx_tile", "fma"}));
  EXPECT_EQ(instruction_sets("Features\t: fp asimd sve\n"), (std::vector<std::string>{"fp", "asimd", "sve"}));
  EXPECT_EQ(cpu_name(""), "unknown");
  EXPECT_TRUE(instruction_sets("").empty());
}

TEST(Cgroup, TheStrictestOfAGroupAndItsParentsHolds) {
  Tree tree;
  tree.file("proc/self/cgroup", "0::/batch/job7/step\n");
  tree.file("sys/fs/cgroup/batch/cpu.max", "300000 100000\n").file("sys/fs/cgroup/batch/memory.max", "8589934592\n");
  tree.file("sys/fs/cgroup/batch/memory.current", "8589934592\n")
      .file("sys/fs/cgroup/batch/memory.stat", "anon 1\ninactive_file 4294967296\n");
  tree.file("sys/fs/cgroup/batch/job7/cpu.max", "150000 100000\n").file("sys/fs/cgroup/batch/job7/memory.max", "max\n");
  tree.file("sys/fs/cgroup/batch/job7/step/cpu.max", "max 100000\n");
  const CgroupLimits limits = cgroup_limits(tree.root());
  ASSERT_TRUE(limits.cpus);
  EXPECT_DOUBLE_EQ(*limits.cpus, 1.5);
  EXPECT_EQ(limits.memory_bytes, 8589934592);
  EXPECT_EQ(limits.memory_available, 4294967296);  // full, but half of it is file pages that can go
}

TEST(Cgroup, VersionOneHasAMountForEachController) {
  Tree tree;
  tree.file("proc/self/cgroup", "9:name=systemd:/\n4:memory:/docker/abc\n1:cpu,cpuacct:/docker/abc\n0::/\n");
  tree.file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n").file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  tree.file("sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us", "200000\n")
      .file("sys/fs/cgroup/cpu/docker/abc/cpu.cfs_period_us", "100000\n");
  // Seen from inside a container: the group's own files are at the root of the mount.
  tree.file("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n")
      .file("sys/fs/cgroup/memory/memory.usage_in_bytes", "1000000\n")
      .file("sys/fs/cgroup/memory/memory.stat", "inactive_file 5\ntotal_inactive_file 400000\n");
  const CgroupLimits limits = cgroup_limits(tree.root());
  EXPECT_EQ(limits.cpus, 2.0);
  EXPECT_EQ(limits.memory_bytes, 1073741824);
  EXPECT_EQ(limits.memory_available, 1073741824 - 600000);
}

TEST(Cgroup, NoLimitIsEmpty) {
  Tree tree;
  EXPECT_FALSE(cgroup_limits(tree.root()).cpus);
  tree.file("proc/self/cgroup", "4:memory:/\n0::/../../elsewhere\n");
  tree.file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  tree.file("sys/fs/cgroup/cpu.max", "max 100000\n");
  const CgroupLimits limits = cgroup_limits(tree.root());
  EXPECT_FALSE(limits.cpus);
  EXPECT_FALSE(limits.memory_bytes);
  EXPECT_FALSE(limits.memory_available);
}

TEST(Cpu, ControlGroupsNarrowWhatTheAffinityAllows) {
  Tree tree;
  tree.file("proc/cpuinfo", cpuinfo).file("proc/meminfo", "MemTotal: 4194304 kB\nMemAvailable: 2097152 kB\n");
  const std::vector<int> cpus{0, 1, 2, 3};
  Topology topology = sysfs_topology(tree.root(), cpus);
  Cpu cpu = describe_cpu(tree.root(), cpus, topology);
  EXPECT_EQ(cpu.threads, 4);
  EXPECT_EQ(cpu.memory_bytes, std::int64_t{4} << 30);
  EXPECT_EQ(available_bytes(tree.root()), std::int64_t{2} << 30);

  tree.file("proc/self/cgroup", "0::/a\n").file("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  tree.file("sys/fs/cgroup/a/memory.max", "1073741824\n").file("sys/fs/cgroup/a/memory.current", "73741824\n");
  cpu = describe_cpu(tree.root(), cpus, topology);
  EXPECT_EQ(cpu.threads, 2);  // one and a half, rounded up
  EXPECT_EQ(cpu.cores, 2);
  EXPECT_EQ(cpu.memory_bytes, 1073741824);
  EXPECT_EQ(available_bytes(tree.root()), 1000000000);
}

TEST(Cpu, TheSystemsNameIsUnquoted) {
  Tree tree;
  EXPECT_EQ(os_name(tree.root()), "Linux");
  tree.file("etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  EXPECT_EQ(os_name(tree.root()), "Debian GNU/Linux 12 (bookworm)");
}

}  // namespace
}  // namespace speedwell::machine
