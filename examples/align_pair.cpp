// Aligns two sequences given on the command line: example_align_pair HEAGAWGHEE PAWHEAE
#include <cstdio>
#include <exception>

#include "speedwell/apps/alignment/alignment.hpp"

int main(int argc, char** argv) try {
  using namespace speedwell::alignment;
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s PROTEIN PROTEIN\n", argv[0]);
    return 2;
  }
  SequenceSet pair(Alphabet::protein);
  pair.add("query", "", argv[1]);
  pair.add("subject", "", argv[2]);
  const Alignment best = align(pair.codes(0), pair.codes(1), Scoring{named_matrix("BLOSUM62"), 11, 1});
  std::printf("score %d, query %d-%d, subject %d-%d, %s\n", best.score, best.query_begin, best.query_end,
              best.subject_begin, best.subject_end, cigar_string(best.cigar).c_str());
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 2;
}
