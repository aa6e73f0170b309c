#include "speedwell/apps/alignment/database_search/scores.hpp"

namespace speedwell::database_search {

ScoreProvider cpu_scores(int threads) {
  return [threads](const alignment::SequenceSet& queries, const alignment::SequenceSet& database,
                   const alignment::Scoring& scoring, const alignment::Control& control) {
    std::vector<std::int32_t> scores(queries.size() * database.size());
    alignment::search_scores(queries, database, scoring, scores, {.threads = threads, .control = control});
    return scores;
  };
}

#ifdef SPEEDWELL_WITHOUT_CUDA

ScoreProvider gpu_scores(const std::vector<int>&) { return {}; }
PairAligner gpu_aligner(int) { return alignment::align; }

#endif

}  // namespace speedwell::database_search
