// Every file of tests/io/malformed is refused with the id, line and column that expected.tsv states.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/io/fasta.hpp"

namespace speedwell::io {
namespace {

struct Case {
  std::string file, alphabet, status, id;
  std::size_t line = 0, column = 0;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.file; }

std::vector<Case> read_cases() {
  std::ifstream table(SPEEDWELL_TEST_MALFORMED "/expected.tsv");
  std::vector<Case> cases;
  std::string row;
  std::getline(table, row);  // the column names
  while (std::getline(table, row)) {
    std::istringstream fields(row);
    Case c;
    if (!(fields >> c.file >> c.alphabet >> c.status >> c.id >> c.line >> c.column))
      throw std::runtime_error("expected.tsv: '" + row + "' is not a row");
    cases.push_back(c);
  }
  return cases;
}

SequenceRules rules_for(const std::string& alphabet) {
  if (alphabet == "any") return {};
  const std::string symbols = alphabet == "dna" ? "ACGTURYSWKMBDHVN" : "ABCDEFGHIJKLMNOPQRSTUVWXYZ*";
  return {
      .allowed = [symbols](char c) { return symbols.find(static_cast<char>(std::toupper(c))) != std::string::npos; },
      .alphabet = alphabet == "dna" ? "a nucleotide symbol" : "an amino-acid symbol"};
}

class Malformed : public testing::TestWithParam<Case> {};

TEST_P(Malformed, IsRefusedAtTheExactPlace) {
  const std::string path = SPEEDWELL_TEST_MALFORMED "/" + GetParam().file;
  try {
    read_sequences(path, rules_for(GetParam().alphabet));
    FAIL() << "was read without an error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.id(), GetParam().id) << error.what();
    EXPECT_EQ(error.line(), GetParam().line) << error.what();
    EXPECT_EQ(error.column(), GetParam().column) << error.what();
    EXPECT_EQ(error.file(), path);
    std::string place = path + ": ";
    if (error.line() != 0)
      place = path + ":" + std::to_string(error.line()) + ":" + std::to_string(error.column()) + ": ";
    EXPECT_TRUE(std::string(error.what()).starts_with(place)) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "an error is one line";
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, Malformed, testing::ValuesIn(read_cases()), [](const auto& param) {
  std::string name = param.param.file;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

TEST(MalformedCorpus, HasAtLeastSixtyFilesOfStatusThreeAndNoOthers) {
  std::set<std::string> files, listed;
  for (const Case& c : read_cases()) {
    EXPECT_EQ(c.status, "3") << c.file;
    EXPECT_TRUE(listed.insert(c.file).second) << c.file << " stands twice";
  }
  EXPECT_GE(listed.size(), 60u);
  for (const auto& entry : std::filesystem::directory_iterator(SPEEDWELL_TEST_MALFORMED))
    if (const std::string kind = entry.path().extension(); kind == ".fa" || kind == ".fq" || kind == ".gz")
      files.insert(entry.path().filename());
  EXPECT_EQ(files, listed);
}

}  // namespace
}  // namespace speedwell::io
