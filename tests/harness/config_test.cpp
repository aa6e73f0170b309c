// Configuration files: what is written is read again, and what is refused.
#include <gtest/gtest.h>

#include <stdexcept>

#include "speedwell/harness/config_text.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/io/error.hpp"
#include "tests/support/folder_fixture.hpp"
#include "tests/support/toy.hpp"

namespace speedwell::harness {
namespace {

class ConfigFiles : public test::FolderFixture {
 protected:
  // The message of what is refused.
  std::string refusal(const std::string& text) {
    try {
      read_config(write("config.toml", text), toy_, {toy_});
    } catch (const std::invalid_argument& error) {
      return error.what();
    } catch (const io::InputError& error) {
      return error.id();
    }
    return "no error";
  }
  Application toy_ = test::toy_application();
};

TEST_F(ConfigFiles, AreReadAsTheyAreWritten) {
  const auto all = resolve_parameters(toy_, find_size(toy_, "test"), {});
  ASSERT_EQ(all.size(), toy_.parameters.size());
  const std::string text = config_text(all, toy_.name, 7);
  EXPECT_TRUE(text.starts_with("schema = 1\n\n[" + toy_.name + "]  # seed 7\n")) << text;
  const auto read = read_config(write("config.toml", text), toy_, {toy_});
  ASSERT_EQ(read.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(read[i].key, all[i].parameter->key);
    EXPECT_EQ(read[i].values, all[i].values);
  }
  const Json document = config_document(all, toy_.name, "test", 7);
  EXPECT_EQ(document["parameters"].size(), all.size());
  EXPECT_EQ(document["seed"], 7);
}

TEST_F(ConfigFiles, ThatTheUserNamesComeLast) {
  const Parameter& first = toy_.parameters.front();
  const auto all = resolve_parameters(toy_, find_size(toy_, "test"), {{{first.key, {first.default_value}}, "--set"}});
  EXPECT_EQ(all.front().source, "--set");
}

TEST_F(ConfigFiles, AreRefusedAtThePositionOfWhatIsWrong) {
  const std::string table = "schema = 1\n[" + toy_.name + "]\n";
  EXPECT_NE(refusal(table + "nothing = 1\n").find("config.toml:3:"), std::string::npos)
      << refusal(table + "nothing = 1\n");
  EXPECT_NE(refusal("schema = 1\n[another]\n").find("config.toml:2:1: "), std::string::npos);
  EXPECT_NE(refusal("schema = 1\n" + toy_.name + " = 3\n").find("is not a table"), std::string::npos);
  EXPECT_TRUE(refusal("[").starts_with("input.config.")) << refusal("[");
}

}  // namespace
}  // namespace speedwell::harness
