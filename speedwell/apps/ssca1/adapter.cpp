// SSCA#1 for the harness: the table of variants and the host runs. Each kernel is a problem of its own.
#include "speedwell/apps/ssca1/adapter.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "speedwell/apps/ssca1/adapter_workload.hpp"
#include "speedwell/apps/ssca1/codons.hpp"
#include "speedwell/apps/ssca1/cpu/kernel1_overlap.hpp"
#include "speedwell/apps/ssca1/kernel1/kernel1_gpu_steps.hpp"
#include "speedwell/harness/adapter.hpp"
#include "speedwell/harness/host_choices.hpp"

namespace speedwell::ssca1 {
namespace {

/// A problem of the harness in the library's terms.
struct Settings {
  Problem problem;
  int kernel = 1;
  std::int64_t sections = 0;
  std::optional<std::int64_t> overlap;
  double n = 0, m = 0;  // symbols with the validation strings
  double cells() const { return n * m; }
};

/// Every seed has 2^34 draws to itself; the first are those of the benchmark.
std::uint64_t moved(std::uint64_t seed, std::uint64_t number) { return random_draw(seed, (number - 1) << 34); }

/// A word, since five kernels are five computations and not one in five sizes.
int kernel_of(const harness::Problem& problem) { return problem.get<std::string>("kernel")[0] - '0'; }

/// Throws std::invalid_argument for values that do not go together.
Settings settings_of(const harness::Problem& p) {
  Settings s;
  s.kernel = kernel_of(p);
  s.sections = p.get<std::int64_t>("sections");
  if (p.get<std::int64_t>("overlap") >= 0) s.overlap = p.get<std::int64_t>("overlap");
  DataOptions& data = s.problem.data;
  data.alphabet = p.get<std::string>("alphabet") == "codons" ? Alphabet::codons : Alphabet::nucleotides;
  data.main_length = p.get<std::int64_t>("main_length");
  data.match_length = p.get<std::int64_t>("match_length");
  data.main_seed = moved(data.main_seed, p.seed());
  data.match_seed = moved(data.match_seed, p.seed());
  data.validation_strings = data.alphabet == Alphabet::codons && p.get<std::string>("strings") == "yes";
  s.problem.preset = preset_named(p.get<std::string>("preset"));
  s.problem.endpoints = {
      .mode = p.get<std::string>("mode") == "peaks" ? EndpointRules::Mode::peaks : EndpointRules::Mode::plain,
      .minimum_score = static_cast<std::int32_t>(p.get<std::int64_t>("minimum_score")),
      .separation = p.get<std::int64_t>("separation"),
      .count = static_cast<std::size_t>(p.get<std::int64_t>("count")),
      .count_candidates = p.get<std::string>("candidates") == "all"};
  s.problem.traces.count = static_cast<std::size_t>(p.get<std::int64_t>("alignments"));
  s.problem.similar.minimum_score = static_cast<std::int32_t>(p.get<std::int64_t>("similar_score"));
  s.problem.similar.count = static_cast<std::size_t>(p.get<std::int64_t>("places"));
  s.problem.costs = {static_cast<int>(p.get<std::int64_t>("mismatch")), static_cast<int>(p.get<std::int64_t>("space"))};

  std::int64_t n = data.main_length, m = data.match_length;
  if (data.validation_strings)
    for (const ValidationString& string : validation_strings()) {
      n += static_cast<std::int64_t>(string.main.size());
      m += static_cast<std::int64_t>(string.match.size());
    }
  s.n = static_cast<double>(n);
  s.m = static_cast<double>(m);
  const Scoring scoring = s.problem.scoring();
  if (s.kernel == 1 && s.overlap && s.sections != 1) {
    const std::int64_t minimum = required_overlap(scoring, m, s.problem.endpoints.minimum_score).value_or(n);
    if (*s.overlap < minimum)
      throw std::invalid_argument("overlap=" + std::to_string(*s.overlap) + ": sections are exact from " +
                                  std::to_string(minimum) +
                                  " columns of overlap, the longest alignment with a score of " +
                                  std::to_string(s.problem.endpoints.minimum_score) + " that there could be");
  }
  return s;
}

harness::Footprint inputs_footprint(const harness::Problem& problem) {
  const Settings s = settings_of(problem);
  // The sequences; rows of the references, three numbers of 64 bits for each column of the whole table or of a sample;
  // what the references keep where tables are large, or full of candidates.
  constexpr double row_bytes = 24, sample_cells = 2e8, kept_bytes = 5e8;
  const bool keeps = s.cells() > 1e8 || s.problem.data.alphabet == Alphabet::nucleotides;
  return {.host_bytes = s.n + s.m + row_bytes * std::min(s.n, sample_cells / s.m) + (keeps ? kept_bytes : 0)};
}

/// The work of kernel 1; that of the others depends on their input (Ssca1Workload::work).
harness::Work work(const harness::Problem& problem) {
  const Settings s = settings_of(problem);
  return {.arithmetic = harness::Arithmetic::int32, .bytes_read = s.n + s.m, .updates = s.kernel == 1 ? s.cells() : 0};
}

std::shared_ptr<const harness::Workload> prepare(const harness::Problem& problem) {
  const Settings s = settings_of(problem);
  return std::make_shared<Ssca1Workload>(s.problem, s.kernel, s.sections, s.overlap);
}

const TableVariant& table_variant(std::string_view name) {
  const auto all = table_variants();
  return *std::find_if(all.begin(), all.end(), [&](const TableVariant& v) { return v.name == name; });
}

class HostSolver {
 public:
  /// `table`: the algorithm for the table of kernel 1, a name of table_variants().
  HostSolver(const Ssca1Workload& workload, const harness::Context& context, std::string table)
      : workload_(workload), table_(std::move(table)), threads_(table_ == "serial" ? 1 : context.threads) {}

  void execute(KernelAnswer& answer) {
    const Ssca1Workload& c = workload_;
    const Problem& p = c.problem;
    const Options options{.threads = threads_};
    switch (c.kernel) {
      case 1:
        return answer.set(table(options));
      case 2:
        return answer.set(scan_backward(c.main(), c.match(), c.scoring, c.endpoints, p.traces, options));
      case 3:
        return answer.set(locate_similar(c.main(), c.queries, c.scoring, p.similar, options));
      case 4:
        return answer.set(global_align(c.sets, p.costs, options));
      default:
        return answer.set(multiple_align(c.sets, c.differences, p.costs, options));
    }
  }
  harness::Choices choices() const {
    if (table_ == "tiles" || table_ == "sections" || workload_.kernel > 1) return {harness::instruction_set()};
    return {};
  }

 private:
  Endpoints table(const Options& options) const {
    const Ssca1Workload& c = workload_;
    if (table_ == "overlap") {
      OverlapOptions overlap;
      static_cast<Options&>(overlap) = options;
      overlap.sections = c.sections;
      overlap.overlap = c.overlap;
      return overlapped_table(c.main(), c.match(), c.scoring, c.problem.endpoints, overlap);
    }
    return table_variant(table_).find(c.main(), c.match(), c.scoring, c.problem.endpoints, options);
  }

  const Ssca1Workload& workload_;
  std::string table_;
  int threads_;
};

/// Bytes for each symbol of main and of match.
auto host_footprint(double of_main, double of_match) {
  return [=](const harness::Problem& problem) -> harness::Footprint {
    const Settings s = settings_of(problem);
    return {.host_bytes = of_main * s.n + of_match * s.m};
  };
}

/// The memory of GpuTable with 132 multiprocessors for kernel 1; for the others the sequences and the list of kernel
/// 3: what else they take depends on the data, and they look for it themselves.
harness::Footprint device_footprint(const harness::Problem& problem) {
  const Settings s = settings_of(problem);
  if (s.kernel > 1) return {.device_bytes = s.n + s.m + (s.kernel == 3 ? 8.0 * (1 << 23) : 0)};
  constexpr double list_bytes = 24.0 * (1 << 20), row_bytes = 8, pairs = 2112, max_bytes = 1 << 30;
  const double checkpoints = std::min(s.n / 128 * row_bytes * s.m, max_bytes);
  return {.device_bytes = s.n + s.m + list_bytes + checkpoints + row_bytes * s.m * std::min(pairs, s.n / 128)};
}

std::optional<std::string> refuses_large_tables(const harness::Problem& problem) {
  constexpr double max_cells = 1e11;  // minutes
  const Settings s = settings_of(problem);
  if (s.kernel > 1 || s.cells() <= max_cells) return std::nullopt;
  return std::to_string(static_cast<std::int64_t>(s.cells() / 1e9)) +
         "e9 cells would take this algorithm minutes for each sample (maximum: 1e11 cells)";
}

std::optional<std::string> refuses_all_but_tables(const harness::Problem& problem) {
  if (const int kernel = kernel_of(problem); kernel > 1)
    return "it is an algorithm for the table of kernel 1, and kernel " + std::to_string(kernel) + " has none";
  return refuses_large_tables(problem);
}

/// A step of the ladder of kernel 1 on one GPU.
harness::Variant step_variant(const core::LadderStep& step) {
  harness::Variant row = harness::ladder_variant(step);
  row.footprint = [name = step.name](const harness::Problem& problem) -> harness::Footprint {
    const Settings s = settings_of(problem);
    if (s.kernel > 1) return {};
    return {.device_bytes = step_device_bytes(name, static_cast<std::int64_t>(s.n), static_cast<std::int64_t>(s.m),
                                              s.problem.scoring(), s.problem.endpoints)};
  };
  row.unsupported_reason = [name = step.name](const harness::Problem& problem) -> std::optional<std::string> {
    if (const auto reason = refuses_all_but_tables(problem)) return reason;
    const Settings s = settings_of(problem);
    if (std::max(s.n, s.m) > GpuTableStep::max_length) return "it takes sequences of up to 2^30 symbols";
    constexpr double max_launches = 4e7;  // 2 to 4 us each: more than a minute
    const double launches = step_launches(name, static_cast<std::int64_t>(s.n), static_cast<std::int64_t>(s.m));
    if (launches <= max_launches) return std::nullopt;
    return std::to_string(static_cast<std::int64_t>(launches / 1e6)) +
           "e6 kernel launches would take minutes for each sample (maximum: 4e7 launches)";
  };
  return row;
}

harness::Variant host_variant(std::string name, std::string table, std::string description, std::string lineage,
                              std::function<harness::Footprint(const harness::Problem&)> footprint,
                              std::function<std::optional<std::string>(const harness::Problem&)> unsupported_reason) {
  const bool serial = table == "serial";
  return {.name = std::move(name),
          .backend = serial ? harness::Backend::serial : harness::Backend::openmp,
          .role = harness::Role::plain,
          .description = std::move(description),
          .lineage = std::move(lineage),
          .make = harness::host_solver<Ssca1Workload, HostSolver>(std::move(table)),
          .unavailable_reason = {},
          .footprint = std::move(footprint),
          .unsupported_reason = std::move(unsupported_reason)};
}

std::vector<harness::Variant> variants() {
  const auto table = [](std::string name, std::string lineage, auto footprint) {
    std::string description = "kernel 1: " + std::string(table_variant(name).summary);
    return host_variant(name, name, std::move(description), std::move(lineage), footprint, refuses_all_but_tables);
  };
  constexpr double threads = 64;  // assumed
  std::vector<harness::Variant> rows = {
      host_variant("serial", "serial", "kernel 1 cell by cell; the others as openmp, on one thread", "",
                   host_footprint(0, 8), refuses_large_tables),
      host_variant(
          "openmp", "sections",
          "all cores and 8-bit lanes: a section of main, a query, a pair in each lane, an alignment or a set on "
          "each thread",
          "", host_footprint(1, threads * 128), {}),
      table("anti-diagonal", "dissertation 2012, ch. 4.3 and 5.4", host_footprint(1, 28)),
      table("row-scan", "dissertation 2012, eq. 4.3 to 4.5", host_footprint(20, 0)),
      table("overlap", "dissertation 2012, ch. 4.3.4", host_footprint(0, threads * 8)),
      table("tiles", "", host_footprint(1, threads * 28)),
  };
  for (const core::LadderStep& step : kernel1_steps) rows.push_back(step_variant(step));
  rows.push_back({.name = "cuda",
                  .backend = harness::Backend::cuda,
                  .role = harness::Role::best,
                  .description =
                      "sections of main, queries, pairs or sets side by side in packed words; the choice among what is "
                      "found, and what does not fit these words, on the host",
                  .lineage = "",
                  .make = {},
                  .unavailable_reason = {},
                  .footprint = device_footprint,
                  .unsupported_reason = {}});
  rows.push_back({.name = "mpi",
                  .backend = harness::Backend::mpi,
                  .description =
                      "as openmp, an overlapping section of main, or a part of the endpoints, queries or sets, "
                      "on one core of each rank",
                  .footprint = host_footprint(1, 128)});
  rows.push_back({.name = "multi",
                  .backend = harness::Backend::multi,
                  .role = harness::Role::best,
                  .description =
                      "as cuda, an overlapping section of main, or a part of the endpoints, queries or sets, "
                      "on the GPU of each rank",
                  .footprint = device_footprint});
  for (harness::Variant& row : rows)
    row.work_of = [name = row.name](const harness::Workload& made) {
      return static_cast<const Ssca1Workload&>(made).work_of(name);
    };
  harness::set_algorithm(rows, "anti-diagonals", {"anti-diagonal", "cuda-diagonals"});
  harness::set_algorithm(rows, "scans of rows", {"row-scan", "cuda-sweeps", "cuda-rows"});
  harness::set_algorithm(rows, "a wavefront of tiles", {"tiles"});
  return rows;
}

/// Main grows, as in the dissertation's weak scaling.
std::vector<harness::Setting> weak(const harness::Problem& p, int ranks) {
  return {{"main_length", p.get<std::int64_t>("main_length") * ranks}};
}

}  // namespace

harness::Application application() {
  return {
      .name = "ssca1",
      .title = "SSCA#1, bioinformatics",
      .summary =
          "The five kernels of SSCA#1, each by itself: local alignments of two long sequences, similar regions, "
          "differences and multiple alignments.",
      .source = "SSCA#1 v1.0; Bader et al., CTWatch Quarterly 2 (2006) 4B; dissertation 2012, ch. 4",
      .update = "cell",
      .rate_name = "GCUPS",
      .bandwidth_rate = false,
      .parameters = parameters(),
      .sizes = sizes(),
      .variants = variants(),
      .footprint = inputs_footprint,
      .work = work,
      .work_of = [](const harness::Workload& prepared) { return static_cast<const Ssca1Workload&>(prepared).work(); },
      .prepare = prepare,
      .weak = weak};
}

}  // namespace speedwell::ssca1
