#include "speedwell/apps/alignment/database_search/search_on_ranks.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace speedwell::database_search {
namespace {

using alignment::Alignment;
using alignment::SequenceSet;

enum class Command : std::uint8_t { search, align, end, failed };

// Pairs whose sequences and alignments are in messages at a time, which bounds their memory.
constexpr std::size_t max_pairs = std::size_t{1} << 16;

// A scoring of the first rank on all ranks; the argument of the others is not used.
alignment::Scoring broadcast(const comm::Communicator& ranks, const alignment::Scoring& scoring) {
  const alignment::SubstitutionMatrix& matrix = scoring.matrix;
  const std::string name = ranks.broadcast(matrix.name());
  std::array<std::int8_t, alignment::code_limit * alignment::code_limit> scores{};
  std::copy_n(matrix.data(), scores.size(), scores.begin());
  ranks.broadcast(std::span<std::int8_t>(scores));
  std::uint32_t known = 0;
  for (int code = 0; code < alignment::code_limit; ++code) known |= std::uint32_t{matrix.has(code)} << code;
  std::array<std::int64_t, 4> numbers{static_cast<std::int64_t>(matrix.alphabet()), known, scoring.gap_open,
                                      scoring.gap_extend};
  ranks.broadcast(std::span<std::int64_t>(numbers));
  return {alignment::SubstitutionMatrix(name, static_cast<alignment::Alphabet>(numbers[0]), scores,
                                        static_cast<std::uint32_t>(numbers[1])),
          static_cast<int>(numbers[2]), static_cast<int>(numbers[3])};
}

void append(std::vector<std::int64_t>& numbers, const Alignment& a) {
  numbers.insert(numbers.end(),
                 {a.score, a.query_begin, a.query_end, a.subject_begin, a.subject_end, a.columns, a.identities,
                  a.mismatches, a.gap_opens, a.positives, static_cast<std::int64_t>(a.cigar.size())});
  for (const alignment::CigarRun& run : a.cigar) numbers.insert(numbers.end(), {run.operation, run.length});
}

Alignment next_alignment(const std::int64_t*& next) {
  const auto small = [&] { return static_cast<std::int32_t>(*next++); };
  Alignment a;
  a.score = small();
  a.query_begin = small();
  a.query_end = small();
  a.subject_begin = small();
  a.subject_end = small();
  a.columns = *next++;
  a.identities = *next++;
  a.mismatches = *next++;
  a.gap_opens = *next++;
  a.positives = *next++;
  for (std::int64_t runs = *next++; runs > 0; --runs, next += 2)
    a.cigar.push_back({static_cast<char>(next[0]), next[1]});
  return a;
}

// The pairs of each rank, in their order: the largest first, each to the rank with the fewest cells so far.
std::vector<std::vector<std::size_t>> divide(std::span<const CodePair> pairs, int ranks) {
  const auto cells = [&](std::size_t i) {
    return static_cast<double>(pairs[i].query.size()) * static_cast<double>(pairs[i].subject.size());
  };
  std::vector<std::size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cells(a) > cells(b); });
  std::vector<std::vector<std::size_t>> parts(static_cast<std::size_t>(ranks));
  std::vector<double> sums(parts.size(), 0);
  for (const std::size_t i : order) {
    const auto least = static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());
    parts[least].push_back(i);
    sums[least] += cells(i);
  }
  return parts;
}

}  // namespace

SearchOnRanks::SearchOnRanks(const comm::Communicator& ranks, RankResources own)
    : ranks_(ranks),
      own_(std::move(own)),
      align_own_(align_each(own_.aligner, own_.threads, own_.stop)),
      division_(ranks, own_.division) {}

void SearchOnRanks::begin_step(const alignment::Scoring& scoring, bool aligns) {
  is_within_step_ = true;
  ranks_.broadcast(aligns ? Command::align : Command::search);
  broadcast(ranks_, scoring);
}

void SearchOnRanks::throw_if_any(bool stopped) {
  const bool any = ranks_.reduce(std::int64_t{stopped}, comm::Reduction::maximum) != 0;
  is_within_step_ = false;
  if (any && is_root()) throw alignment::Stopped();
}

// A rank that is stopped still sends what the first one waits for.
std::vector<std::int32_t> SearchOnRanks::search(const SequenceSet* queries, const SequenceSet* database,
                                                const alignment::Scoring& scoring, const alignment::Control& control) {
  division_.scatter(queries, database);
  std::vector<std::int32_t> all(is_root() ? queries->size() * database->size() : 0);
  bool stopped = false;
  division_.run(
      [&](const SequenceSet& some, const SequenceSet& subjects, std::span<std::int32_t> scores) {
        if (stopped) return;
        try {
          std::ranges::copy(own_.scores(some, subjects, scoring, control), scores.begin());
        } catch (const alignment::Stopped&) {
          stopped = true;
        }
      },
      all);
  throw_if_any(stopped);
  return all;
}

std::vector<Alignment> SearchOnRanks::align(std::span<const CodePair> pairs, const alignment::Scoring& scoring) {
  std::vector<std::vector<std::size_t>> parts;
  SequenceSet sent(scoring.matrix.alphabet());  // query, subject, query, subject …
  std::vector<CodePair> own;
  if (is_root()) {
    parts = divide(pairs, ranks_.size());
    for (int rank = 1; rank < ranks_.size(); ++rank) {
      SequenceSet of_rank(scoring.matrix.alphabet());
      for (const std::size_t i : parts[static_cast<std::size_t>(rank)]) {
        of_rank.add_codes({}, pairs[i].query);
        of_rank.add_codes({}, pairs[i].subject);
      }
      alignment::send_sequences(ranks_, of_rank, rank);
    }
    for (const std::size_t i : parts[0]) own.push_back(pairs[i]);
  } else {
    sent = alignment::receive_sequences(ranks_, 0);
    for (std::size_t i = 0; i < sent.size(); i += 2) own.push_back({sent.codes(i), sent.codes(i + 1)});
  }
  std::vector<Alignment> mine;
  bool stopped = false;
  try {
    mine = align_own_(own, scoring);
  } catch (const alignment::Stopped&) {
    stopped = true;
    mine.assign(own.size(), {});
  }
  std::vector<Alignment> all(pairs.size());
  if (!is_root()) {
    std::vector<std::int64_t> numbers;
    for (const Alignment& a : mine) append(numbers, a);
    const std::uint64_t size = numbers.size();
    ranks_.send(std::span<const std::uint64_t>(&size, 1), 0);
    ranks_.send(std::span<const std::int64_t>(numbers), 0);
  } else {
    for (std::size_t k = 0; k < mine.size(); ++k) all[parts[0][k]] = std::move(mine[k]);
    for (int rank = 1; rank < ranks_.size(); ++rank) {
      std::uint64_t size = 0;
      ranks_.receive(std::span<std::uint64_t>(&size, 1), rank);
      std::vector<std::int64_t> numbers(size);
      ranks_.receive(std::span<std::int64_t>(numbers), rank);
      const std::int64_t* next = numbers.data();
      for (const std::size_t i : parts[static_cast<std::size_t>(rank)]) all[i] = next_alignment(next);
    }
  }
  throw_if_any(stopped);
  return all;
}

ScoreProvider SearchOnRanks::scores() {
  return [this](const SequenceSet& queries, const SequenceSet& database, const alignment::Scoring& scoring,
                const alignment::Control& control) {
    // A search that would be refused is refused before the others take part in it.
    alignment::require_exact(scoring, queries.alphabet(), database.alphabet(), queries.longest(), database.longest());
    begin_step(scoring, false);
    return search(&queries, &database, scoring, control);
  };
}

PairsAligner SearchOnRanks::aligner() {
  return [this](std::span<const CodePair> pairs, const alignment::Scoring& scoring) {
    std::vector<Alignment> all;
    while (all.size() < pairs.size()) {
      const auto some = pairs.subspan(all.size(), std::min(max_pairs, pairs.size() - all.size()));
      begin_step(scoring, true);
      std::ranges::move(align(some, scoring), std::back_inserter(all));
    }
    return all;
  };
}

void SearchOnRanks::end(bool failed) {
  if (!is_within_step_) ranks_.broadcast(failed ? Command::failed : Command::end);
}

void SearchOnRanks::serve() {
  const alignment::Scoring any{.matrix = alignment::named_matrix("BLOSUM62")};
  for (;;) {
    const Command command = ranks_.broadcast(Command::end);
    if (command == Command::end) return;
    if (command == Command::failed) throw std::runtime_error("the first rank failed");
    const alignment::Scoring scoring = broadcast(ranks_, any);
    if (command == Command::search)
      search(nullptr, nullptr, scoring, {.stop = own_.stop});
    else
      align({}, scoring);
  }
}

}  // namespace speedwell::database_search
