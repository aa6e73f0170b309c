// Searches for the proteins of one FASTA file in another and writes SAM: example_search_to_sam QUERIES DATABASE
#include <cstdio>
#include <exception>
#include <span>

#include "speedwell/apps/alignment/database_search/records.hpp"

int main(int argc, char** argv) try {
  using namespace speedwell;
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s QUERIES DATABASE\n", argv[0]);
    return 2;
  }
  const auto queries = database_search::read_sequences(argv[1], alignment::Alphabet::protein);
  const auto database = database_search::read_sequences(argv[2], alignment::Alphabet::protein);
  database_search::SearchOptions options{.max_hits = 10, .max_evalue = 1e-3};  // BLOSUM62, gaps cost 11 + k
  options.statistics = alignment::published_statistics("BLOSUM62", 11, 1);
  const database_search::SearchedFiles files{queries, database, options.scoring.matrix};
  std::fputs(io::sam_header(sam_references(database), {"search_to_sam", "", ""}).c_str(), stdout);
  search(queries.set, database.set, options, [&](std::size_t query, std::span<const database_search::Hit> hits) {
    for (const io::SamRecord& record : sam_records(files, query, hits))
      std::fputs(io::sam_line(record).c_str(), stdout);
  });
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 2;
}
