// The words that a shell offers, of two commands and an application.
#include "speedwell/session/completion.hpp"

#include <gtest/gtest.h>

#include "speedwell/process/failure.hpp"

namespace speedwell::session {
namespace {

using Words = std::vector<std::string>;

Words completed(const Words& words) {
  harness::Application heat{.name = "heat"};
  heat.variants = {{.name = "serial"}, {.name = "cuda"}};
  heat.sizes = {{.name = "test"}};
  const std::vector<CommandShape> commands = {
      {"run",
       [] {
         return std::vector<OptionShape>{
             {.names = {}, .value = "APP", .max_values = 1, .choices = {}},
             {.names = {"--variant"}, .value = "GLOB", .max_values = 1, .choices = {}},
             {.names = {"--format"}, .value = "F", .max_values = 1, .choices = {"text", "json"}},
             {.names = {"--force"}, .value = "", .max_values = 0, .choices = {}}};
       }},
      {"report", [] { return std::vector<OptionShape>{}; }}};
  return completions(words, commands, {heat});
}

TEST(SessionCompletion, OffersCommands) {
  EXPECT_EQ(completed({"r"}), (Words{"run", "report"}));
  EXPECT_EQ(completed({"help", "rep"}), (Words{"report"}));
  EXPECT_TRUE(completed({}).empty());
}

TEST(SessionCompletion, OffersOptionsAndTheirChoices) {
  EXPECT_EQ(completed({"run", "heat", "--fo"}), (Words{"--format", "--force"}));
  EXPECT_EQ(completed({"run", "heat", "--format", "j"}), (Words{"json"}));
  EXPECT_EQ(completed({"run", "heat", "--format="}), (Words{"--format=text", "--format=json"}));
}

TEST(SessionCompletion, OffersNamesOfTheApplication) {
  EXPECT_EQ(completed({"run", ""}), (Words{"heat"}));
  EXPECT_EQ(completed({"run", "heat", "--variant", "serial,c"}), (Words{"serial,cuda"}));
  EXPECT_TRUE(completed({"nothing", ""}).empty());
}

TEST(SessionCompletion, FindsTheChoicesInADescription) {
  EXPECT_EQ(choices_in("what it is (one): one, another or third"), (Words{"one", "another", "third"}));
  EXPECT_EQ(choices_in("one or another"), (Words{"one", "another"}));
  EXPECT_EQ(choices_in("the only one: this"), (Words{"this"}));
  EXPECT_TRUE(choices_in("a file, or a folder of files").empty());
  EXPECT_TRUE(choices_in("seed of random inputs (1)").empty());
}

TEST(SessionCompletion, HasAScriptForEachShell) {
  EXPECT_EQ(shells(), "bash, zsh or fish");
  EXPECT_NE(completion_script("bash").find("complete -o default"), std::string::npos);
  EXPECT_THROW(completion_script("csh"), process::UsageError);
}

}  // namespace
}  // namespace speedwell::session
