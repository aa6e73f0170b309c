#include "speedwell/apps/alignment/distributed.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "speedwell/apps/alignment/distributed_division.hpp"
#include "speedwell/comm/timer.hpp"

namespace speedwell::alignment {
namespace {

void send_indices(const comm::Communicator& ranks, const std::vector<std::size_t>& indices, int to) {
  const std::uint64_t count = indices.size();
  ranks.send(std::span<const std::uint64_t>(&count, 1), to);
  ranks.send(std::span<const std::size_t>(indices), to);
}
std::vector<std::size_t> receive_indices(const comm::Communicator& ranks, int from) {
  std::uint64_t count = 0;
  ranks.receive(std::span<std::uint64_t>(&count, 1), from);
  std::vector<std::size_t> indices(count);
  ranks.receive(std::span<std::size_t>(indices), from);
  return indices;
}

void send_blocks(const comm::Communicator& ranks, const std::vector<PairBlock>& blocks, int to) {
  const std::uint64_t count = blocks.size();
  ranks.send(std::span<const std::uint64_t>(&count, 1), to);
  for (const PairBlock& block : blocks) {
    send_indices(ranks, block.queries, to);
    send_indices(ranks, block.subjects, to);
  }
}
std::vector<PairBlock> receive_blocks(const comm::Communicator& ranks, int from) {
  std::uint64_t count = 0;
  ranks.receive(std::span<std::uint64_t>(&count, 1), from);
  std::vector<PairBlock> blocks(count);
  for (PairBlock& block : blocks) {
    block.queries = receive_indices(ranks, from);
    block.subjects = receive_indices(ranks, from);
  }
  return blocks;
}

}  // namespace

void send_sequences(const comm::Communicator& ranks, const SequenceSet& set, int to) {
  const std::array<std::uint64_t, 3> sizes{set.size(), set.residues(), static_cast<std::uint64_t>(set.alphabet())};
  ranks.send(std::span<const std::uint64_t>(sizes), to);
  ranks.send(set.offsets(), to);
  ranks.send(set.packed(), to);
}

SequenceSet receive_sequences(const comm::Communicator& ranks, int from) {
  std::array<std::uint64_t, 3> sizes{};
  ranks.receive(std::span<std::uint64_t>(sizes), from);
  std::vector<std::size_t> offsets(sizes[0] + 1);
  ranks.receive(std::span<std::size_t>(offsets), from);
  std::vector<std::uint8_t> codes(sizes[1]);
  ranks.receive(std::span<std::uint8_t>(codes), from);
  SequenceSet set(static_cast<Alphabet>(sizes[2]));
  for (std::size_t i = 0; i < sizes[0]; ++i)
    set.add_codes({}, std::span<const std::uint8_t>(codes).subspan(offsets[i], offsets[i + 1] - offsets[i]));
  return set;
}

RankSearch::Part RankSearch::part_of(std::vector<PairBlock> blocks) {
  Part part;
  const auto collect = [&](std::vector<std::size_t> PairBlock::*indices) {
    std::vector<std::size_t>& all = part.all.*indices;
    for (const PairBlock& block : blocks) all.insert(all.end(), (block.*indices).begin(), (block.*indices).end());
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (PairBlock& block : blocks)
      for (std::size_t& i : block.*indices)
        i = static_cast<std::size_t>(std::ranges::lower_bound(all, i) - all.begin());
  };
  collect(&PairBlock::queries);
  collect(&PairBlock::subjects);
  part.blocks = std::move(blocks);
  return part;
}

std::size_t RankSearch::pairs_in(const std::vector<PairBlock>& blocks) {
  std::size_t pairs = 0;
  for (const PairBlock& block : blocks) pairs += block.queries.size() * block.subjects.size();
  return pairs;
}

std::vector<RankSearch::Part> RankSearch::divide(const SequenceSet& queries, const SequenceSet& subjects) const {
  std::vector<Part> parts;
  if (division_ == Division::tasks)
    for (std::vector<PairBlock>& blocks : divide_batches(queries, subjects, ranks_.size()))
      parts.push_back(part_of(std::move(blocks)));
  else
    for (PairBlock& block : divide_pairs(queries, subjects, ranks_.size()))
      parts.push_back(part_of({std::move(block)}));
  return parts;
}

void RankSearch::scatter(const SequenceSet* queries, const SequenceSet* subjects) {
  if (ranks_.rank() == 0 && (!queries || !subjects)) throw std::invalid_argument("the first rank has no sequences");
  if (is_shared_) is_shared_ = shared_.scatter(queries, subjects);
  if (is_shared_) return;
  if (ranks_.rank() != 0) {
    has_new_subjects_ = ranks_.broadcast(false);
    own_ = receive_blocks(ranks_, 0);
    queries_ = receive_sequences(ranks_, 0);
    if (has_new_subjects_) subjects_ = std::make_unique<SequenceSet>(receive_sequences(ranks_, 0));
    return;
  }
  std::vector<Part> parts = divide(*queries, *subjects);
  const auto has_same_subjects = [](const Part& a, const Part& b) { return a.all.subjects == b.all.subjects; };
  has_new_subjects_ = ranks_.broadcast(database_ != subjects || !std::ranges::equal(parts_, parts, has_same_subjects));
  parts_ = std::move(parts);
  database_ = subjects;
  all_subjects_ = subjects->size();
  for (int rank = 1; rank < ranks_.size(); ++rank) {
    const Part& part = parts_[static_cast<std::size_t>(rank)];
    send_blocks(ranks_, part.blocks, rank);
    send_sequences(ranks_, subset(*queries, part.all.queries), rank);
    if (has_new_subjects_) send_sequences(ranks_, subset(*subjects, part.all.subjects), rank);
  }
  own_ = parts_[0].blocks;
  queries_ = subset(*queries, parts_[0].all.queries);
  if (has_new_subjects_) subjects_ = std::make_unique<SequenceSet>(subset(*subjects, parts_[0].all.subjects));
}

void RankSearch::run(const ComputeScores& compute, std::span<std::int32_t> all) {
  if (is_shared_) return shared_.run(compute, all);
  own_scores_.resize(pairs_in(own_));
  std::span<std::int32_t> scores = own_scores_;
  for (const PairBlock& block : own_) {
    const std::span<std::int32_t> of_block = scores.first(block.queries.size() * block.subjects.size());
    scores = scores.subspan(of_block.size());
    if (of_block.empty()) continue;
    if (own_.size() == 1)
      compute(*queries_, *subjects_, of_block);
    else
      compute(subset(*queries_, block.queries), subset(*subjects_, block.subjects), of_block);
  }
  gather(own_scores_, all);
}

void RankSearch::poison() {
  shared_.poison();
  std::ranges::fill(own_scores_, -1);
}

void RankSearch::put_scores(const Part& part, std::span<const std::int32_t> scores, std::span<std::int32_t> all) const {
  for (PairBlock block : part.blocks) {
    for (std::size_t& i : block.queries) i = part.all.queries[i];
    for (std::size_t& i : block.subjects) i = part.all.subjects[i];
    put_block(block, scores, all, all_subjects_);
    scores = scores.subspan(block.queries.size() * block.subjects.size());
  }
}

void RankSearch::gather(std::span<const std::int32_t> mine, std::span<std::int32_t> all) {
  const comm::Timer timer(exchange_seconds_);
  const auto require = [](std::size_t count, std::size_t pairs) {
    if (count != pairs)
      throw std::invalid_argument(std::to_string(count) + " scores of " + std::to_string(pairs) + " pairs");
  };
  require(mine.size(), pairs_in(own_));
  if (ranks_.rank() != 0) {
    if (!mine.empty()) ranks_.send(mine, 0);
    return;
  }
  std::size_t pairs = 0;
  for (const Part& part : parts_) pairs += pairs_in(part.blocks);
  require(all.size(), pairs);
  put_scores(parts_[0], mine, all);
  std::vector<std::int32_t> of_rank;
  for (int rank = 1; rank < ranks_.size(); ++rank) {
    const Part& part = parts_[static_cast<std::size_t>(rank)];
    of_rank.resize(pairs_in(part.blocks));
    if (of_rank.empty()) continue;
    ranks_.receive(std::span<std::int32_t>(of_rank), rank);
    put_scores(part, of_rank, all);
  }
}

}  // namespace speedwell::alignment
