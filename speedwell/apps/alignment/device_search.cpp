#include "speedwell/apps/alignment/device_search.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "speedwell/apps/alignment/gpu_pair.hpp"
#include "speedwell/apps/alignment/pair_division.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::alignment {
namespace {

std::vector<std::size_t> range(std::size_t begin, std::size_t end) {
  std::vector<std::size_t> indices(end - begin);
  std::iota(indices.begin(), indices.end(), begin);
  return indices;
}

/// The indices for which `is(i)` holds, and the others.
template <class Is>
std::pair<std::vector<std::size_t>, std::vector<std::size_t>> parted(std::size_t count, const Is& is) {
  std::pair<std::vector<std::size_t>, std::vector<std::size_t>> parts;
  for (std::size_t i = 0; i < count; ++i) (is(i) ? parts.first : parts.second).push_back(i);
  return parts;
}

}  // namespace

bool is_for_whole_device(std::size_t query_length, std::size_t subject_length) {
  // GpuSearch has one warp per pair, which so many cells keep busy long after the others have finished; GpuPair has a
  // warp per band of rows, of which shorter sequences have too few.
  return std::min(query_length, subject_length) >= 4096 &&
         static_cast<double>(query_length) * static_cast<double>(subject_length) > 1e9;
}

std::vector<std::int32_t> DeviceSearch::search_in_pieces(const SequenceSet& queries, const SequenceSet& subjects,
                                                         const Scoring& scoring, Kept& kept) {
  try {
    if (!kept) kept = std::make_unique<GpuSearch>(subjects, device_);
    std::vector<std::int32_t> scores = kept->search(queries, scoring);
    ++pieces_;
    return scores;
  } catch (const core::Unavailable&) {
    kept.reset();
    if (subjects.size() < 2) throw;
  }
  std::vector<std::int32_t> scores(queries.size() * subjects.size());
  const std::size_t middle = subjects.size() / 2;
  for (const auto& [begin, end] : {std::pair{std::size_t{0}, middle}, {middle, subjects.size()}}) {
    const std::vector<std::size_t> indices = range(begin, end);
    const SequenceSet piece = subset(subjects, indices);
    Kept of_piece;
    put_block({range(0, queries.size()), indices}, search_in_pieces(queries, piece, scoring, of_piece), scores,
              subjects.size());
  }
  return scores;
}

std::vector<std::int32_t> DeviceSearch::search(const SequenceSet& queries, const Scoring& scoring) {
  pieces_ = pairs_ = 0;
  const std::size_t longest_query = queries.longest(), longest_subject = database_.longest();
  if (!is_for_whole_device(longest_query, longest_subject))
    return search_in_pieces(queries, database_, scoring, whole_);

  const auto [long_queries, short_queries] =
      parted(queries.size(), [&](std::size_t q) { return is_for_whole_device(queries.length(q), longest_subject); });
  const auto [long_subjects, short_subjects] =
      parted(database_.size(), [&](std::size_t s) { return is_for_whole_device(longest_query, database_.length(s)); });
  std::vector<std::int32_t> scores(queries.size() * database_.size());
  const auto put = [&](const std::vector<std::size_t>& q, const std::vector<std::size_t>& s,
                       const std::vector<std::int32_t>& part) {
    put_block({q, s}, part, scores, database_.size());
  };
  const auto search_some = [&](const std::vector<std::size_t>& q, const std::vector<std::size_t>& s) {
    if (q.empty() || s.empty()) return;
    const SequenceSet some_subjects = subset(database_, s);
    Kept kept;
    put(q, s, search_in_pieces(subset(queries, q), some_subjects, scoring, kept));
  };
  if (!short_queries.empty())
    put(short_queries, range(0, database_.size()),
        search_in_pieces(subset(queries, short_queries), database_, scoring, whole_));
  search_some(long_queries, short_subjects);
  GpuPair pair(device_);
  for (const std::size_t q : long_queries)
    for (const std::size_t s : long_subjects) {
      try {
        scores[q * database_.size() + s] = pair.find_end(queries.codes(q), database_.codes(s), scoring).score;
        ++pairs_;
        // neighbouring scores differ too much for GpuPair; GpuSearch has no such limit
      } catch (const std::invalid_argument&) {
        search_some({q}, {s});
      }
    }
  return scores;
}

}  // namespace speedwell::alignment
