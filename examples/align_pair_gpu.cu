// examples/align_pair.cpp on a GPU, for a pair of any length; here two proteins of a few residues, aligned on the host,
// too.
#include <cstdio>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/gpu_pair.hpp"
#include "speedwell/core/cuda.hpp"

int main() {
  using namespace speedwell::alignment;
  if (!speedwell::core::have_device()) {
    std::printf("no GPU\n");
    return 77;
  }
  SequenceSet pair(Alphabet::protein);
  pair.add("query", "", "HEAGAWGHEE");
  pair.add("subject", "", "PAWHEAE");
  const Scoring scoring{named_matrix("BLOSUM62"), 11, 1};
  GpuPair gpu;
  const Alignment best = gpu.align(pair.codes(0), pair.codes(1), scoring);
  const Alignment expected = align(pair.codes(0), pair.codes(1), scoring);
  const bool same = best.score == expected.score && cigar_string(best.cigar) == cigar_string(expected.cigar) &&
                    best.query_begin == expected.query_begin && best.subject_begin == expected.subject_begin;
  std::printf("score %d, query %d-%d, subject %d-%d, %s, %s\n", best.score, best.query_begin, best.query_end,
              best.subject_begin, best.subject_end, cigar_string(best.cigar).c_str(),
              same ? "as on the host" : "not as on the host");
  return same ? 0 : 1;
}
