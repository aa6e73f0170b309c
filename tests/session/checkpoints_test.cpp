// Checkpoints as a table and as a document.
#include "speedwell/session/checkpoints.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace speedwell::session {
namespace {

std::vector<simulation::InspectedCheckpoint> two() {
  std::vector<simulation::InspectedCheckpoint> all(2);
  all[0].path = "run/checkpoints/10";
  all[0].step = 10;
  all[0].time = 0.5;
  all[0].fields = {{.name = "u", .element = "f64", .shape = {4}, .bytes = 32}};
  all[1].path = "run/checkpoints/20";
  all[1].step = 20;
  all[1].fault = io::InputError("input.checkpoint.sum", "run/checkpoints/20/u", 0, 0, "its checksum is another");
  return all;
}

TEST(SessionCheckpoints, AreATable) {
  const std::string listed = checkpoints_table(two(), false), verified = checkpoints_table(two(), true);
  EXPECT_TRUE(listed.starts_with("checkpoint"));
  EXPECT_NE(listed.find("u: f64 4"), std::string::npos);
  EXPECT_EQ(listed.find("verdict"), std::string::npos);
  EXPECT_NE(verified.find("verdict"), std::string::npos);
  EXPECT_NE(verified.find("FAILED"), std::string::npos);
}

TEST(SessionCheckpoints, AreADocumentWithTheErrorOfTheFirstDamagedOne) {
  const auto listed = nlohmann::json::parse(checkpoints_document(two(), false));
  const auto verified = nlohmann::json::parse(checkpoints_document(two(), true));
  EXPECT_EQ(listed["schema"], "speedwell-checkpoints/1");
  EXPECT_TRUE(listed["error"].is_null());
  EXPECT_EQ(verified["error"]["id"], "input.checkpoint.sum");
  ASSERT_EQ(verified["checkpoints"].size(), 2u);
  EXPECT_EQ(verified["checkpoints"][0]["whole"], true);
  EXPECT_EQ(verified["checkpoints"][0]["fields"][0]["bytes"], 32);
  EXPECT_EQ(verified["checkpoints"][1]["whole"], false);
  EXPECT_TRUE(verified["checkpoints"][1]["time"].is_null());
}

}  // namespace
}  // namespace speedwell::session
