// A build without CUDA has no scores on GPUs.
#include "speedwell/cli/align.hpp"

namespace speedwell::cli {

ScoreProvider gpu_scores(const std::vector<int>&) { return {}; }
PairAligner gpu_aligner(int) { return alignment::align; }

}  // namespace speedwell::cli
