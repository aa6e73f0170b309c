#include "speedwell/apps/alignment/distributed_shared.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/distributed_division.hpp"
#include "speedwell/comm/timer.hpp"

namespace speedwell::alignment {
namespace {

// So many tasks for each rank that the last ones end at about the same time.
constexpr std::size_t tasks_per_rank = 32;

/// Arrays one after another, each from a cache line on; without memory they are only counted.
class Arrays {
 public:
  explicit Arrays(std::byte* memory = nullptr) : memory_(memory) {}
  template <class T>
  std::span<T> next(std::size_t count) {
    constexpr std::size_t line = 64;
    T* const at = memory_ ? reinterpret_cast<T*>(memory_ + bytes_) : nullptr;
    bytes_ += (count * sizeof(T) + line - 1) / line * line;
    return {at, memory_ ? count : 0};
  }
  std::size_t bytes() const { return std::max<std::size_t>(bytes_, 1); }

 private:
  std::byte* memory_;
  std::size_t bytes_ = 0;
};

struct SharedSequences {
  std::span<std::size_t> offsets;
  std::span<std::uint8_t> codes;

  SharedSequences(Arrays& arrays, std::size_t count, std::size_t residues)
      : offsets(arrays.next<std::size_t>(count + 1)), codes(arrays.next<std::uint8_t>(residues)) {}
  void copy_from(const SequenceSet& set) const {
    std::ranges::copy(set.offsets(), offsets.begin());
    std::ranges::copy(set.packed(), codes.begin());
  }
  SequenceSet some(Alphabet alphabet, std::span<const std::size_t> indices) const {
    SequenceSet set(alphabet);
    for (const std::size_t i : indices) set.add_codes({}, codes.subspan(offsets[i], offsets[i + 1] - offsets[i]));
    return set;
  }
};

template <class Make>
std::size_t bytes_of(const Make& make) {
  Arrays counted;
  make(counted);
  return counted.bytes();
}

}  // namespace

/// The queries of a search, its tasks as in SearchTasks, and the scores.
struct SharedSearch::Work {
  std::span<std::uint64_t> next;  // the number of the next task
  SharedSequences queries;
  std::span<std::size_t> lanes, rows, group_ends;  // `rows`: the groups one after another
  std::span<std::size_t> task_groups, task_batches;
  std::span<std::int32_t> scores;

  Work(Arrays& arrays, const Sizes& s)
      : next(arrays.next<std::uint64_t>(1)),
        queries(arrays, s.queries, s.query_residues),
        lanes(arrays.next<std::size_t>(std::max(s.queries, s.subjects))),
        rows(arrays.next<std::size_t>(std::min(s.queries, s.subjects))),
        group_ends(arrays.next<std::size_t>(s.groups)),
        task_groups(arrays.next<std::size_t>(s.tasks)),
        task_batches(arrays.next<std::size_t>(s.tasks)),
        scores(arrays.next<std::int32_t>(s.queries * s.subjects)) {}

  void copy_from(const SearchTasks& search) const {
    std::ranges::copy(search.lanes, lanes.begin());
    std::size_t row = 0;
    for (std::size_t g = 0; g < search.groups.size(); ++g) {
      std::ranges::copy(search.groups[g], rows.subspan(row).begin());
      group_ends[g] = row += search.groups[g].size();
    }
    for (std::size_t t = 0; t < search.tasks.size(); ++t) {
      task_groups[t] = search.tasks[t].group;
      task_batches[t] = search.tasks[t].batch;
    }
  }
  std::span<const std::size_t> group(std::size_t index) const {
    const std::size_t first = index == 0 ? 0 : group_ends[index - 1];
    return rows.subspan(first, group_ends[index] - first);
  }
};

SharedSearch::Work SharedSearch::work() const {
  Arrays arrays(work_->data());
  return Work(arrays, sizes_);
}

bool SharedSearch::scatter(const SequenceSet* queries, const SequenceSet* subjects) {
  const bool is_first = ranks_.rank() == 0;
  SearchTasks search;
  if (is_first) {
    search = search_tasks(*queries, *subjects, tasks_per_rank * static_cast<std::size_t>(ranks_.size()));
    sizes_ = {.queries = queries->size(),
              .subjects = subjects->size(),
              .query_residues = queries->residues(),
              .subject_residues = subjects->residues(),
              .groups = search.groups.size(),
              .tasks = search.tasks.size(),
              .alphabet = subjects->alphabet(),
              .new_subjects = !database_ || known_ != subjects};
  }
  sizes_ = ranks_.broadcast(sizes_);
  if (sizes_.new_subjects) {
    known_ = nullptr;   // until the memory has the next ones
    database_.reset();  // before memory for them is taken
    database_ = comm::SharedMemory::allocate(
        ranks_, bytes_of([&](Arrays& arrays) { SharedSequences(arrays, sizes_.subjects, sizes_.subject_residues); }));
    if (!database_) return false;
  }
  work_.reset();
  work_ = comm::SharedMemory::allocate(ranks_, bytes_of([&](Arrays& arrays) { Work(arrays, sizes_); }));
  if (!work_) return false;
  if (is_first) {
    Arrays of_database(database_->data());
    const SharedSequences shared(of_database, sizes_.subjects, sizes_.subject_residues);
    if (sizes_.new_subjects) shared.copy_from(*subjects);
    known_ = subjects;
    work().queries.copy_from(*queries);
    work().copy_from(search);
  }
  ranks_.barrier();
  return true;
}

void SharedSearch::run(const ComputeScores& compute, std::span<std::int32_t> all) {
  const Work shared = work();
  Arrays of_database(database_->data());
  const SharedSequences subjects(of_database, sizes_.subjects, sizes_.subject_residues);
  const bool is_first = ranks_.rank() == 0;
  if (is_first && all.size() != shared.scores.size())
    throw std::invalid_argument("room for " + std::to_string(all.size()) + " scores of " +
                                std::to_string(shared.scores.size()) + " pairs");
  const std::atomic_ref<std::uint64_t> next(shared.next[0]);
  if (is_first) next.store(0);
  {
    const comm::Timer timer(exchange_seconds_);
    ranks_.barrier();
  }
  std::vector<std::int32_t> scores;
  SequenceSet group(sizes_.alphabet);
  std::size_t known_group = sizes_.groups;  // of which `group` has the sequences: none
  const bool swapped = has_queries_in_lanes(sizes_.queries, sizes_.subjects);
  const SharedSequences& rows = swapped ? subjects : shared.queries;
  const SharedSequences& lanes = swapped ? shared.queries : subjects;
  for (std::uint64_t t; (t = next.fetch_add(1, std::memory_order_relaxed)) < sizes_.tasks;) {
    if (known_group != shared.task_groups[t]) {
      known_group = shared.task_groups[t];
      group = rows.some(sizes_.alphabet, shared.group(known_group));
    }
    const std::span<const std::size_t> in_rows = shared.group(known_group),
                                       in_lanes = batch_of(shared.lanes, shared.task_batches[t]);
    const SequenceSet batch = lanes.some(sizes_.alphabet, in_lanes);
    scores.resize(in_rows.size() * in_lanes.size());
    swapped ? compute(batch, group, scores) : compute(group, batch, scores);
    const std::span<const std::size_t> of_queries = swapped ? in_lanes : in_rows,
                                       of_subjects = swapped ? in_rows : in_lanes;
    for (std::size_t q = 0; q < of_queries.size(); ++q)
      for (std::size_t s = 0; s < of_subjects.size(); ++s)
        shared.scores[of_queries[q] * sizes_.subjects + of_subjects[s]] = scores[q * of_subjects.size() + s];
  }
  const comm::Timer timer(exchange_seconds_);
  ranks_.barrier();
  if (is_first) std::ranges::copy(shared.scores, all.begin());
}

void SharedSearch::poison() {
  if (work_ && ranks_.rank() == 0) std::ranges::fill(work().scores, -1);
}

}  // namespace speedwell::alignment
