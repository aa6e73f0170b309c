#include "speedwell/apps/alignment/distributed.hpp"

#include <array>
#include <stdexcept>
#include <string>

#include "speedwell/comm/timer.hpp"

namespace speedwell::alignment {
namespace {

bool are_same_subjects(const std::vector<PairBlock>& a, const std::vector<PairBlock>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].subjects != b[i].subjects) return false;
  return true;
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

void RankSearch::scatter(const SequenceSet* queries, const SequenceSet* subjects) {
  if (ranks_.rank() != 0) {
    has_new_subjects_ = ranks_.broadcast(false);
    queries_ = receive_sequences(ranks_, 0);
    if (has_new_subjects_) subjects_ = std::make_unique<SequenceSet>(receive_sequences(ranks_, 0));
    return;
  }
  if (!queries || !subjects) throw std::invalid_argument("the first rank has no sequences");
  std::vector<PairBlock> blocks = divide_pairs(*queries, *subjects, ranks_.size());
  has_new_subjects_ = ranks_.broadcast(database_ != subjects || !are_same_subjects(blocks_, blocks));
  blocks_ = std::move(blocks);
  database_ = subjects;
  all_subjects_ = subjects->size();
  for (int rank = 1; rank < ranks_.size(); ++rank) {
    const PairBlock& block = blocks_[static_cast<std::size_t>(rank)];
    send_sequences(ranks_, subset(*queries, block.queries), rank);
    if (has_new_subjects_) send_sequences(ranks_, subset(*subjects, block.subjects), rank);
  }
  queries_ = subset(*queries, blocks_[0].queries);
  if (has_new_subjects_) subjects_ = std::make_unique<SequenceSet>(subset(*subjects, blocks_[0].subjects));
}

void RankSearch::gather(std::span<const std::int32_t> mine, std::span<std::int32_t> all) {
  const comm::Timer timer(exchange_seconds_);
  if (mine.size() != queries_->size() * subjects_->size())
    throw std::invalid_argument(std::to_string(mine.size()) + " scores of " +
                                std::to_string(queries_->size() * subjects_->size()) + " pairs");
  if (ranks_.rank() != 0) {
    if (!mine.empty()) ranks_.send(mine, 0);
    return;
  }
  put_block(blocks_[0], mine, all, all_subjects_);
  std::vector<std::int32_t> of_rank;
  for (int rank = 1; rank < ranks_.size(); ++rank) {
    const PairBlock& block = blocks_[static_cast<std::size_t>(rank)];
    of_rank.resize(block.queries.size() * block.subjects.size());
    if (of_rank.empty()) continue;
    ranks_.receive(std::span<std::int32_t>(of_rank), rank);
    put_block(block, of_rank, all, all_subjects_);
  }
}

}  // namespace speedwell::alignment
