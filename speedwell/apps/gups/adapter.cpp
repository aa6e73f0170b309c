// gups for the harness: parameters, sizes, work, and the table of variants.
#include "speedwell/apps/gups/adapter.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/gups/adapter_workload.hpp"
#include "speedwell/apps/gups/distributed.hpp"
#include "speedwell/apps/gups/ladder.hpp"
#include "speedwell/apps/gups/stream.hpp"
#include "speedwell/harness/adapter.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"
#include "speedwell/harness/refusal.hpp"

namespace speedwell::gups {
namespace {

using harness::Backend;
using harness::Role;

constexpr std::int64_t max_updates_per_word = std::int64_t{1} << 22;

Problem problem_of(const harness::Problem& p) {
  const auto words = static_cast<std::uint64_t>(p.get<std::int64_t>("words"));
  return {words, words * static_cast<std::uint64_t>(p.get<std::int64_t>("updates_per_word"))};
}
Rule rule_of(const harness::Problem& p) {
  const std::string& word = p.get<std::string>("rule");
  return word == "any" ? Rule::any : word == "thread" ? Rule::thread : Rule::process;
}
Problem checked(const harness::Problem& p) {
  const Problem problem = problem_of(p);
  require_valid(problem);
  return problem;
}
double table_bytes(const harness::Problem& p) { return 8.0 * static_cast<double>(p.get<std::int64_t>("words")); }

// A step of the stream is a shift of two halves, a mask of its top bit and an exclusive or with it; an update two more
// of these, of halves.
constexpr double operations_of_step = 4, operations_of_change = 2;
// The table of 2 MiB fits a core's second-level cache; updates are then best applied where they are made.
constexpr std::int64_t max_words_unsorted = 1 << 18;
constexpr double bytes_of_line = 64, bytes_of_sector = 32;  // what a host and a GPU read and write of memory at a time

double updates_of(const harness::Problem& p) {
  return static_cast<double>(p.get<std::int64_t>("words")) *
         static_cast<double>(p.get<std::int64_t>("updates_per_word"));
}

// A stream made `times`; `traffic` bytes read and as many written.
harness::Work work_of(const harness::Problem& p, double times, double traffic, double working_set) {
  const double updates = updates_of(p);
  return {.operations = (operations_of_step * times + operations_of_change) * updates,
          .arithmetic = harness::Arithmetic::int32,
          .bytes_read = traffic,
          .bytes_written = traffic,
          .updates = updates,
          .working_set = working_set};
}

// The table and, in each of `passes` of a sort, the updates.
harness::Work sorted_work(const harness::Problem& p, double times, double passes, double batches) {
  const double sorted = 8 * updates_of(p) / std::max(batches, 1.0);
  return work_of(p, times, 8 * updates_of(p) * passes + std::max(batches, 1.0) * table_bytes(p),
                 table_bytes(p) + passes * sorted);
}

// Updates that are sorted once, or, where the table fits caches, are not stored at all.
harness::Work work(const harness::Problem& p) {
  if (p.get<std::int64_t>("words") <= max_words_unsorted) return work_of(p, 1, table_bytes(p), table_bytes(p));
  harness::Work all = sorted_work(p, 1, 1, 1);
  all.working_set = table_bytes(p);  // updates may be sorted some at a time
  return all;
}

// Each update a line or sector of the table, read and written.
harness::Work scattered_work(const harness::Problem& p, double line) {
  const double touched = std::max(line * updates_of(p), table_bytes(p));
  return work_of(p, 1, p.get<std::int64_t>("words") <= max_words_unsorted ? table_bytes(p) : touched, table_bytes(p));
}

enum class HostMethod { serial, atomic, regions };

class HostUpdates {
 public:
  HostUpdates(const GupsWorkload& workload, const harness::Context& context, HostMethod method)
      : problem_(workload.problem()),
        rule_(workload.rule()),
        threads_(method == HostMethod::serial ? 1 : context.threads),
        method_(method) {}

  void allocate() {
    if (method_ == HostMethod::regions) regions_.emplace(problem_, threads_);
  }
  void reset(GupsWorkload::Answer& table) { initialise(table.span(), threads_); }
  void execute(GupsWorkload::Answer& table) {
    progress_ = 0;
    switch (method_) {
      case HostMethod::serial:
        return update_serially(problem_, table.span(), &progress_);
      case HostMethod::atomic:
        return update_atomically(problem_, table.span(), threads_, rule_, &progress_);
      case HostMethod::regions:
        return regions_->update(table.span(), &progress_);
    }
  }
  std::optional<double> updates_so_far() const { return static_cast<double>(progress_.load()); }
  harness::Choices choices() const {
    const auto threads = static_cast<std::uint64_t>(threads_);
    switch (method_) {
      case HostMethod::serial:
        return {look_ahead(0, 1)};
      case HostMethod::atomic:
        return {look_ahead(threads * static_cast<std::uint64_t>(look_ahead_per_thread(threads_, rule_)), threads)};
      case HostMethod::regions:
        return {look_ahead(regions_->batch_size(), threads), harness::instruction_set()};
    }
    return {};
  }

 private:
  Problem problem_;
  Rule rule_;
  int threads_;
  HostMethod method_;
  ProgressCounter progress_{0};
  std::optional<RegionUpdates> regions_;
};

harness::Variant host_row(std::string name, Backend backend, HostMethod method, std::string description) {
  harness::Variant row{.name = std::move(name),
                       .backend = backend,
                       .description = std::move(description),
                       .make = harness::host_solver<GupsWorkload, HostUpdates>(method)};
  row.footprint = [method](const harness::Problem& p) {
    const double scratch =
        method == HostMethod::regions ? RegionUpdates::bytes(problem_of(p), core::resolve_threads(0)) : 0;
    return harness::Footprint{.host_bytes = table_bytes(p) + scratch};
  };
  row.work = [method](const harness::Problem& p) {
    if (method != HostMethod::regions) return scattered_work(p, bytes_of_line);
    const Problem problem = problem_of(p);
    const double batch =
        static_cast<double>(std::max<std::uint64_t>(problem.words, 1 << 20));  // RegionUpdates::batch_size()
    return sorted_work(p, 2, 1, std::ceil(static_cast<double>(problem.updates) / batch));
  };
  if (method == HostMethod::regions)
    row.unsupported_reason = [](const harness::Problem& p) -> std::optional<std::string> {
      if (rule_of(p) == Rule::any) return std::nullopt;
      return "updates that are sorted by region are more than " + std::to_string(max_look_ahead) + " in a " +
             p.get<std::string>("rule") + "; openmp-atomic keeps the rule";
    };
  return row;
}

harness::Variant ranks_row() {
  harness::Variant row{
      .name = "mpi",
      .backend = Backend::mpi,
      .description = "a block of the table for each rank; updates travel in buckets, one for each owner"};
  row.footprint = [](const harness::Problem& p) { return harness::Footprint{.host_bytes = 2 * table_bytes(p)}; };
  row.work = [](const harness::Problem& p) { return scattered_work(p, bytes_of_line); };
  row.unsupported_ranks_reason = [](const harness::Problem& p, int ranks) {
    return harness::refusal_of([&] { return bucket_capacity(problem_of(p), ranks, rule_of(p)); });
  };
  return row;
}

// Updates of a part are found by jumps, of some 24 operations and two more for each bit of the part's number. A word
// of the part is nearly always within a jump, unless there are many parts.
double steps_of_jump(const Plan& plan) {
  const int log2_parts = plan.parts.log2_parts;
  if (log2_parts == 0) return 1;
  const PartOfStream<> part(plan.log2_words, log2_parts, 0);
  const double found = 1 - std::pow(1 - std::exp2(-log2_parts), part.window());
  return (24 + 2 * log2_parts) / operations_of_step / found;
}

harness::Work binned_work(const harness::Problem& p, const Plan& plan) {
  return sorted_work(p, steps_of_jump(plan), plan.coarse() ? 2 : 1, static_cast<double>(plan.batches));
}

std::optional<std::string> refuse_stored(const harness::Problem& p) {
  if (rule_of(p) != Rule::process) return std::nullopt;
  return "updates that wait in bins are more than " + std::to_string(max_look_ahead) +
         " in a process; cuda-atomic keeps the rule";
}

// The plan of a GPU hardly depends on their number: that of one of two stands for it.
harness::Variant gpus_row() {
  const auto plan_of_two = [](const harness::Problem& p) {
    const Problem problem = problem_of(p);
    return plan_of(parts_of_rank(problem, 2, 1), problem, rule_of(p));
  };
  harness::Variant row{.name = "multi",
                       .backend = Backend::multi,
                       .role = Role::best,
                       .description = "parts of the table on each GPU, whose updates it finds in the stream by itself"};
  row.footprint = [plan_of_two](const harness::Problem& p) {
    return harness::Footprint{.host_bytes = 2 * table_bytes(p),
                              .device_bytes = table_bytes(p) + 2 * plan_of_two(p).scratch_bytes()};
  };
  row.work = [plan_of_two](const harness::Problem& p) { return binned_work(p, plan_of_two(p)); };
  row.unsupported_reason = refuse_stored;
  return row;
}

harness::Variant gpu_row(std::string_view name, Role role, std::string description, std::optional<Method> only) {
  harness::Variant row{
      .name = std::string(name), .backend = Backend::cuda, .role = role, .description = std::move(description)};
  const auto method = [only](const harness::Problem& p) { return only ? *only : best_method(problem_of(p)); };
  row.footprint = [method](const harness::Problem& p) {
    const Plan plan = plan_of(method(p), problem_of(p), rule_of(p));
    return harness::Footprint{.host_bytes = table_bytes(p), .device_bytes = table_bytes(p) + plan.scratch_bytes()};
  };
  row.work = [method](const harness::Problem& p) {
    const Plan plan = plan_of(method(p), problem_of(p), rule_of(p));
    switch (plan.method) {
      case Method::direct:
      case Method::windows: {
        const auto windows = static_cast<double>(plan.windows);
        harness::Work all =
            plan.windows > 1 ? work_of(p, windows, table_bytes(p), table_bytes(p)) : scattered_work(p, bytes_of_sector);
        if (plan.windows > 1 || plan.log2_words <= log2_window_words)
          all.no_limit = "updates are atomic operations in the second-level cache, whose rate is not measured";
        return all;
      }
      case Method::regions:
        return work_of(p, static_cast<double>(plan.regions), table_bytes(p), table_bytes(p));
      case Method::binned:
      case Method::parts:
        break;
    }
    return binned_work(p, plan);
  };
  row.unsupported_reason = [method](const harness::Problem& p) -> std::optional<std::string> {
    if (method(p) != Method::binned && method(p) != Method::parts) return std::nullopt;
    return refuse_stored(p);
  };
  return row;
}

std::vector<harness::Variant> variants() {
  std::vector<harness::Variant> rows;
  rows.push_back(host_row("serial", Backend::serial, HostMethod::serial, "one update after another: the plain form"));
  rows.push_back(host_row("openmp-atomic", Backend::openmp, HostMethod::atomic,
                          "a segment of the stream for each thread, words asked for ahead and changed atomically"));
  rows.push_back(host_row("openmp", Backend::openmp, HostMethod::regions,
                          "updates sorted by region of the table, each region changed in the cache of one core"));
  rows.push_back(ranks_row());
  for (const Step& step : steps)
    rows.push_back(gpu_row(step.name, Role::step, std::string(step.description), step.method));
  rows.push_back(gpu_row(best, Role::best, "the step that suits the size of the table", std::nullopt));
  rows.push_back(gpus_row());
  harness::set_algorithm(rows, "each update at once", {"openmp-atomic", "cuda-atomic"});
  return rows;
}

std::vector<harness::Value> powers(int least, int most, int by = 1) {
  std::vector<harness::Value> all;
  for (int k = least; k <= most; k += by) all.emplace_back(std::int64_t{1} << k);
  return all;
}

std::vector<harness::Size> sizes() {
  return {
      {"test", "tables of 1 to 2^16 words", {}, {{"words", {1, 2, 1 << 10, 1 << 15, 1 << 16}}}},
      {"headline", "2^22 words, 4 each", {{"words", 1 << 22}}, {}},
      {"small", "2^20 and 2^22 words", {}, {{"words", powers(20, 22, 2)}}},
      {"standard", "2^25 words and 2^27 updates: the dissertation's table 5.1", {{"words", 1 << 25}}, {}},
      {"large", "2^29 words: 4.3 GB", {{"words", 1 << 29}}, {}},
      {"huge", "2^32 words: 34 GB", {{"words", std::int64_t{1} << 32}}, {}},
      {"weak", "2^20 to 2^25 words: the dissertation's table 5.2", {}, {{"words", powers(20, 25)}}},
      {"curve", "2^10 to 2^29 words", {}, {{"words", powers(10, 29)}}},
      {"crossover", "2^8 to 2^26 words", {}, {{"words", powers(8, 26, 2)}}},
  };
}

std::vector<harness::Parameter> parameters() {
  return {
      harness::integer("words", 1 << 25, "64-bit words of the table: a power of two",
                       {1, static_cast<double>(std::int64_t{1} << max_log2_words)}),
      harness::integer("updates_per_word", 4, "updates for each word; HPC Challenge: 4",
                       {.minimum = 1, .maximum = static_cast<double>(max_updates_per_word)}),
      harness::choice("rule", "any",
                      "updates that may wait: 1024 per process (HPC Challenge), 1024 per thread, or any number",
                      {"any", "thread", "process"}),
  };
}

// A table that is as many times as large: a power of two, as the number of ranks has to be.
std::vector<harness::Setting> weak(const harness::Problem& p, int ranks) {
  return {{"words", p.get<std::int64_t>("words") * ranks}};
}

harness::Footprint inputs_footprint(const harness::Problem& p) {
  checked(p);
  return harness::Footprint{.host_bytes = table_bytes(p)};  // the oracle's
}

}  // namespace

harness::Application application() {
  return {.name = "gups",
          .title = "Random updates of a large table",
          .summary =
              "RandomAccess of HPC Challenge: words of a table, at places that a pseudo-random stream names, are XORed "
              "with the stream's words.",
          .source = "dissertation 2012, section 5.2; HPC Challenge, RandomAccess",
          .update = "update",
          .rate_name = "GUPS",
          .bandwidth_rate = false,
          .parameters = parameters(),
          .sizes = sizes(),
          .variants = variants(),
          .footprint = inputs_footprint,
          .work = work,
          .prepare = harness::make_workload<GupsWorkload>(checked, rule_of),
          .weak = weak,
          .prepare_rank = harness::make_workload<GupsWorkload>(checked, rule_of, false)};
}

}  // namespace speedwell::gups
