#include "speedwell/machine/ceilings_cache.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tree.hpp"

namespace speedwell::machine {
namespace {

const CacheKey key{"0123456789abcdef", "GPU-1", "580.65.06", 0};

Ceilings some() {
  return {{{"gpu.copy", 4310.25, "GB/s", 4300, 4320, {4300, 4310.25, 4320}, "cudaMemcpyAsync, 2 GiB an array"},
           {"gpu.launch", 2.6, "us", 2.5, 2.7, {2.6}, ""}}};
}

class CeilingsCache : public testing::Test {
 protected:
  void SetUp() override { setenv("SPEEDWELL_CACHE_DIR", tree_.root().c_str(), 1); }
  void TearDown() override {
    unsetenv("SPEEDWELL_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
  }
  std::filesystem::path file() const { return cache_file(cache_directory(), key); }
  std::string text() const {
    std::ifstream in(file());
    return {std::istreambuf_iterator<char>(in), {}};
  }
  Tree tree_;
  std::string warning_;
};

TEST_F(CeilingsCache, WhatIsSavedIsLoaded) {
  ASSERT_TRUE(save_cached(key, some(), warning_)) << warning_;
  const auto loaded = load_cached(key, warning_);
  ASSERT_TRUE(loaded) << warning_;
  ASSERT_EQ(loaded->entries.size(), 2u);
  EXPECT_EQ(loaded->find("gpu.launch"), 2.6);
  const Ceiling& copy = loaded->entries[0];
  EXPECT_EQ(copy.name, "gpu.copy");
  EXPECT_EQ(copy.value, 4310.25);
  EXPECT_EQ(copy.unit, "GB/s");
  EXPECT_EQ(copy.low, 4300);
  EXPECT_EQ(copy.high, 4320);
  EXPECT_EQ(copy.samples, (std::vector<double>{4300, 4310.25, 4320}));
  EXPECT_EQ(copy.note, "cudaMemcpyAsync, 2 GiB an array");
}

TEST_F(CeilingsCache, AnotherMachineDeviceDriverOrThreadCountHasItsOwn) {
  ASSERT_TRUE(save_cached(key, some(), warning_));
  for (const CacheKey& other :
       {CacheKey{"other", key.device_uuid, key.driver, 0}, CacheKey{key.machine_id, "GPU-2", key.driver, 0},
        CacheKey{key.machine_id, key.device_uuid, "999", 0},
        CacheKey{key.machine_id, key.device_uuid, key.driver, 8}}) {
    EXPECT_FALSE(load_cached(other, warning_));
    EXPECT_EQ(warning_, "") << "nothing saved is nothing to warn of";
  }
}

TEST_F(CeilingsCache, SavingAgainReplacesAndLeavesNothingBehind) {
  ASSERT_TRUE(save_cached(key, some(), warning_));
  Ceilings second = some();
  second.entries.resize(1);
  ASSERT_TRUE(save_cached(key, second, warning_));
  EXPECT_EQ(load_cached(key, warning_)->entries.size(), 1u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(tree_.root()), {}), 1);
}

TEST_F(CeilingsCache, ADamagedFileIsAWarningAndNotAnError) {
  ASSERT_TRUE(save_cached(key, some(), warning_));
  const std::string good = text();
  const auto replaced = [&](const std::string& what, const std::string& by) {
    std::string bad = good;
    const auto at = bad.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return at == std::string::npos ? bad : bad.replace(at, what.size(), by);
  };
  const std::vector<std::string> damaged = {"",
                                            "{",
                                            "null",
                                            "[]",
                                            "\xff\xfe",
                                            good.substr(0, good.size() / 2),
                                            replaced("speedwell-ceilings/1", "speedwell-ceilings/2"),
                                            replaced("4310.25", "\"fast\""),
                                            replaced("4310.25", "-1"),
                                            replaced("4310.25", "0"),
                                            replaced("4310.25", "1e999"),
                                            replaced("GPU-1", "GPU-9"),
                                            replaced("\"samples\"", "\"sample\""),
                                            replaced("\"gpu.copy\"", "17")};
  for (const std::string& bad : damaged) {
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << bad;
    EXPECT_FALSE(load_cached(key, warning_)) << bad;
    EXPECT_NE(warning_.find(file().string()), std::string::npos) << bad;
    EXPECT_EQ(warning_.find('\n'), std::string::npos) << warning_;
  }
  std::ofstream(file(), std::ios::binary | std::ios::trunc) << good;
  EXPECT_TRUE(load_cached(key, warning_)) << warning_;
  EXPECT_EQ(warning_, "");
}

TEST_F(CeilingsCache, AFolderThatCannotBeWrittenIsAWarning) {
  tree_.file("occupied", "a file, not a folder");
  setenv("SPEEDWELL_CACHE_DIR", (tree_.root() / "occupied" / "below").c_str(), 1);
  EXPECT_FALSE(save_cached(key, some(), warning_));
  EXPECT_NE(warning_, "");
}

TEST_F(CeilingsCache, TheEnvironmentNamesTheFolder) {
  EXPECT_EQ(cache_directory(), tree_.root());
  setenv("SPEEDWELL_CACHE_DIR", "relative", 1);
  EXPECT_EQ(cache_directory(), "");
  EXPECT_FALSE(save_cached(key, some(), warning_));
  EXPECT_NE(warning_.find("SPEEDWELL_CACHE_DIR"), std::string::npos);
  unsetenv("SPEEDWELL_CACHE_DIR");
  setenv("XDG_CACHE_HOME", "/var/tmp/xdg", 1);
  EXPECT_EQ(cache_directory(), "/var/tmp/xdg/speedwell");
  setenv("XDG_CACHE_HOME", "not/absolute", 1);
  const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  setenv("HOME", "/home/somebody", 1);
  EXPECT_EQ(cache_directory(), "/home/somebody/.cache/speedwell");
  setenv("HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace speedwell::machine
