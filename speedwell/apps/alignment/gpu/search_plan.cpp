#include "speedwell/apps/alignment/gpu/search_plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "speedwell/apps/alignment/alignment.hpp"

namespace speedwell::alignment {
namespace {

// A wide group takes 31 steps more than its subject has columns, 3 % at 1024; and for longer subjects a narrow group,
// with a quarter of the lanes per pair, would still be busy when the rest of the database is finished.
constexpr std::uint64_t wide_from_columns = 1024;
// A block loads its profile once per chunk and query; this many columns per warp amortise that.
constexpr std::uint64_t columns_per_warp = 512;
// With fewer chunks per block, the device is half empty during the last ones.
constexpr std::uint64_t chunks_per_block = 4;

std::uint32_t pairs_in_chunk(std::uint64_t columns, std::uint32_t lanes) {
  const std::uint32_t at_once = warps_per_block * (32 / lanes);
  const std::uint64_t rounds = std::clamp<std::uint64_t>(columns_per_warp / std::max<std::uint64_t>(columns, 1), 1,
                                                         max_pairs_per_chunk / at_once);
  return at_once * static_cast<std::uint32_t>(rounds);
}

void require_countable(std::size_t length, const char* what) {
  if (length > longest_sequence)
    throw std::invalid_argument(std::string("a ") + what + " of " + std::to_string(length) + " residues: at most " +
                                std::to_string(longest_sequence) + " can be aligned on a GPU");
}

}  // namespace

PairedSubjects pair_subjects(const SequenceSet& subjects) {
  const std::size_t n = subjects.size();
  if (n >= PairedSubjects::none - 1)
    throw std::invalid_argument("a GPU search takes fewer than 4294967294 subjects, not " + std::to_string(n));
  require_countable(subjects.longest(), "subject");
  PairedSubjects paired;
  // One key per subject, (length complement, index), so that plain numbers are sorted and the order is unique.
  std::vector<std::uint64_t> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = (~static_cast<std::uint64_t>(subjects.length(i)) << 32) | static_cast<std::uint64_t>(i);
  std::sort(keys.begin(), keys.end());

  const std::size_t pairs = (n + 1) / 2;
  paired.order.assign(2 * pairs, PairedSubjects::none);
  paired.sorted_position.resize(n);
  paired.first_column.assign(pairs + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto index = static_cast<std::uint32_t>(keys[i]);
    paired.order[i] = index;
    paired.sorted_position[index] = static_cast<std::uint32_t>(i);
    if (i % 2 == 0) {
      const std::uint64_t columns = (subjects.length(index) + 3) / 4 * 4;
      paired.first_column[i / 2 + 1] = paired.first_column[i / 2] + columns;
    }
  }
  return paired;
}

std::vector<Chunk> plan_chunks(const PairedSubjects& subjects, std::size_t queries, std::size_t blocks) {
  std::vector<Chunk> chunks;
  const std::size_t pairs = subjects.pairs();
  std::size_t narrow_from = 0;  // the first pair that is short enough for a narrow group
  while (narrow_from < pairs && subjects.columns(narrow_from) >= wide_from_columns) ++narrow_from;

  std::uint64_t narrow_chunks = 0;
  for (std::size_t pair = narrow_from; pair < pairs; ++narrow_chunks) pair += pairs_in_chunk(subjects.columns(pair), 8);
  const bool enough = narrow_chunks * queries >= chunks_per_block * blocks;

  for (std::size_t pair = 0; pair < pairs;) {
    const bool narrow = enough && pair >= narrow_from;
    const std::uint32_t lanes = narrow ? 8 : 32;
    const std::size_t limit = narrow ? pairs : (enough ? narrow_from : pairs);
    const auto count =
        static_cast<std::uint32_t>(std::min<std::size_t>(pairs_in_chunk(subjects.columns(pair), lanes), limit - pair));
    chunks.push_back({.first_pair = static_cast<std::uint32_t>(pair), .pairs = count, .lanes = lanes});
    pair += count;
  }
  return chunks;
}

std::uint64_t score_bound(std::size_t query_length, std::size_t subject_length, const Scoring& scoring) {
  const std::uint64_t shorter = std::min(query_length, subject_length);
  const int highest = std::max(scoring.matrix.highest(), 0);  // at most 127; lengths are below 2^32
  return shorter * static_cast<std::uint64_t>(highest);
}

void check_search(const SequenceSet& queries, const SequenceSet& subjects, const Scoring& scoring) {
  require_exact(scoring, queries.alphabet(), subjects.alphabet(), queries.longest(), subjects.longest());
  require_countable(queries.longest(), "query");
}

}  // namespace speedwell::alignment
