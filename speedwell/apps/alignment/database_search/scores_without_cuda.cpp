// A build without CUDA has no scores on GPUs.
#include "speedwell/apps/alignment/database_search/scores.hpp"

namespace speedwell::database_search {

ScoreProvider gpu_scores(const std::vector<int>&) { return {}; }
PairAligner gpu_aligner(int) { return alignment::align; }

}  // namespace speedwell::database_search
