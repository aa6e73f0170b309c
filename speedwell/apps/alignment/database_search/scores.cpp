#include "speedwell/apps/alignment/database_search/scores.hpp"

#include <cstddef>
#include <utility>

#include "speedwell/apps/alignment/database_search/parallel.hpp"

namespace speedwell::database_search {

ScoreProvider cpu_scores(int threads) {
  return [threads](const alignment::SequenceSet& queries, const alignment::SequenceSet& database,
                   const alignment::Scoring& scoring, const alignment::Control& control) {
    std::vector<std::int32_t> scores(queries.size() * database.size());
    alignment::search_scores(queries, database, scoring, scores, {.threads = threads, .control = control});
    return scores;
  };
}

PairsAligner align_each(PairAligner aligner, int threads, const std::atomic<bool>* stop) {
  return [aligner = std::move(aligner), threads, stop](std::span<const CodePair> pairs,
                                                       const alignment::Scoring& scoring) {
    constexpr double cells_of_large_pair = 1e8;
    std::vector<alignment::Alignment> alignments(pairs.size());
    std::vector<std::size_t> small;
    const auto align = [&](std::size_t i, int pair_threads) {
      alignments[i] = aligner(pairs[i].query, pairs[i].subject, scoring, {.threads = pair_threads, .stop = stop});
    };
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (static_cast<double>(pairs[i].query.size()) * static_cast<double>(pairs[i].subject.size()) <
          cells_of_large_pair)
        small.push_back(i);
      else
        align(i, threads);
    }
    parallel(small.size(), threads, [&](std::size_t k) {
      if (stop && *stop) throw alignment::Stopped();
      align(small[k], 1);
    });
    return alignments;
  };
}

#ifdef SPEEDWELL_WITHOUT_CUDA

ScoreProvider gpu_scores(const std::vector<int>&) { return {}; }
PairAligner gpu_aligner(const std::vector<int>&) { return alignment::align; }

#endif

}  // namespace speedwell::database_search
