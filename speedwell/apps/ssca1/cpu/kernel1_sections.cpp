#include "speedwell/apps/ssca1/cpu/kernel1_sections.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/ssca1/cpu/kernels.hpp"
#include "speedwell/apps/ssca1/cpu/parallel.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::ssca1 {
namespace {

constexpr int max_turns = 6;
constexpr int max_given_up = 3;        // consecutive rounds
constexpr std::int64_t shortest = 64;  // columns of a section
constexpr int max_lanes = 64;

/// Rounds to a whole number of blocks: a lane's state is valid after a block, not inside one.
std::int64_t blocks_up(std::int64_t columns) { return (columns + section_block - 1) / section_block * section_block; }

/// The data that all batches share.
struct Shared {
  std::vector<std::int8_t> scores = std::vector<std::int8_t>(std::size_t{256} * 256, 0);
  std::vector<std::uint8_t> match_codes;
  bool few_symbols = false;
  std::int64_t gap_first = 0, gap_next = 0, margin = 0, highest = 0;
  bool usable = false;  // whether lanes of 8 or 16 bits can hold scores at all

  explicit Shared(const TableProblem& table) {
    const Scoring& scoring = table.scoring;
    const int n = scoring.symbols();
    // A gap that costs more than any score is never part of an alignment, so that larger costs are equivalent.
    const std::int64_t maximum = std::int64_t{std::max(0, scoring.highest())} * std::min(table.rows(), table.columns());
    gap_first = std::min(std::int64_t{scoring.gap_open()} + scoring.gap_extend(), maximum + 1);
    gap_next = std::min(std::int64_t{scoring.gap_extend()}, maximum + 1);
    margin = std::max(gap_first + gap_next, -std::int64_t{scoring.lowest()});
    highest = std::max(0, scoring.highest());
    usable = n < 256 && scoring.lowest() >= -128 && scoring.highest() <= 127;
    few_symbols = n <= 64;
    if (!usable) return;
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b)
        scores[static_cast<std::size_t>(a * 256 + b)] = static_cast<std::int8_t>(scoring.score(a, b));
    std::vector<bool> seen(256, false);
    for (const std::uint8_t code : table.match) seen[code] = true;
    for (int code = 0; code < 256; ++code)
      if (seen[static_cast<std::size_t>(code)]) match_codes.push_back(static_cast<std::uint8_t>(code));
  }
  bool fits(const SectionKernel& kernel) const { return usable && margin + highest < kernel.capacity; }
  /// Whether a lane can start from the state: sections in narrow lanes may follow tiles or wider lanes.
  bool fits(const SectionKernel& kernel, const ColumnState& state) const {
    std::int64_t maximum = 0;
    for (const std::int32_t h : state.h) maximum = std::max<std::int64_t>(maximum, h);
    for (const std::int32_t e : state.e) maximum = std::max<std::int64_t>(maximum, e);
    return maximum + margin + highest <= kernel.capacity;
  }
};

struct Section {
  std::int64_t first = 0, last = 0;  // columns
  ColumnState begin, end;            // computed states of the columns before the first one and at the last one
  Candidates found;
  explicit Section(const TableProblem& table) : found(table.rules, table.owned) {}
};

/// Sections in the lanes of one kernel, with the necessary memory.
class Batch {
 public:
  Batch(const TableProblem& table, const Shared& shared, const SectionKernel& kernel)
      : table_(table),
        kernel_(kernel),
        states_{core::HostBuffer<unsigned char>(table.match.size() * kernel.state_bytes_per_row),
                core::HostBuffer<unsigned char>(table.match.size() * kernel.state_bytes_per_row)},
        column_(2 * table.match.size()) {
    batch_ = {.match = table.match.data(),
              .match_length = table.match.size(),
              .match_codes = shared.match_codes.data(),
              .match_code_count = static_cast<int>(shared.match_codes.size()),
              .scores = shared.scores.data(),
              .few_symbols = shared.few_symbols,
              .main = mains_,
              .lengths = lengths_,
              .gap_first = shared.gap_first,
              .gap_next = shared.gap_next,
              .margin = shared.margin,
              .highest = shared.highest,
              .states = {states_[0].data(), states_[1].data()},
              .context = this,
              .thresholds = thresholds_,
              .column = column_.data()};
  }

  /// Every section starts `lead` columns early from zeros, or with `known` from its `begin`. Returns false if a score
  /// did not fit, or if so many blocks had candidates that lanes do not pay: then dense().
  bool sweep(std::span<Section* const> sections, std::int64_t lead, bool known) {
    sections_ = sections;
    const ColumnState zeros(table_.rows());
    for (int lane = 0; lane < kernel_.lanes; ++lane) kernel_.load(batch_, lane, zeros.h.data(), zeros.e.data());
    if (!known && lead > 0) {
      // The first section of a round has no lead, because its initial state is known.
      set_columns([&](const Section& s) { return s.first - lead; }, [&](const Section& s) { return s.first; }, true);
      batch_.block_found = nullptr;
      if (!kernel_.sweep(batch_)) return false;
    }
    for (std::size_t lane = 0; lane < sections.size(); ++lane) {
      Section& s = *sections[lane];
      s.found.clear();
      if (known || s.first == round_first_)
        kernel_.load(batch_, static_cast<int>(lane), s.begin.h.data(), s.begin.e.data());
      else
        kernel_.store(batch_, static_cast<int>(lane), s.begin.h.data(), s.begin.e.data());
      thresholds_[lane] = s.found.threshold();
    }
    for (auto lane = static_cast<int>(sections.size()); lane < max_lanes; ++lane) thresholds_[lane] = INT32_MAX;
    set_columns([](const Section& s) { return s.first; }, [](const Section& s) { return s.last; }, false);
    batch_.block_found = [](void* context, int lane, std::size_t column, const std::int32_t* h, const std::int32_t* e) {
      return static_cast<Batch*>(context)->look(lane, column, h, e);
    };
    blocks_left_ = 16 + static_cast<std::int64_t>(sections.size() * batch_.columns / section_block / 8);
    if (!kernel_.sweep(batch_)) return false;
    for (std::size_t lane = 0; lane < sections.size(); ++lane)
      kernel_.store(batch_, static_cast<int>(lane), sections[lane]->end.h.data(), sections[lane]->end.e.data());
    return true;
  }
  void begin_round(std::int64_t first) { round_first_ = first; }
  bool dense() const { return blocks_left_ < 0; }

 private:
  template <class First, class Last>
  void set_columns(const First& first, const Last& last, bool lead) {
    batch_.columns = 0;
    for (std::size_t lane = 0; lane < max_lanes; ++lane) {
      mains_[lane] = table_.main.data();
      lengths_[lane] = 0;
      if (lane >= sections_.size()) continue;
      const Section& s = *sections_[lane];
      if (lead && s.first == round_first_) continue;
      mains_[lane] += first(s);
      lengths_[lane] = static_cast<std::size_t>(last(s) - first(s));
      batch_.columns = std::max(batch_.columns, lengths_[lane]);
    }
  }

  std::int64_t look(int lane, std::size_t column, const std::int32_t* h, const std::int32_t* e) {
    Section& s = *sections_[static_cast<std::size_t>(lane)];
    const std::int64_t first = s.first + static_cast<std::int64_t>(column);
    // H and E are scratch memory of the kernel and may be overwritten.
    scan_block(table_, 0, table_.rows(), first, std::min(s.last, first + section_block), const_cast<std::int32_t*>(h),
               const_cast<std::int32_t*>(e), nullptr, nullptr, 0, &s.found);
    return --blocks_left_ < 0 ? stop_sweep : s.found.threshold();
  }

  const TableProblem& table_;
  const SectionKernel& kernel_;
  core::HostBuffer<unsigned char> states_[2];
  core::HostBuffer<std::int32_t> column_;
  SectionBatch batch_{};
  std::span<Section* const> sections_;
  std::int64_t round_first_ = 0, blocks_left_ = 0;
  const std::uint8_t* mains_[max_lanes];
  std::size_t lengths_[max_lanes];
  std::int64_t thresholds_[max_lanes];
};

bool same(const ColumnState& a, const ColumnState& b) { return a.h == b.h && a.e == b.e; }

class Sweep {
 public:
  Sweep(const TableProblem& table, const SectionOptions& options)
      : table_(table),
        options_(options),
        shared_(table),
        kernels_(kernels(options.isa)),
        threads_(core::resolve_threads(options.threads)),
        state_(table.rows()),
        found_(table.rules, table.owned),
        lead_(blocks_up(options.lead)) {}

  Candidates run() {
    const std::int64_t n = table_.columns();
    const bool lanes = table_.rows() > 0 && table_.rows() <= options_.max_rows;
    const bool narrow = lanes && shared_.fits(kernels_.sections8), wide = lanes && shared_.fits(kernels_.sections16);
    std::int64_t at = 0;
    // Lanes have 8 bits as long as scores fit; otherwise 16 bits, for longer each time that 8 bits have failed again.
    for (std::int64_t wide_rounds = 1; at < n && wide; wide_rounds *= 2) {
      if (narrow) {
        const std::int64_t from = std::exchange(at, sweep(kernels_.sections8, at, INT64_MAX));
        if (at > from) wide_rounds = 1;
      }
      if (at == n) break;
      const std::int64_t from = std::exchange(at, sweep(kernels_.sections16, at, narrow ? wide_rounds : INT64_MAX));
      counts_.wide_columns += at - from;
      if (at == from) break;
    }
    if (at < n) tiles(at, n);
    if (options_.counts) {
      options_.counts->rounds += counts_.rounds;
      options_.counts->sections += counts_.sections;
      options_.counts->repeated += counts_.repeated;
      options_.counts->wide_columns += counts_.wide_columns;
      options_.counts->tiled_columns += counts_.tiled_columns;
    }
    return found_;
  }

 private:
  /// Computes `rounds` rounds from column `at`, up to the end or to scores that do not fit. Returns the column reached.
  std::int64_t sweep(const SectionKernel& kernel, std::int64_t at, std::int64_t rounds) {
    const std::int64_t n = table_.columns(), lanes = kernel.lanes;
    const std::int64_t slots = lanes * threads_;
    std::deque<Batch> batches;  // a deque, because batches hold pointers to their members
    for (int t = 0; t < threads_; ++t) batches.emplace_back(table_, shared_, kernel);
    std::vector<Section> sections(static_cast<std::size_t>(std::min(slots, (n - at + shortest - 1) / shortest)),
                                  Section(table_));
    for (Section& s : sections) s.begin = s.end = ColumnState(table_.rows());
    const auto max_sections = static_cast<std::int64_t>(sections.size());
    for (; at < n && rounds > 0; --rounds) {
      if (!shared_.fits(kernel, state_)) return at;
      const std::int64_t left = n - at;
      const std::int64_t even = (left + max_sections - 1) / max_sections;
      const std::int64_t length = blocks_up(std::clamp(even, shortest, std::max(shortest, options_.longest)));
      const std::int64_t count = std::min(max_sections, (left + length - 1) / length);
      for (std::int64_t s = 0; s < count; ++s) {
        Section& section = sections[static_cast<std::size_t>(s)];
        section.first = at + s * length;
        section.last = std::min(n, section.first + length);
      }
      sections[0].begin = state_;
      const auto outcome =
          round(std::span(sections).first(static_cast<std::size_t>(count)), batches, lanes, std::min(lead_, length));
      if (outcome == Outcome::did_not_fit) return at;
      const std::int64_t end = sections[static_cast<std::size_t>(count - 1)].last;
      if (outcome != Outcome::agreed) {
        tiles(at, end);
        if (++given_up_ == max_given_up) return tiles(end, n);
      } else {
        given_up_ = 0;
        for (std::int64_t s = 0; s < count; ++s) found_.add(sections[static_cast<std::size_t>(s)].found);
        state_ = sections[static_cast<std::size_t>(count - 1)].end;
      }
      ++counts_.rounds;
      counts_.sections += count;
      at = end;
    }
    return at;
  }

  enum class Outcome { agreed, did_not_agree, did_not_fit, too_dense };

  Outcome round(std::span<Section> sections, std::deque<Batch>& batches, std::int64_t lanes, std::int64_t lead) {
    std::vector<Section*> work;
    for (Section& s : sections) work.push_back(&s);
    for (int turn = 0;; ++turn) {
      if (!sweep_all(work, batches, lanes, sections[0].first, lead, turn > 0)) {
        const bool dense = std::any_of(batches.begin(), batches.end(), [](const Batch& b) { return b.dense(); });
        return dense ? Outcome::too_dense : Outcome::did_not_fit;
      }
      work.clear();
      for (std::size_t s = 1; s < sections.size(); ++s)
        if (!same(sections[s].begin, sections[s - 1].end)) work.push_back(&sections[s]);
      if (work.empty()) return Outcome::agreed;
      if (turn == max_turns) return Outcome::did_not_agree;
      counts_.repeated += static_cast<std::int64_t>(work.size());
      // If the lead is too short for many sections, it is also too short for the next round.
      if (turn == 0 && work.size() > sections.size() / 8) lead_ *= 2;
      // All sections are repeated concurrently from the current states of their neighbours: the first one is then
      // correct, and usually the others, too.
      for (Section* s : work) s->begin = (s - 1)->end;
    }
  }

  bool sweep_all(const std::vector<Section*>& work, std::deque<Batch>& batches, std::int64_t lanes, std::int64_t first,
                 std::int64_t lead, bool known) {
    const auto total = static_cast<std::int64_t>(work.size()), used = static_cast<std::int64_t>(batches.size());
    // Batches have as few sections as all threads allow; the cost of a vector does not depend on the number of lanes in
    // use.
    const std::int64_t each = std::min(lanes, (total + used - 1) / used), count = (total + each - 1) / each;
    std::vector<char> fits(static_cast<std::size_t>(count), 0);
    for_each_item(count, options_.threads, [&](std::int64_t b) {
      const auto begin = static_cast<std::size_t>(b * each);
      Batch& batch = batches[static_cast<std::size_t>(b)];
      batch.begin_round(first);
      fits[static_cast<std::size_t>(b)] = batch.sweep(
          std::span(work).subspan(begin, std::min(static_cast<std::size_t>(each), work.size() - begin)), lead, known);
    });
    return std::find(fits.begin(), fits.end(), 0) == fits.end();
  }

  std::int64_t tiles(std::int64_t first, std::int64_t last) {
    sweep_tiles(table_, first, last, state_, found_, options_);
    counts_.tiled_columns += last - first;
    return last;
  }

  const TableProblem& table_;
  SectionOptions options_;
  Shared shared_;
  const Kernels& kernels_;
  int threads_;
  ColumnState state_;  // state after the last finished column
  Candidates found_;   // candidates of the finished columns
  std::int64_t lead_;
  int given_up_ = 0;
  SectionCounts counts_;
};

}  // namespace

Endpoints sectioned_table(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                          const SectionOptions& options) {
  require_valid(main, match, scoring, rules);
  if (options.lead < 0) throw std::invalid_argument("a negative lead of sections");
  const TableProblem table{main, match, scoring, rules};
  return Sweep(table, options).run().finish();
}

SectionCandidates section_candidates(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                                     const TableSection& section, const Options& options) {
  require_valid(main, match, scoring, rules);
  SectionOptions with;
  static_cast<Options&>(with) = options;
  const TableProblem table{section.of(main), match, scoring, rules, section.owned};
  SectionCandidates found = Sweep(table, with).run().of_section();
  section.move(found);
  return found;
}

Endpoints pairwise_align(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                         const Options& options) {
  SectionOptions with;
  static_cast<Options&>(with) = options;
  return sectioned_table(main, match, scoring, rules, with);
}

}  // namespace speedwell::ssca1
