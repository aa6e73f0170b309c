// The search on all cores: batches of subjects of almost equal length, one per vector lane, against one query at a
// time; 8-bit lanes first, and wider ones for the pairs whose scores do not fit. Pairs that would leave most lanes of a
// batch empty, as very long subjects and small remainders do, are computed alone, in stripes (pair_tiles.hpp).
#include <algorithm>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <stdexcept>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/cpu/search_kernel.hpp"
#include "speedwell/apps/alignment/cpu/threads.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/simd/isa_choice.hpp"

namespace speedwell::alignment {
namespace {

const SearchKernels& kernels(core::Isa isa) {
  core::require_supported(isa);
  return SPEEDWELL_OF_EVERY_ISA(isa, search_kernels);
}

/// Row r of the scores belongs to a sequence of `rows`, which takes the query's part, lane l to one of `lanes`. Scores
/// are symmetric, so that the larger set can be put into the lanes.
struct Layout {
  const SequenceSet& rows;
  const SequenceSet& lanes;
  std::size_t row_stride, lane_stride;
};

/// A row against the sequences subjects[0 … count) of the lanes' set: a lane each, or one alone.
struct Task {
  std::size_t row;
  const std::uint32_t* subjects;
  std::size_t count;
  bool alone;
};

/// The time for a row of `rows` residues, in nanoseconds on one core of an AMD EPYC (Zen 4), to a tenth or so for 60
/// to 2000 residues against 350 to 5000. Elsewhere all are longer or shorter together, which is enough to choose by.
double lanes_time(std::size_t rows, std::size_t longest, int vector_bytes) {
  const double of_vector = vector_bytes == 64 ? 1.85 : 1.0;
  return static_cast<double>(longest) * (static_cast<double>(rows) * of_vector + 45);
}
double stripes_time(std::size_t rows, std::size_t length, int vector_bytes, bool narrow) {
  const double of_cell = (vector_bytes == 16 ? 0.08 : 0.055) * (narrow ? 1 : 2);
  return static_cast<double>(rows) * (20 + of_cell * static_cast<double>(length)) + 1000 +
         3 * static_cast<double>(length);
}

// A pair of so many cells keeps several cores busy by itself.
constexpr double cells_of_large_pair = 1e8;

/// The gap costs and scores that all lanes share: see LaneBatch.
struct Costs {
  std::vector<std::int8_t> scores;
  std::int64_t gap_first = 0, gap_next = 0, margin = 0, highest = 0;
};

Costs costs_of(const Scoring& scoring, std::int64_t score_bound) {
  Costs costs;
  costs.scores.assign(scoring.matrix.data(), scoring.matrix.data() + code_limit * code_limit);
  for (int symbol = 0; symbol < code_limit; ++symbol)
    costs.scores[static_cast<std::size_t>(symbol * code_limit + padding_code)] = 0;
  // A gap that costs more than any score is never taken: larger costs are the same.
  costs.gap_first = std::min(std::int64_t{scoring.gap_open} + scoring.gap_extend, score_bound + 1);
  costs.gap_next = std::min(std::int64_t{scoring.gap_extend}, score_bound + 1);
  costs.margin = std::max(costs.gap_first + costs.gap_next, -std::int64_t{scoring.matrix.lowest()});
  costs.highest = std::max(0, scoring.matrix.highest());
  return costs;
}

/// The different residues of each sequence.
std::vector<std::vector<std::uint8_t>> symbols_of(const SequenceSet& sequences) {
  std::vector<std::vector<std::uint8_t>> all(sequences.size());
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    bool seen[code_limit] = {};
    for (const std::uint8_t code : sequences.codes(i)) seen[code] = true;
    for (int code = 0; code < code_limit; ++code)
      if (seen[code]) all[i].push_back(static_cast<std::uint8_t>(code));
  }
  return all;
}

class Search {
 public:
  Search(const Layout& layout, const Costs& costs, const Scoring& scoring, const SearchOptions& options,
         std::span<std::int32_t> scores, int vector_bytes)
      : layout_(layout),
        costs_(costs),
        scoring_(scoring),
        options_(options),
        vector_bytes_(vector_bytes),
        scores_(scores),
        threads_(thread_count(options.threads)),
        symbols_(symbols_of(layout.rows)) {
    for (int t = 0; t < threads_; ++t) workspaces_.emplace_back(workspace_bytes(layout.rows.longest(), vector_bytes));
  }

  /// Whether a lane of this kind can hold any score at all.
  bool usable(const LaneKernel& kernel) const { return costs_.margin + costs_.highest < kernel.capacity; }

  /// Deals subjects, longest first, to batches of as many as there are lanes; of each the longest go alone if that
  /// takes less time in all.
  void deal(std::size_t row, const std::vector<std::uint32_t>& subjects, const LaneKernel& kernel,
            std::vector<Task>& tasks) const {
    const auto lanes = static_cast<std::size_t>(kernel.lanes);
    const std::size_t rows = layout_.rows.length(row);
    const int bytes = vector_bytes_;
    for (std::size_t first = 0; first < subjects.size();) {
      const std::size_t count = std::min(lanes, subjects.size() - first);
      const auto length = [&](std::size_t k) { return layout_.lanes.length(subjects[first + k]); };
      std::size_t alone = options_.vectors == Vectors::stripes ? count : 0;
      // Full batches of about one length are the rule in a database, and not worth a look.
      const bool even = count == lanes && length(count - 1) >= length(0) / 10 * 9;
      if (options_.vectors == Vectors::fastest && !even) {
        double before = 0, minimum = lanes_time(rows, length(0), bytes);
        for (std::size_t k = 1; k <= count; ++k) {
          before += stripes_time(rows, length(k - 1), bytes, kernel.capacity <= 255);
          const double time = before + (k < count ? lanes_time(rows, length(k), bytes) : 0);
          if (time < minimum) {
            minimum = time;
            alone = k;
          }
        }
      }
      for (std::size_t k = 0; k < alone; ++k) tasks.push_back({row, subjects.data() + first + k, 1, true});
      // The lanes that have become free go to subjects of the next batch.
      const std::size_t together = alone == count ? 0 : std::min(lanes, subjects.size() - first - alone);
      if (together > 0) tasks.push_back({row, subjects.data() + first + alone, together, false});
      first += alone + together;
    }
  }

  /// Scores that do not fit the kernel's lanes become -1. Counts cells if it is the first to compute them.
  void run(const LaneKernel& kernel, std::vector<Task> tasks, bool first) {
    Control control = options_.control;
    if (!first) control.cells = nullptr;
    const auto stop = [&] { return control.stop && control.stop->load(std::memory_order_relaxed); };
    // Few large pairs: all cores for one after another.
    const auto large = [&](const Task& task) {
      return task.alone && static_cast<double>(layout_.rows.length(task.row)) *
                                   static_cast<double>(layout_.lanes.length(task.subjects[0])) >=
                               cells_of_large_pair;
    };
    if (threads_ > 1 && std::count_if(tasks.begin(), tasks.end(), large) < 4 * threads_) {
      for (const Task& task : tasks)
        if (large(task)) run_alone(task, threads_, control);
      std::erase_if(tasks, large);
    }
    const auto count = static_cast<std::int64_t>(tasks.size());
    // Waking threads that have nothing to do costs more than a small search.
    const int threads = static_cast<int>(std::clamp<std::int64_t>(count, 1, threads_));
    std::exception_ptr failure;
    std::mutex mutex;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (std::int64_t t = 0; t < count; ++t) {
      const Task& task = tasks[static_cast<std::size_t>(t)];
      if (stop()) continue;
      try {
        if (task.alone)
          run_alone(task, 1, control);
        else
          run(kernel, task, control);
      } catch (...) {  // none may leave the parallel region
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
    if (failure) std::rethrow_exception(failure);
    if (stop()) throw Stopped();
  }

 private:
  void run_alone(const Task& task, int threads, const Control& control) {
    score_of(task.row, task.subjects[0]) =
        find_end(layout_.rows.codes(task.row), layout_.lanes.codes(task.subjects[0]), scoring_,
                 {.threads = threads, .isa = options_.isa, .control = control})
            .score;
  }

  std::int32_t& score_of(std::size_t row, std::size_t subject) {
    return scores_[row * layout_.row_stride + subject * layout_.lane_stride];
  }

  void run(const LaneKernel& kernel, const Task& task, const Control& control) {
    constexpr int max_lanes = 64;
    const std::uint8_t* subjects[max_lanes];
    std::size_t lengths[max_lanes];
    std::int64_t results[max_lanes];
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(kernel.lanes); ++lane) {
      const Codes codes = lane < task.count ? layout_.lanes.codes(task.subjects[lane]) : Codes{};
      subjects[lane] = codes.data();
      lengths[lane] = codes.size();
    }
    const Codes query = layout_.rows.codes(task.row);
    const std::vector<std::uint8_t>& symbols = symbols_[task.row];
    kernel.score({.query = query.data(),
                  .query_length = query.size(),
                  .query_symbols = symbols.data(),
                  .query_symbol_count = static_cast<int>(symbols.size()),
                  .subjects = subjects,
                  .lengths = lengths,
                  .scores = costs_.scores.data(),
                  .gap_first = costs_.gap_first,
                  .gap_next = costs_.gap_next,
                  .margin = costs_.margin,
                  .highest = costs_.highest,
                  .workspace = workspaces_[static_cast<std::size_t>(thread_index())].data(),
                  .results = results});
    if (control.cells) {
      std::size_t columns = 0;
      for (std::size_t lane = 0; lane < task.count; ++lane) columns += lengths[lane];
      control.cells->fetch_add(static_cast<std::int64_t>(query.size() * columns), std::memory_order_relaxed);
    }
    for (std::size_t lane = 0; lane < task.count; ++lane)
      score_of(task.row, task.subjects[lane]) = static_cast<std::int32_t>(results[lane]);
  }

  const Layout& layout_;
  const Costs& costs_;
  const Scoring& scoring_;
  const SearchOptions& options_;
  int vector_bytes_;
  std::span<std::int32_t> scores_;
  int threads_;
  std::vector<std::vector<std::uint8_t>> symbols_;
  std::vector<core::HostBuffer<unsigned char>> workspaces_;
};

}  // namespace

void require_exact(const Scoring& scoring, Alphabet queries, Alphabet subjects, std::size_t longest_query,
                   std::size_t longest_subject) {
  if (queries != subjects || queries != scoring.matrix.alphabet())
    throw std::invalid_argument("queries, subjects and the matrix " + scoring.matrix.name() +
                                " are not of one alphabet, protein or DNA");
  if (scoring.gap_open < 0 || scoring.gap_extend < 0 || (scoring.gap_open == 0 && scoring.gap_extend == 0))
    throw std::invalid_argument("gap costs " + std::to_string(scoring.gap_open) + ", " +
                                std::to_string(scoring.gap_extend) +
                                ": none may be negative, and one must be positive");
  constexpr auto maximum = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  const auto highest = static_cast<std::size_t>(std::max(1, scoring.matrix.highest()));
  const std::size_t shorter = std::min(longest_query, longest_subject);
  if (longest_query > maximum || longest_subject > maximum || shorter > maximum / highest)
    throw std::invalid_argument("sequences of " + std::to_string(longest_query) + " and " +
                                std::to_string(longest_subject) + " residues with scores up to " +
                                std::to_string(highest) + ": a score or a position could exceed " +
                                std::to_string(maximum));
}

SearchCounts search_scores(const SequenceSet& queries, const SequenceSet& subjects, const Scoring& scoring,
                           std::span<std::int32_t> scores, const SearchOptions& options) {
  require_exact(scoring, queries.alphabet(), subjects.alphabet(), queries.longest(), subjects.longest());
  if (queries.size() > 0 && subjects.size() > std::numeric_limits<std::size_t>::max() / queries.size())
    throw std::invalid_argument("more pairs than can be counted");
  if (scores.size() != queries.size() * subjects.size())
    throw std::invalid_argument("room for " + std::to_string(scores.size()) + " scores of " +
                                std::to_string(queries.size() * subjects.size()) + " pairs");
  const SearchKernels& kernel = kernels(options.isa);
  const bool swapped = queries.size() > subjects.size();
  const Layout layout = {.rows = swapped ? subjects : queries,
                         .lanes = swapped ? queries : subjects,
                         .row_stride = swapped ? 1 : subjects.size(),
                         .lane_stride = swapped ? subjects.size() : 1};
  if (layout.lanes.size() > std::numeric_limits<std::uint32_t>::max())
    throw std::invalid_argument("a set of more than 2^32 - 1 sequences");

  std::vector<std::uint32_t> order(layout.lanes.size());  // longest first, so that the last tasks are the small ones
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return layout.lanes.length(a) > layout.lanes.length(b); });

  const auto highest = static_cast<std::int64_t>(std::max(0, scoring.matrix.highest()));
  const auto shorter = static_cast<std::int64_t>(std::min(queries.longest(), subjects.longest()));
  const Costs costs = costs_of(scoring, highest * shorter);
  Search search(layout, costs, scoring, options, scores, kernel.vector_bytes);
  std::fill(scores.begin(), scores.end(), -1);

  SearchCounts counts;
  counts.pairs = scores.size();
  std::size_t at_first = 0;
  std::size_t* const in_lanes[] = {&at_first, &counts.in_16_bits, &counts.in_32_bits, nullptr};
  const LaneKernel* const widths[] = {&kernel.bits8, &kernel.bits16, &kernel.bits32};
  // The subjects that are left of each row; all at first.
  std::vector<std::vector<std::uint32_t>> left(1, order);
  const auto left_of = [&](std::size_t row) -> const auto& { return left[left.size() == 1 ? 0 : row]; };
  bool first = true;
  for (int w = 0; w < 4; ++w) {
    // Gap costs and scores near 2^31 leave a 32-bit lane no room.
    const bool last = w == 3;
    if (!last && !search.usable(*widths[w])) continue;
    std::vector<Task> tasks;
    for (std::size_t row = 0; row < layout.rows.size(); ++row) {
      if (last)
        for (const std::uint32_t& subject : left_of(row)) tasks.push_back({row, &subject, 1, true});
      else
        search.deal(row, left_of(row), *widths[w], tasks);
    }
    for (const Task& task : tasks) *(task.alone ? &counts.alone : in_lanes[w]) += task.count;
    search.run(*widths[last ? 2 : w], std::move(tasks), first);
    first = false;

    std::vector<std::vector<std::uint32_t>> again(layout.rows.size());
    bool any = false;
    for (std::size_t row = 0; row < layout.rows.size(); ++row)
      for (const std::uint32_t subject : left_of(row))
        if (scores[row * layout.row_stride + subject * layout.lane_stride] < 0) {
          again[row].push_back(subject);
          any = true;
        }
    if (!any) return counts;
    left = std::move(again);
  }
  return counts;
}

std::vector<std::int32_t> search_scores(const SequenceSet& queries, const SequenceSet& subjects, const Scoring& scoring,
                                        int threads) {
  if (queries.size() > 0 && subjects.size() > std::numeric_limits<std::size_t>::max() / queries.size())
    throw std::invalid_argument("more pairs than can be counted");
  std::vector<std::int32_t> scores(queries.size() * subjects.size());
  search_scores(queries, subjects, scoring, scores, {.threads = threads});
  return scores;
}

}  // namespace speedwell::alignment
