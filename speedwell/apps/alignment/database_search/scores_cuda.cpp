// Scores and alignments on GPUs.
#include <cstddef>
#include <exception>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "speedwell/apps/alignment/database_search/scores.hpp"
#include "speedwell/apps/alignment/device_search.hpp"
#include "speedwell/apps/alignment/gpu_pair.hpp"
#include "speedwell/apps/alignment/gpu_pair_on_devices.hpp"
#include "speedwell/apps/alignment/pair_division.hpp"

namespace speedwell::database_search {
namespace {

using alignment::SequenceSet;

/// One GPU's part of a database, which stays on it between searches.
struct DeviceShare {
  std::vector<std::size_t> subjects;  // their indices
  SequenceSet set;
  std::unique_ptr<alignment::DeviceSearch> search;
  DeviceShare(const SequenceSet& database, std::vector<std::size_t> indices, int device)
      : subjects(std::move(indices)),
        set(alignment::subset(database, subjects)),
        search(std::make_unique<alignment::DeviceSearch>(set, device)) {}
};

}  // namespace

// The database stays on the devices while it is the same one and is divided among them as before.
ScoreProvider gpu_scores(const std::vector<int>& devices) {
  if (devices.empty()) return {};
  struct Kept {
    const SequenceSet* database = nullptr;
    std::unique_ptr<alignment::DeviceSearch> whole;    // of a single device
    std::vector<std::unique_ptr<DeviceShare>> shares;  // of several
  };
  auto kept = std::make_shared<Kept>();
  return [kept, devices](const SequenceSet& queries, const SequenceSet& database, const alignment::Scoring& scoring,
                         const alignment::Control&) {
    if (kept->database != &database) {
      kept->shares.clear();
      kept->shares.resize(devices.size());
      kept->whole.reset();
      kept->database = &database;
    }
    if (devices.size() == 1) {
      if (!kept->whole) kept->whole = std::make_unique<alignment::DeviceSearch>(database, devices.front());
      return kept->whole->search(queries, scoring);
    }
    if (queries.size() == 1 && database.size() == 1 &&
        alignment::is_for_several_devices(queries.longest(), database.longest()) && alignment::can_share_pairs(devices))
      try {
        const alignment::Codes query = queries.codes(0), subject = database.codes(0);
        return std::vector<std::int32_t>{alignment::find_end_on_devices(devices, query, subject, scoring).score};
      } catch (const std::invalid_argument&) {  // scores too far apart for it
      }
    const auto blocks = alignment::divide_pairs(queries, database, static_cast<int>(devices.size()));
    std::vector<std::int32_t> scores(queries.size() * database.size());
    std::vector<std::exception_ptr> failures(devices.size());
    const auto work = [&](std::size_t d) {
      try {
        const alignment::PairBlock& block = blocks[d];
        if (block.queries.empty() || block.subjects.empty()) return;
        std::unique_ptr<DeviceShare>& share = kept->shares[d];
        if (!share || share->subjects != block.subjects) {
          share.reset();  // frees its memory first
          share = std::make_unique<DeviceShare>(database, block.subjects, devices[d]);
        }
        alignment::put_block(block, share->search->search(alignment::subset(queries, block.queries), scoring), scores,
                             database.size());
      } catch (...) {
        failures[d] = std::current_exception();
      }
    };
    std::vector<std::jthread> others;
    for (std::size_t d = 1; d < devices.size(); ++d) others.emplace_back(work, d);
    work(0);
    others.clear();  // joins them
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
    return scores;
  };
}

PairAligner gpu_aligner(const std::vector<int>& devices) {
  return [devices, shares = alignment::can_share_pairs(devices)](alignment::Codes query, alignment::Codes subject,
                                                                 const alignment::Scoring& scoring,
                                                                 const alignment::AlignOptions& options) {
    if (alignment::is_for_whole_device(query.size(), subject.size())) try {
        if (shares && alignment::is_for_several_devices(query.size(), subject.size()))
          return alignment::align_on_devices(devices, query, subject, scoring, options);
        return alignment::GpuPair(devices.front()).align(query, subject, scoring, options);
      } catch (const std::invalid_argument&) {  // scores too far apart for it
      }
    return alignment::align(query, subject, scoring, options);
  };
}

}  // namespace speedwell::database_search
