#include "speedwell/io/checkpoint.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "speedwell/io/error.hpp"
#include "tests/support/folder_fixture.hpp"

namespace speedwell::io {
namespace {

namespace fs = std::filesystem;

// The number of elements of a field with several blocks, so that checksums after the first one matter.
constexpr std::int64_t many = (std::int64_t{3} << 17) + 5;

class Checkpoints : public test::FolderFixture {
 protected:
  Checkpoints() { std::iota(u_.begin(), u_.end(), 0.5); }

  void write(std::int64_t step, std::int64_t run = 1) {
    write_checkpoint(
        folder_.string(), step,
        {{"u", "f64", {many}, std::as_bytes(std::span(u_))}, {"w", "f32", {2, 3}, std::as_bytes(std::span(w_))}},
        R"({"time": 1.5})", run);
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
  // Makes the manifest one of version 0.1, which has no digest that a change would have to agree with, and changes it.
  void edit(const std::string& from, const std::string& to) const {
    std::string text = read(file("manifest.json"));
    const auto digest = text.find(",\n  \"manifest_xxh3_128\"");
    ASSERT_NE(digest, std::string::npos);
    text = text.substr(0, digest) + "\n}\n";
    text.replace(text.find("checkpoint/2"), 12, "checkpoint/1");
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    std::ofstream(file("manifest.json")) << text.replace(at, from.size(), to);
  }
  // Why the one checkpoint there is cannot be read: id and message.
  std::pair<std::string, std::string> fault() const {
    const CheckpointListing all = list_checkpoints(folder_.string());
    if (all.unreadable.size() != 1) return {"readable", ""};
    EXPECT_EQ(all.unreadable[0].why.file(), file("manifest.json"));
    return {all.unreadable[0].why.id(), all.unreadable[0].why.message()};
  }

  const fs::path folder_ = fs::path(root_) / "checkpoints";
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

TEST_F(Checkpoints, TheTwoThatWereWrittenLastStay) {
  for (const std::int64_t step : {7, 12, 13}) write(step);
  auto all = checkpoints_in(folder_.string());
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].step(), 13);
  EXPECT_EQ(all[1].step(), 12);
  write(12);  // a run that has gone back: what it went back from is not its past
  all = checkpoints_in(folder_.string());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].step(), 12);
}

TEST_F(Checkpoints, ANewRunKeepsItsOwnWhateverOlderRunsHaveLeft) {
  for (const std::int64_t step : {600, 700}) write(step, 1);
  write(50, 2);
  auto all = checkpoints_in(folder_.string());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].step(), 50);
  EXPECT_EQ(all[0].run(), 2);
  write(100, 2);
  EXPECT_EQ(checkpoints_in(folder_.string()).size(), 2u);
}

TEST_F(Checkpoints, EveryChangedBitOfAManifestIsFound) {
  w_ = {1};
  write_checkpoint(folder_.string(), 7, {{"w", "f32", {1}, std::as_bytes(std::span(w_).first(1))}}, R"({"time": 0.4})");
  const std::string good = read(file("manifest.json"));
  EXPECT_EQ(fault().first, "readable");
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    std::ofstream(file("manifest.json"), std::ios::binary) << bad;
    EXPECT_NE(fault().first, "readable") << "bit " << bit;
  }
  std::ofstream(file("manifest.json"), std::ios::binary) << good + "\n";
  EXPECT_NE(fault().first, "readable");
}

TEST_F(Checkpoints, UnderAnotherStepsNameAreNotRead) {
  write(7);
  fs::rename(folder_ / "step-000000007", folder_ / "step-000000008");
  const CheckpointListing all = list_checkpoints(folder_.string());
  EXPECT_TRUE(all.readable.empty());
  ASSERT_EQ(all.unreadable.size(), 1u);
  EXPECT_EQ(all.unreadable[0].step, 8);
  EXPECT_NE(all.unreadable[0].why.message().find("step 7"), std::string::npos);
}

TEST_F(Checkpoints, Version01IsRead) {
  write(7);
  edit("checkpoint/1", "checkpoint/1");
  EXPECT_EQ(newest().run(), 0);
  EXPECT_NO_THROW(newest().verify());
}

TEST_F(Checkpoints, WithOtherTypesInAManifestAreRefusedWithTheKey) {
  const std::tuple<const char*, const char*, const char*> changes[] = {
      {"\"schema\": \"speedwell-checkpoint/1\"", "\"schema\": 1", "schema"},
      {"\"schema\": \"speedwell-checkpoint/1\"", "\"schema\": [1]", "schema"},
      {"\"schema\": \"speedwell-checkpoint/1\"", "\"schema\": \"speedwell-checkpoint/9\"", "schema"},
      {"\"step\": 7", "\"step\": \"7\"", "step"},
      {"\"step\": 7", "\"step\": 7.0", "step"},
      {"\"step\": 7", "\"step\": -7", "step"},
      {"\"step\": 7", "\"step\": 18446744073709551615", "step"},
      {"\"details\": {", "\"details\": 3, \"other\": {", "details"},
      {"\"fields\": [", "\"fields\": null, \"other\": [", "fields"},
  };
  for (const auto& [from, to, key] : changes) {
    write(7);
    edit(from, to);
    const auto [id, message] = fault();
    EXPECT_EQ(id, "input.checkpoint.manifest") << to;
    EXPECT_NE(message.find(key), std::string::npos) << message;
  }
}

TEST_F(Checkpoints, NestedTooDeepAreRefusedBeforeTheyAreParsed) {
  for (const std::size_t depth : {std::size_t{65}, std::size_t{80000}, std::size_t{1000000}}) {
    write(7);
    edit("\"details\": {", "\"deep\": " + std::string(depth, '[') + std::string(depth, ']') + ", \"details\": {");
    EXPECT_EQ(fault().first, "input.checkpoint.manifest");
    EXPECT_NE(fault().second.find("deep"), std::string::npos) << fault().second;
  }
  write(7);
  edit("\"details\": {", "\"text\": \"" + std::string(1000, '[') + "\\\"{\", \"details\": {");  // brackets of a text
  EXPECT_EQ(fault().first, "readable");
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

TEST_F(Checkpoints, AnotherShapeIsNotRead) {
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
  const CheckpointListing all = list_checkpoints(folder_.string());
  EXPECT_EQ(all.readable.size(), 1u);
  ASSERT_EQ(all.unreadable.size(), 1u);
  EXPECT_EQ(all.unreadable[0].path, (folder_ / "step-000000007").string());
  EXPECT_EQ(all.leftovers, (std::vector<std::string>{(folder_ / "step-000000011.partial").string()}));
}

TEST_F(Checkpoints, LeftoversOfRemovalsAreToldFromCheckpointsAndRemoved) {
  write(8);
  write(9);
  fs::create_directory(folder_ / "step-000000007");  // as version 0.1 left them: without a manifest
  fs::create_directory(folder_ / "step-000000005.removed");
  std::ofstream(folder_ / "step-000000005.removed" / "u.raw") << "half";
  fs::create_directory(folder_ / "step-000000010.partial");
  fs::create_directory(folder_ / "step-000000011");  // newer than those there are: a fault
  const CheckpointListing all = list_checkpoints(folder_.string());
  EXPECT_EQ(all.leftovers.size(), 3u);
  ASSERT_EQ(all.unreadable.size(), 1u);
  EXPECT_EQ(all.unreadable[0].step, 11);
  remove_leftovers(folder_.string());
  EXPECT_TRUE(list_checkpoints(folder_.string()).leftovers.empty());
  EXPECT_TRUE(fs::exists(folder_ / "step-000000011"));
  EXPECT_EQ(checkpoints_in(folder_.string()).size(), 2u);
}

TEST_F(Checkpoints, AreReplacedByOnesOfTheSameStep) {
  write(7);
  u_[3] = -1;
  write(7);
  std::vector<double> back(many);
  newest().read({"u", "f64", {many}, {}}, std::as_writable_bytes(std::span(back)));
  EXPECT_EQ(back[3], -1);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace speedwell::io
