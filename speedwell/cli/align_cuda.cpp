// Scores of `align` on GPUs.
#include <memory>

#include "speedwell/apps/alignment/gpu_search.hpp"
#include "speedwell/cli/align.hpp"

namespace speedwell::cli {

// The first GPU: one database, one search after another. The database stays on the device while it is the same one.
ScoreProvider gpu_scores(const std::vector<int>& devices) {
  struct Kept {
    const alignment::SequenceSet* database = nullptr;
    std::unique_ptr<alignment::GpuSearch> search;
  };
  auto kept = std::make_shared<Kept>();
  const int device = devices.front();
  return [kept, device](const alignment::SequenceSet& queries, const alignment::SequenceSet& database,
                        const alignment::Scoring& scoring, const alignment::Control&) {
    if (kept->database != &database) {
      kept->search = std::make_unique<alignment::GpuSearch>(database, device);
      kept->database = &database;
    }
    return kept->search->search(queries, scoring);
  };
}

}  // namespace speedwell::cli
