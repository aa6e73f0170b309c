// Scores and alignments on GPUs.
#include <algorithm>
#include <exception>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "speedwell/apps/alignment/database_search/scores.hpp"
#include "speedwell/apps/alignment/device_search.hpp"
#include "speedwell/apps/alignment/gpu_pair.hpp"

namespace speedwell::database_search {
namespace {

using alignment::SequenceSet;

/// The first query of each share, and queries.size(): shares have about as many residues each.
std::vector<std::size_t> shares_of(const SequenceSet& queries, std::size_t count) {
  std::vector<std::size_t> first{0};
  std::size_t residues = 0;
  for (std::size_t q = 0; q < queries.size() && first.size() < count; ++q) {
    residues += queries.length(q);
    if (residues * count >= queries.residues() * first.size()) first.push_back(q + 1);
  }
  first.resize(count, queries.size());
  first.push_back(queries.size());
  return first;
}

}  // namespace

// The database stays on the devices while it is the same one.
ScoreProvider gpu_scores(const std::vector<int>& devices) {
  if (devices.empty()) return {};
  struct Kept {
    const SequenceSet* database = nullptr;
    std::vector<std::unique_ptr<alignment::DeviceSearch>> searches;
  };
  auto kept = std::make_shared<Kept>();
  return [kept, devices](const SequenceSet& queries, const SequenceSet& database, const alignment::Scoring& scoring,
                         const alignment::Control&) {
    if (kept->database != &database) {
      kept->searches.clear();
      for (const int device : devices)
        kept->searches.push_back(std::make_unique<alignment::DeviceSearch>(database, device));
      kept->database = &database;
    }
    const std::vector<std::size_t> first = shares_of(queries, devices.size());
    std::vector<std::int32_t> scores(queries.size() * database.size());
    std::vector<std::exception_ptr> failures(devices.size());
    const auto work = [&](std::size_t d) {
      try {
        if (first[d] == first[d + 1]) return;
        SequenceSet share(queries.alphabet());
        for (std::size_t q = first[d]; q < first[d + 1]; ++q) share.add_codes(queries.name(q), queries.codes(q));
        const auto part = kept->searches[d]->search(share, scoring);
        std::copy(part.begin(), part.end(), scores.begin() + static_cast<std::ptrdiff_t>(first[d] * database.size()));
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

PairAligner gpu_aligner(int device) {
  return [device](alignment::Codes query, alignment::Codes subject, const alignment::Scoring& scoring,
                  const alignment::AlignOptions& options) {
    if (alignment::is_for_whole_device(query.size(), subject.size())) try {
        return alignment::GpuPair(device).align(query, subject, scoring, options);
      } catch (const std::invalid_argument&) {  // scores too far apart for it
      }
    return alignment::align(query, subject, scoring, options);
  };
}

}  // namespace speedwell::database_search
