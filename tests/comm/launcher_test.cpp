// Properties of a launch that are known before MPI_Init.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/comm/environment.hpp"
#include "speedwell/comm/launch.hpp"
#include "speedwell/comm/placement.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::comm {
namespace {

class Launcher : public testing::Test {
 protected:
  Launcher() { forget(); }
  ~Launcher() override { forget(); }
  static void forget() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) unsetenv(name);
  }
};

TEST_F(Launcher, NoneWithoutItsVariables) { EXPECT_EQ(launcher_ranks(), std::nullopt); }

TEST_F(Launcher, EachIsKnownByItsVariable) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    setenv(name, "12", 1);
    EXPECT_EQ(launcher_ranks(), 12) << name;
    unsetenv(name);
  }
}

TEST_F(Launcher, WhatIsNoCountIsNotOne) {
  for (const char* value : {"", "many", "0", "-3"}) {
    setenv("PMI_SIZE", value, 1);
    EXPECT_EQ(launcher_ranks(), std::nullopt) << value;
  }
}

TEST(Host, HasAName) { EXPECT_FALSE(host_name().empty()); }

using Words = std::vector<std::string>;

/// A folder with a program of each name that is the whole PATH while it lives.
class PathWith {
 public:
  explicit PathWith(const Words& names)
      : before_(std::getenv("PATH")), folder_(testing::TempDir() + "/launchersXXXXXX") {
    if (!mkdtemp(folder_.data())) throw std::runtime_error("no temporary folder");
    for (const std::string& name : names) {
      std::ofstream(folder_ + "/" + name) << "#!/bin/sh\n";
      std::filesystem::permissions(folder_ + "/" + name, std::filesystem::perms::owner_all);
    }
    setenv("PATH", folder_.c_str(), 1);
  }
  PathWith(const PathWith&) = delete;
  PathWith& operator=(const PathWith&) = delete;
  ~PathWith() {
    setenv("PATH", before_.c_str(), 1);
    std::filesystem::remove_all(folder_);
    unsetenv("SLURM_JOB_ID");
    unsetenv("SPEEDWELL_LAUNCHER");
  }
  std::string file(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string before_, folder_;
};

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

TEST(LaunchCommand, IsThatOfMpiOrOfTheBatchSystem) {
  if (library_version().empty()) {
    EXPECT_THROW(launch_command({.ranks = 2}), core::Unavailable);
    return;
  }
  const PathWith path({"srun", "mpirun", "mpiexec"});
  Words words = launch_command({.ranks = 12});
  EXPECT_EQ(words.front(), path.file("mpirun"));
  EXPECT_EQ(words[words.size() - 2], "-n");
  EXPECT_EQ(words.back(), "12");
  EXPECT_FALSE(contains(words, "--oversubscribe"));
  const bool open_mpi = library_version().find("Open MPI") != std::string::npos;
  EXPECT_EQ(contains(launch_command({.ranks = 12, .oversubscribe = true}), "--oversubscribe"), open_mpi);
  EXPECT_EQ(contains(launch_command({.ranks = 2, .one_core_each = false}), "none"), open_mpi);
  EXPECT_FALSE(contains(launch_command({.ranks = 2, .one_core_each = false}), "--oversubscribe"));
  setenv("SLURM_JOB_ID", "7", 1);
  EXPECT_EQ(launch_command({.ranks = 3, .one_core_each = false}),
            (Words{path.file("srun"), "--cpu-bind=none", "-n", "3"}));
  EXPECT_EQ(launch_command({.ranks = 3}), (Words{path.file("srun"), "-n", "3"}));
  EXPECT_EQ(launch_command({.ranks = 3, .oversubscribe = true}), (Words{path.file("srun"), "--overcommit", "-n", "3"}));
  setenv("SPEEDWELL_LAUNCHER", "mpirun.openmpi  --bind-to core", 1);
  EXPECT_EQ(launch_command({.ranks = 2}), (Words{"mpirun.openmpi", "--bind-to", "core", "-n", "2"}));
  setenv("SPEEDWELL_LAUNCHER", "  ", 1);
  EXPECT_THROW(launch_command({.ranks = 2}), core::Unavailable);
}

TEST(LaunchCommand, TakesMpiexecWhereThereIsNoMpirun) {
  if (library_version().empty()) return;
  const PathWith path({"mpiexec"});
  EXPECT_EQ(launch_command({.ranks = 2}).front(), path.file("mpiexec"));
}

}  // namespace
}  // namespace speedwell::comm
