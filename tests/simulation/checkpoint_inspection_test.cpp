// What is found in folders of checkpoints.
#include "speedwell/simulation/checkpoint_inspection.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <span>

#include "tests/support/folder_fixture.hpp"

namespace speedwell::simulation {
namespace {

namespace fs = std::filesystem;

class CheckpointInspection : public test::FolderFixture {
 protected:
  void write_step(std::int64_t step) const {
    const io::CheckpointField u{"u", "f64", {4}, std::as_bytes(std::span(values_))};
    io::write_checkpoint(root_ + "/checkpoints", step, {u}, R"({"time": 0.5})");
  }
  std::array<double, 4> values_{1, 2, 3, 4};
};

TEST_F(CheckpointInspection, FindsWhatACheckpointHolds) {
  write_step(10);
  for (const fs::path& folder : {fs::path(root_), fs::path(root_) / "checkpoints"}) {
    const auto all = inspect_checkpoints(folder.string(), true);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].step, 10);
    EXPECT_EQ(all[0].time, 0.5);
    EXPECT_EQ(all[0].bytes(), 32u);
    EXPECT_EQ(fields_text(all[0].fields), "u: f64 4");
    EXPECT_FALSE(all[0].fault || all[0].leftover);
  }
}

TEST_F(CheckpointInspection, FindsDamageOnlyWhereItVerifies) {
  write_step(10);
  for (const auto& entry : fs::recursive_directory_iterator(root_))
    if (entry.is_regular_file() && entry.path().filename() != "manifest.json") {
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(3);
      file.put('\x55');
    }
  EXPECT_FALSE(inspect_checkpoints(root_, false).at(0).fault);
  const auto all = inspect_checkpoints(root_, true);
  ASSERT_TRUE(all.at(0).fault);
  EXPECT_EQ(all[0].fault->id(), "input.checkpoint.sum");
}

TEST_F(CheckpointInspection, RefusesFoldersWithoutCheckpoints) {
  const auto id = [](const std::string& folder) {
    try {
      inspect_checkpoints(folder, false);
    } catch (const io::InputError& error) {
      return error.id();
    }
    return std::string("no error");
  };
  EXPECT_EQ(id(root_), "input.checkpoint.none");
  EXPECT_EQ(id(root_ + "/none"), "input.open");
}

TEST(FieldsText, NamesElementAndShapeOnceForSeveralFields) {
  EXPECT_EQ(fields_text({{"u", "f64", {4, 5}, 0}, {"v", "f64", {4, 5}, 0}, {"p", "f32", {4}, 0}}),
            "u v: f64 4 x 5, p: f32 4");
}

}  // namespace
}  // namespace speedwell::simulation
