#include "speedwell/io/checkpoint.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "speedwell/io/error.hpp"

namespace speedwell::io {
namespace {

namespace fs = std::filesystem;

// Of more than one block, so that a sum beyond the first counts.
constexpr std::int64_t many = (std::int64_t{3} << 17) + 5;

class Checkpoints : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("speedwell-") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    std::iota(u_.begin(), u_.end(), 0.5);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(std::int64_t step) {
    write_checkpoint(
        folder_.string(), step,
        {{"u", "f64", {many}, std::as_bytes(std::span(u_))}, {"w", "f32", {2, 3}, std::as_bytes(std::span(w_))}},
        R"({"time": 1.5})");
  }
  std::string file(const std::string& name) const { return (folder_ / "step-000000007" / name).string(); }
  Checkpoint newest() const { return checkpoints_in(folder_.string()).at(0); }

  // The id of what an action refuses.
  static std::string refusal(const std::function<void()>& action) {
    try {
      action();
    } catch (const InputError& e) {
      return e.id();
    }
    return "nothing";
  }
  // Changes the text of the manifest.
  void edit(const std::string& from, const std::string& to) const {
    std::ifstream in(file("manifest.json"));
    std::string text((std::istreambuf_iterator<char>(in)), {});
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    std::ofstream(file("manifest.json")) << text.replace(at, from.size(), to);
  }

  fs::path folder_;
  std::vector<double> u_ = std::vector<double>(many);
  std::vector<float> w_ = {1, 2, 3, 4, 5, 6};
};

TEST_F(Checkpoints, SayWhatTheyHoldAndGiveItBack) {
  write(7);
  const auto fields = newest().fields();
  ASSERT_EQ(fields.size(), 2u);
  EXPECT_EQ(fields[0].name, "u");
  EXPECT_EQ(fields[0].bytes, 8u * many);
  EXPECT_EQ(fields[1].element, "f32");
  EXPECT_EQ(fields[1].shape, (std::vector<std::int64_t>{2, 3}));
  std::vector<double> back(many);
  newest().read({"u", "f64", {many}, {}}, std::as_writable_bytes(std::span(back)));
  EXPECT_EQ(back, u_);
  EXPECT_NO_THROW(newest().verify());
}

TEST_F(Checkpoints, TheNewestTwoStay) {
  for (const std::int64_t step : {7, 12, 10}) write(step);
  const auto all = checkpoints_in(folder_.string());
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].step(), 12);
  EXPECT_EQ(all[1].step(), 10);
}

TEST_F(Checkpoints, OneChangedByteOfAnyBlockIsFound) {
  for (const std::streamoff at : {std::streamoff{0}, std::streamoff{1} << 20, std::streamoff{8} * many - 1}) {
    write(7);
    std::fstream raw(file("u.raw"), std::ios::binary | std::ios::in | std::ios::out);
    raw.seekg(at);
    const char byte = static_cast<char>(raw.get() ^ 1);
    raw.seekp(at);
    raw.put(byte);
    raw.close();
    EXPECT_EQ(refusal([&] { newest().verify(); }), "input.checkpoint.sum") << at;
    std::vector<double> back(many);
    EXPECT_EQ(refusal([&] {
                newest().read({"u", "f64", {many}, {}}, std::as_writable_bytes(std::span(back)));
              }),
              "input.checkpoint.sum");
  }
}

TEST_F(Checkpoints, FilesThatAreShortLongOrMissingAreFound) {
  for (const std::int64_t size : {std::int64_t{0}, 8 * many - 1, 8 * many + 1}) {
    write(7);
    fs::resize_file(file("u.raw"), static_cast<std::uintmax_t>(size));
    EXPECT_EQ(refusal([&] { newest().verify(); }), "input.checkpoint.shape") << size;
  }
  write(7);
  fs::remove(file("w.raw"));
  EXPECT_EQ(refusal([&] { newest().verify(); }), "input.checkpoint.shape");
}

TEST_F(Checkpoints, ManifestsWithoutWhatThereShouldBeAreRefused) {
  const std::pair<std::string, std::string> changes[] = {
      {"\"element\": \"f64\"", "\"element\": \"f6\""}, {"\"element\": \"f64\"", "\"elements\": \"f64\""},
      {"\"name\": \"u\"", "\"name\": \"../u\""},       {"\"xxh3_128\": [", "\"xxh3_128\": 3, \"rest\": ["},
      {std::to_string(many), "9223372036854775807"},   {std::to_string(many), "-1"}};
  for (const auto& [from, to] : changes) {
    write(7);
    edit(from, to);
    EXPECT_EQ(refusal([&] { newest().verify(); }), "input.checkpoint.manifest") << to;
  }
}

TEST_F(Checkpoints, OfAnotherShapeAreNotRead) {
  write(7);
  std::vector<double> back(many);
  const auto bytes = std::as_writable_bytes(std::span(back));
  EXPECT_EQ(refusal([&] { newest().read({"u", "f32", {many}, {}}, bytes); }), "input.checkpoint.shape");
  EXPECT_EQ(refusal([&] { newest().read({"u", "f64", {many, 1}, {}}, bytes); }), "input.checkpoint.shape");
  EXPECT_EQ(refusal([&] { newest().read({"v", "f64", {many}, {}}, bytes); }), "input.checkpoint.shape");
}

TEST_F(Checkpoints, WithoutAManifestAreNoneAndAreNamed) {
  write(7);
  write(9);
  fs::remove(file("manifest.json"));
  fs::create_directory(folder_ / "step-000000011.partial");
  fs::create_directory(folder_ / "else");
  EXPECT_EQ(checkpoints_in(folder_.string()).size(), 1u);
  EXPECT_EQ(unreadable_checkpoints_in(folder_.string()),
            (std::vector<std::string>{(folder_ / "step-000000007").string()}));
}

}  // namespace
}  // namespace speedwell::io
