#include "speedwell/machine/host/topology.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "speedwell/machine/host/cpu.hpp"
#include "tree.hpp"

namespace speedwell::machine {
namespace {

// Two sockets of two cores of two hardware threads; L3 for each socket. Thread t and t + 4 are one core.
void two_sockets(Tree& tree) {
  for (int cpu = 0; cpu < 8; ++cpu) {
    const int core = cpu % 4, socket = core / 2;
    const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/";
    const std::string siblings = std::to_string(core) + "," + std::to_string(core + 4) + "\n";
    tree.file(folder + "topology/core_cpus_list", siblings);
    tree.file(folder + "topology/physical_package_id", std::to_string(socket) + "\n");
    const auto cache = [&](int index, const char* level, const char* type, const char* size,
                           const std::string& shared) {
      const std::string at = folder + "cache/index" + std::to_string(index) + "/";
      tree.file(at + "level", level)
          .file(at + "type", type)
          .file(at + "size", size)
          .file(at + "shared_cpu_list", shared);
    };
    cache(0, "1\n", "Data\n", "48K\n", siblings);
    cache(1, "1\n", "Instruction\n", "32K\n", siblings);
    cache(2, "2\n", "Unified\n", "2048K\n", siblings);
    cache(3, "3\n", "Unified\n", "32M\n", socket == 0 ? "0-1,4-5\n" : "2-3,6-7\n");
  }
  tree.file("sys/devices/system/node/node0/cpulist", "0-1,4-5\n");
  tree.file("sys/devices/system/node/node1/cpulist", "2-3,6-7\n");
  tree.file("sys/devices/system/node/node2/cpulist", "\n");  // memory without processors
}

TEST(Topology, AWholeMachineIsReadFromSys) {
  Tree tree;
  two_sockets(tree);
  const Topology t = sysfs_topology(tree.root(), {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(t.sockets, 2);
  EXPECT_EQ(t.numa_nodes, 2);
  EXPECT_EQ(t.cores, 4);
  ASSERT_EQ(t.caches.size(), 3u);  // the instruction cache is not among them
  EXPECT_EQ(t.caches[0].level, 1);
  EXPECT_EQ(t.caches[0].bytes, 48 << 10);
  EXPECT_EQ(t.caches[0].instances, 4);
  EXPECT_EQ(t.caches[0].shared_by, 1);
  EXPECT_EQ(t.caches[2].bytes, 32 << 20);
  EXPECT_EQ(t.caches[2].instances, 2);
  EXPECT_EQ(t.caches[2].shared_by, 2);
}

TEST(Topology, OnlyWhatTheProcessMayUseCounts) {
  Tree tree;
  two_sockets(tree);
  const Topology t = sysfs_topology(tree.root(), {2, 3, 6});  // both cores of socket 1, one of them with both threads
  EXPECT_EQ(t.sockets, 1);
  EXPECT_EQ(t.numa_nodes, 1);
  EXPECT_EQ(t.cores, 2);
  ASSERT_EQ(t.caches.size(), 3u);
  EXPECT_EQ(t.caches[1].instances, 2);
  EXPECT_EQ(t.caches[2].instances, 1);
  EXPECT_EQ(t.caches[2].shared_by, 2);
}

TEST(Topology, WithoutSysEachHardwareThreadIsACore) {
  Tree tree;
  const Topology t = sysfs_topology(tree.root(), {0, 1, 2});
  EXPECT_EQ(t.cores, 3);
  EXPECT_EQ(t.sockets, 1);
  EXPECT_EQ(t.numa_nodes, 1);
  EXPECT_TRUE(t.caches.empty());
}

// In a build with hwloc these are two independent readings of one machine.
TEST(Topology, ThisBuildAgreesWithSysAboutThisMachine) {
  const auto cpus = allowed_cpus();
  const Topology ours = read_topology(cpus), sys = sysfs_topology("/", cpus);
  EXPECT_EQ(ours.sockets, sys.sockets);
  EXPECT_EQ(ours.numa_nodes, sys.numa_nodes);
  EXPECT_EQ(ours.cores, sys.cores);
  if (sys.caches.empty()) GTEST_SKIP() << "no caches in /sys";
  ASSERT_EQ(ours.caches.size(), sys.caches.size());
  for (std::size_t i = 0; i < sys.caches.size(); ++i) {
    EXPECT_EQ(ours.caches[i].level, sys.caches[i].level);
    EXPECT_EQ(ours.caches[i].bytes, sys.caches[i].bytes);
    EXPECT_EQ(ours.caches[i].instances, sys.caches[i].instances);
    EXPECT_EQ(ours.caches[i].shared_by, sys.caches[i].shared_by);
  }
}

}  // namespace
}  // namespace speedwell::machine
