// The syntax of case files, before any key is read: refused ones with their position, and unusual ones that are TOML.
#include "speedwell/io/cases/case_table.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "speedwell/io/error.hpp"
#include "speedwell/io/limits.hpp"

namespace speedwell::io {
namespace {

std::string repeated(const std::string& part, std::size_t count) {
  std::string all;
  for (std::size_t n = 0; n < count; ++n) all += part;
  return all;
}

struct Malformed {
  std::string text;
  std::size_t line, column;
  std::string words;  // in the message
};

// toml++ 3.3 meets the first seven with an assertion (or undefined behaviour, without assertions), the next two with
// undefined behaviour of its tables of Unicode, and those of many parts with recursion that overflows the stack.
TEST(CaseSyntax, RefusesWhatItsParserWouldNotSurvive) {
  const std::vector<Malformed> all = {
      {"[\n", 1, 2, "a table's name"},
      {"[\\a]\n", 1, 2, "a table's name"},
      {"schema = 1\n[ \n]\n", 2, 3, "a table's name"},
      {"[[\n", 1, 3, "a table's name"},
      {"a = [1, }\n", 1, 9, "'}' does not close the '['"},
      {"a = 1979-05-27T\x01:32:00Z\n", 1, 5, "is no number"},
      {"a = 10=\"\"\"x\"\"\"\n", 1, 5, "is no number"},
      {"a = \xc3\xa9\n", 1, 5, "not ASCII"},
      {"a = \"\"\"\\\n \xc3\xa9\"\"\"\n", 2, 2, "not ASCII"},
      {"a = 1979-05-27\n", 1, 5, "is no number"},
      {"[" + repeated("a.", 100000) + "a]\n", 1, 129, "more than 64 parts"},
      {repeated("a.", 100000) + "a = 1\n", 1, 128, "more than 64 parts"},
      {"x = {" + repeated("a.", 100000) + "a = 1}\n", 1, 133, "more than 64 parts"},
      {repeated("a = 1\n", limits::case_keys + 1), limits::case_keys + 1, 3, "more than 4096 keys"},
      {repeated("[a]\n", limits::case_keys + 1), limits::case_keys + 1, 2, "more than 4096 keys"},
      {"a = ]\n", 1, 5, "closes nothing"},
      {"a = {b = 1\n}\n", 1, 11, "'}' is required"},
      {"[a # b\n]\n", 1, 4, "']' is required"},
      {"a = \"b\nc\"\n", 1, 7, "does not end on its line"},
      {"a = 'b\nc'\n", 1, 7, "does not end on its line"},
  };
  for (const Malformed& m : all) {
    const std::string name = m.text.substr(0, 30);
    try {
      parse_case("case.toml", m.text);
      ADD_FAILURE() << name << " is read";
    } catch (const InputError& e) {
      EXPECT_EQ(e.id(), "input.case.syntax") << name;
      EXPECT_EQ(e.line(), m.line) << name << ": " << e.what();
      EXPECT_EQ(e.column(), m.column) << name << ": " << e.what();
      EXPECT_NE(std::string(e.what()).find(m.words), std::string::npos) << name << ": " << e.what();
    }
  }
}

TEST(CaseSyntax, LeavesToTheParserWhatIsMerelyWrong) {
  for (const char* text :
       {"a\n", "= 1\n", "a = \n", "a = 1\na = 2\n", "[a]\n[a]\n", "[]\n", "[a", "a = [1", "a = \"b", "a = 0x\n",
        "a = 01\n", "a = 1 2\n", "a = \"\\q\"\n", "a\xff = 1\n", "a = {b = 1,}\n", "a = \"\"\"b", "a = 1__0\n"})
    EXPECT_THROW(parse_case("case.toml", text), InputError) << text;
}

TEST(CaseSyntax, TakesWhatTomlAllows) {
  const toml::table t = parse_case("case.toml",
                                   "\xef\xbb\xbf"
                                   "schema = 1 # \xc3\xa9 ] }\r\n"
                                   "faces = [ # one\n 0,\n\n 1_0.5e-1, +2, inf]\n"
                                   "inline = {a.b = 1, c = [true, [], {}]}\n"
                                   "'a]b' = \"\xc3\xa9 # ] \\\" \\\\\"\n"
                                   "long = \"\"\"one \\\n   two\"\" \"\"\"\"\"\n"
                                   "raw = '''\n\\ [ \xc3\xa9'''\n"
                                   "hex = 0xFf\n"
                                   "[ a . \"b.c\" ]\nx = -0.0\n"
                                   "[[ list ]]\ny = 1\n[[list]]\n");
  EXPECT_EQ(t["schema"].value<int>(), 1);
  EXPECT_EQ(t["faces"].as_array()->size(), 4U);
  EXPECT_EQ(t["faces"][1].value<double>(), 1.05);
  EXPECT_EQ(t["inline"]["a"]["b"].value<int>(), 1);
  EXPECT_EQ(t["a]b"].value<std::string>(), "\xc3\xa9 # ] \" \\");
  EXPECT_EQ(t["long"].value<std::string>(), "one two\"\" \"\"");
  EXPECT_EQ(t["raw"].value<std::string>(), "\\ [ \xc3\xa9");
  EXPECT_EQ(t["hex"].value<int>(), 255);
  EXPECT_EQ(t["a"]["b.c"]["x"].value<double>(), 0.0);
  EXPECT_EQ(t["list"].as_array()->size(), 2U);
  EXPECT_NO_THROW(parse_case("case.toml", "[" + repeated("a.", limits::case_key_depth - 1) + "a]\n"));
  std::string most;
  for (std::size_t n = 0; n < limits::case_keys; ++n) most += "k" + std::to_string(n) + " = 1\n";
  EXPECT_EQ(parse_case("case.toml", most).size(), limits::case_keys);
}

TEST(CaseTable, TakesASchemaThatIsAWholeNumber) {
  EXPECT_NO_THROW(require_schema("case.toml", parse_case("case.toml", "schema = 1\n")));
  // 1e308 is no int64: converting it is undefined behaviour.
  for (const char* text :
       {"schema = 1e308\n", "schema = 1.0\n", "schema = true\n", "schema = '1'\n", "schema = 2\n", "\n"})
    EXPECT_THROW(require_schema("case.toml", parse_case("case.toml", text)), InputError) << text;
}

TEST(CaseTable, NamesWhatAWordMayBe) {
  std::map<std::string, std::string> settings;
  const toml::table t = parse_case("case.toml", "solver = \"foo\"\nnumber = 3\n");
  const std::vector<std::string> words = {"a", "b", "c"};
  const CaseSchema schema = {.solver = "",
                             .tables = {},
                             .keys = {{.table = "",
                                       .name = "solver",
                                       .kind = CaseKey::Kind::word,
                                       .about = "",
                                       .default_value = "\"a\"",
                                       .words = words},
                                      {.table = "",
                                       .name = "number",
                                       .kind = CaseKey::Kind::word,
                                       .about = "",
                                       .default_value = "\"a\"",
                                       .words = words}}};
  const std::string file = "case.toml";
  CaseTable table(file, &t, "", schema, settings);
  for (const auto& [key, column] : {std::pair("solver", 10), std::pair("number", 10)}) try {
      table.word(key);
      ADD_FAILURE();
    } catch (const InputError& e) {
      EXPECT_EQ(e.column(), static_cast<std::size_t>(column));
      EXPECT_NE(e.message().find(key), std::string::npos) << e.message();
      EXPECT_NE(e.message().find("\"a\", \"b\" or \"c\""), std::string::npos) << e.message();
    }
}

}  // namespace
}  // namespace speedwell::io
