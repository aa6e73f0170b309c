// Options of other programs, their hints, and the tables in the README of the alignment application.
#include "speedwell/search/other_programs.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "speedwell/io/blast_tabular.hpp"

namespace speedwell::search {
namespace {

std::string hint(const std::vector<std::string>& words) {
  const std::vector<std::string> ours = {"-q", "-v", "--query", "--db", "--outfmt", "--max-target-seqs", "--threads"};
  return find_foreign_option(words, ours).value_or(ForeignOption{}).hint;
}

TEST(OtherPrograms, OptionsAreTranslated) {
  EXPECT_EQ(hint({"q", "d", "-evalue", "1"}), "here it is --evalue 1e-3 (BLAST+)");
  EXPECT_EQ(hint({"q", "d", "-outfmt", "6"}), "here it is --outfmt 6 (BLAST+)");
  EXPECT_EQ(hint({"q", "d", "-outfmt", "10"}), "here it is --outfmt (BLAST+)");
  EXPECT_EQ(hint({"q", "d", "-m", "8"}), "here it is --outfmt 6 (ssearch36, swipe)");
  EXPECT_EQ(hint({"q", "d", "-E=1"}), "here it is --gap-open 11 --gap-extend 1 (swipe); --evalue 1e-3 (ssearch36)");
  EXPECT_NE(hint({"-query", "q"}).find("--query QUERY --db DATABASE"), std::string::npos);
  EXPECT_EQ(hint({"q", "d", "--max_target_seqs", "3"}), "here it is --max-target-seqs");
  EXPECT_EQ(hint({"q", "d", "-threads", "3"}), "here it is --threads");
  EXPECT_NE(hint({"q", "d", "--sensitive"}).find("no heuristics"), std::string::npos);
  EXPECT_NE(hint({"q", "d", "-perc_identity", "90"}).find("pident"), std::string::npos);
  EXPECT_EQ(hint({"q", "d", "--outfmt", "6", "qseqid", "sseqid"}), "--outfmt \"6 qseqid sseqid\"");
  EXPECT_EQ(hint({"q", "d", "--outfmt", "6", "-q", "-v", "--threads", "2", "-3", "-"}), "");
  EXPECT_EQ(hint({"--", "-evalue", "-query"}), "") << "what follows -- are files";
  EXPECT_EQ(hint({"q", "d", "--nothing-like-it"}), "") << "another message names the nearest";
}

TEST(OtherPrograms, TableIsThatOfTheReadme) {
  std::ifstream file(SPEEDWELL_ALIGNMENT_README);
  const std::string readme{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(readme.find("\n\n" + option_table() + "\n"), std::string::npos) << option_table();
}

TEST(OtherPrograms, ReadmeDefinesEveryColumn) {
  std::ifstream file(SPEEDWELL_ALIGNMENT_README);
  const std::string readme{std::istreambuf_iterator<char>(file), {}};
  const auto begin = readme.find("| column | definition |");
  ASSERT_NE(begin, std::string::npos);
  const std::string table = readme.substr(begin, readme.find("\n\n", begin) - begin);
  for (const std::string& name : io::blast_column_names())
    EXPECT_NE(table.find("`" + name + "`"), std::string::npos) << name;
}

}  // namespace
}  // namespace speedwell::search
