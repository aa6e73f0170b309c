// Scores of ssearch36 (FASTA package), which shares neither code nor author with parasail, on some hundred pairs.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "speedwell/apps/alignment/alignment.hpp"
#include "tests/compare/sequences.hpp"

namespace speedwell {
namespace {

namespace fs = std::filesystem;
using alignment::Alphabet;

class Ssearch : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(SPEEDWELL_SSEARCH36).empty())
      GTEST_SKIP() << "ssearch36 was not found when this was configured (Debian package fasta3)";
    if (!fs::exists(SPEEDWELL_SSEARCH36)) GTEST_SKIP() << SPEEDWELL_SSEARCH36 " is no longer there";
    folder_ = fs::path(testing::TempDir()) / ("speedwell-ssearch-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  std::string write(const char* name, const std::vector<std::string>& sequences) {
    const std::string path = (folder_ / name).string();
    std::ofstream out(path);
    for (std::size_t i = 0; i < sequences.size(); ++i) out << ">s" << i << "\n" << sequences[i] << "\n";
    return path;
  }

  // The raw score of each subject that is listed: "The best scores are" has one line "s17 … ( 105)  s-w" for each.
  std::map<std::size_t, int> scores(const std::string& query, const std::vector<std::string>& database,
                                    const std::string& options) {
    const std::string command = std::string(SPEEDWELL_SSEARCH36) + " -q -z -1 -d 0 -E 1e9 -b " +
                                std::to_string(database.size()) + " " + options + " " + write("q.fa", {query}) + " " +
                                write("d.fa", database) + " 2>/dev/null";
    std::map<std::size_t, int> found;
    FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return found;
    char buffer[4096];
    while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) {
      const std::string line = buffer;
      const std::size_t close = line.find(')');
      if (line.size() < 2 || line[0] != 's' || line[1] < '0' || line[1] > '9' || close == std::string::npos) continue;
      int score = 0;
      if (std::istringstream(line.substr(line.find_first_not_of(" [fr]", close + 1))) >> score)
        found[std::stoul(line.substr(1))] = score;
    }
    ::pclose(pipe);
    return found;
  }

  void compare(Alphabet alphabet, const std::vector<std::string>& queries, const std::vector<std::string>& database,
               const alignment::Scoring& scoring, const std::string& options) {
    const auto got = alignment::search_scores(set_of(alphabet, queries), set_of(alphabet, database), scoring, 2);
    std::size_t compared = 0;
    for (std::size_t q = 0; q < queries.size(); ++q)
      for (const auto& [subject, score] : scores(queries[q], database, options)) {
        ++compared;
        EXPECT_EQ(got[q * database.size() + subject], score) << "query " << q << ", subject " << subject;
      }
    EXPECT_GE(compared, 100u) << "ssearch36 lists nearly every subject";
  }

  fs::path folder_;
};

TEST_F(Ssearch, GivesTheSameScoresOfProteins) {
  const auto proteins = sequences_of("proteins-100.fa");
  const std::vector<std::string> queries = {proteins[7], proteins[42], proteins[99]};
  compare(Alphabet::protein, queries, proteins, {alignment::named_matrix("BLOSUM62-classic"), 11, 1},
          "-s BL62 -f -11 -g -1");
  compare(Alphabet::protein, queries, proteins, {alignment::named_matrix("BLOSUM50"), 10, 2}, "-s BL50 -f -10 -g -2");
}

TEST_F(Ssearch, GivesTheSameScoresOfDna) {
  const auto human = pieces_of("mitochondrion-human.fa", 100), orangutan = pieces_of("mitochondrion-orangutan.fa", 100);
  compare(Alphabet::dna, {human[3], human[50], human[88]}, orangutan, {alignment::match_mismatch(5, -4), 12, 4},
          "-n -3 -r +5/-4 -f -12 -g -4");
}

}  // namespace
}  // namespace speedwell
