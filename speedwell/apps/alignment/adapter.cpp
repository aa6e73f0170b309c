// alignment for the harness: parameters, sizes, work, the table of variants and the host runs.
#include "speedwell/apps/alignment/adapter.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/alignment/adapter_workload.hpp"
#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/cpu/serial.hpp"
#include "speedwell/apps/alignment/problem.hpp"
#include "speedwell/apps/alignment/sequences/sequence_file.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/harness/host_choices.hpp"

namespace speedwell::alignment {
namespace {

Alphabet alphabet_of(const harness::Problem& problem) {
  return problem.get<std::string>("alphabet") == "dna" ? Alphabet::dna : Alphabet::protein;
}

Scoring scoring_of(const harness::Problem& problem) {
  const Alphabet alphabet = alphabet_of(problem);
  const std::string& word = problem.get<std::string>("matrix");
  Scoring scoring = usual_scoring(matrix_of(word != "usual"             ? word
                                            : alphabet == Alphabet::dna ? std::string("2/-3")
                                                                        : std::string("BLOSUM62")));
  if (problem.get<std::int64_t>("gap_open") >= 0)
    scoring.gap_open = static_cast<int>(problem.get<std::int64_t>("gap_open"));
  if (problem.get<std::int64_t>("gap_extend") >= 0)
    scoring.gap_extend = static_cast<int>(problem.get<std::int64_t>("gap_extend"));
  require_exact(scoring, alphabet, alphabet, 0, 0);
  return scoring;
}

Population population_of(const harness::Problem& problem, bool queries) {
  const bool survey = queries && problem.get<std::string>("query_lengths") == "survey";
  return {.alphabet = alphabet_of(problem),
          .count = problem.get<std::int64_t>(queries ? "queries" : "subjects"),
          .mean_length = problem.get<double>("mean_length"),
          .spread = problem.get<double>("spread"),
          .seed = 2 * problem.seed() + (queries ? 0 : 1),
          .lengths = survey ? survey_lengths() : std::vector<std::size_t>{}};
}

struct Extent {
  double sequences = 0, residues = 0, longest = 0;
  void add(std::size_t length) {
    ++sequences;
    residues += static_cast<double>(length);
    longest = std::max(longest, static_cast<double>(length));
  }
};
/// Counted without keeping the sequences; a file is read once for it.
Extent extent_of(const harness::Problem& problem, bool queries) {
  Extent extent;
  if (const std::string& file = problem.get<std::string>(queries ? "query_file" : "subject_file"); !file.empty()) {
    io::SequenceReader reader = io::open_sequences(file, sequence_rules(alphabet_of(problem)));
    for (io::SequenceRecord record; reader.next(record);) extent.add(record.sequence.size());
  } else {
    const Population population = population_of(problem, queries);
    for (std::int64_t i = 0; i < population.count; ++i) extent.add(length_of(population, i));
  }
  return extent;
}

double cells_of(const harness::Problem& problem) {
  return extent_of(problem, true).residues * extent_of(problem, false).residues;
}

// A cell of the recurrence is ten operations: H + score, three maxima and the running best; H - open - extend; and for
// each of E and F a subtraction and a maximum. A CPU does them in 8 bits for almost every pair, four to a 32-bit lane.
// A GPU has two cells in a word: in 16 bits five instructions of the integer units, in 11 bits three and a half, where
// the half-precision units add (gpu/search_kernels.cu); no algorithm known needs fewer.
constexpr double in_32_bits = 10, in_8_bits = 10.0 / 4, in_16_bits = 5.0 / 2, in_11_bits = 3.5 / 2;

harness::Work work_of(const harness::Problem& problem, double operations_per_cell) {
  const Extent queries = extent_of(problem, true), subjects = extent_of(problem, false);
  harness::Work w;
  w.updates = queries.residues * subjects.residues;
  w.operations = operations_per_cell * w.updates;
  w.arithmetic = harness::Arithmetic::int32;
  w.bytes_read = queries.residues + subjects.residues;
  w.bytes_written = 4 * queries.sequences * subjects.sequences;
  w.working_set = w.bytes_read + w.bytes_written;
  return w;
}
harness::Work work(const harness::Problem& problem) { return work_of(problem, in_11_bits); }

// Chunks of a pair of related sequences that cannot hold the best score are passed over.
harness::Work pair_work(const harness::Problem& problem) {
  harness::Work w = work_of(problem, in_16_bits);
  if (problem.get<double>("related") > 0 || !problem.get<std::string>("query_file").empty() ||
      !problem.get<std::string>("subject_file").empty())
    w.no_limit = "parts of the table that cannot hold the best score are passed over, and how many shows afterwards";
  return w;
}

harness::Footprint inputs_footprint(const harness::Problem& problem) {
  scoring_of(problem);  // values that do not go together are found before anything is allocated
  const Extent queries = extent_of(problem, true), subjects = extent_of(problem, false);
  if (const std::int64_t blocks = problem.get<std::int64_t>("planted"); blocks > 0) {
    const double shortest = static_cast<double>(min_planted_length(static_cast<std::size_t>(blocks)));
    if (!problem.get<std::string>("query_file").empty() || !problem.get<std::string>("subject_file").empty() ||
        queries.sequences != 1 || subjects.sequences != 1)
      throw std::invalid_argument("planted = " + std::to_string(blocks) +
                                  ": alignments are planted in one random query and one random subject alone");
    if (std::min(queries.residues, subjects.residues) < shortest)
      throw std::invalid_argument("planted = " + std::to_string(blocks) + ": sequences of " +
                                  std::to_string(static_cast<std::int64_t>(shortest)) + " residues or more are needed");
  }
  constexpr double per_sequence = 128;  // names, offsets and the oracle's bounds
  // The residues, and the scores of all pairs that verdicts compare with: of two implementations.
  return {.host_bytes = queries.residues + subjects.residues + per_sequence * (queries.sequences + subjects.sequences) +
                        8 * queries.sequences * subjects.sequences,
          .device_bytes = 0};
}

harness::Footprint host_footprint(const harness::Problem& problem) {
  const Extent queries = extent_of(problem, true), subjects = extent_of(problem, false);
  // Scores; rows of two vectors per residue of the longest lane-free sequence for every thread, of which 64 are
  // assumed.
  return {.host_bytes = 4 * queries.sequences * subjects.sequences + 64 * 128 * queries.longest, .device_bytes = 0};
}

SequenceSet sequences_of(const harness::Problem& problem, bool queries, const SequenceSet* ancestors) {
  if (const std::string& file = problem.get<std::string>(queries ? "query_file" : "subject_file"); !file.empty())
    return read_sequence_set(file, alphabet_of(problem));
  const Population population = population_of(problem, queries);
  return ancestors ? make_relatives(population, *ancestors, problem.get<double>("related"))
                   : make_sequences(population);
}

std::shared_ptr<const harness::Workload> prepare(const harness::Problem& problem) {
  Scoring scoring = scoring_of(problem);
  SequenceSet queries = sequences_of(problem, true, nullptr);
  SequenceSet subjects = sequences_of(problem, false, &queries);
  require_exact(scoring, queries.alphabet(), subjects.alphabet(), queries.longest(), subjects.longest());
  std::vector<PlantedWord> words;
  if (const std::int64_t blocks = problem.get<std::int64_t>("planted"); blocks > 0)
    words = plant_words(queries, subjects, static_cast<std::size_t>(blocks), problem.seed());
  auto prepared = std::make_shared<AlignmentWorkload>(std::move(queries), std::move(subjects), std::move(scoring));
  if (!words.empty())
    prepared->planted =
        ends_of_words(prepared->queries.codes(0), prepared->subjects.codes(0), prepared->scoring, words);
  return prepared;
}

/// The sequences are on the first rank alone.
std::shared_ptr<const harness::Workload> prepare_rank(const harness::Problem& problem) {
  const SequenceSet none(alphabet_of(problem));
  return std::make_shared<AlignmentWorkload>(none, none, scoring_of(problem));
}

class HostSolver {
 public:
  HostSolver(const AlignmentWorkload& workload, const harness::Context& context, bool serial)
      : workload_(workload), serial_(serial), threads_(serial ? 1 : context.threads) {}

  void allocate(Scores& answer) {
    answer.memory = core::HostBuffer<std::int32_t>(workload_.pairs());
    answer.scores = answer.memory.span();
    workload_.poison(answer);
  }
  void execute(Scores& answer) {
    const SequenceSet &queries = workload_.queries, &subjects = workload_.subjects;
    if (workload_.is_huge_pair()) {
      const EndPoint end = find_end(queries.codes(0), subjects.codes(0), workload_.scoring, {.threads = threads_});
      answer.end = {end.score, end.query_end, end.subject_end};
      answer.scores[0] = end.score;
      return;
    }
    if (!serial_) {
      counts_ = search_scores(queries, subjects, workload_.scoring, answer.scores, {.threads = threads_});
      return;
    }
    std::size_t pair = 0;
    for (std::size_t q = 0; q < queries.size(); ++q)
      for (std::size_t s = 0; s < subjects.size(); ++s)
        answer.scores[pair++] = find_end_by_cells(queries.codes(q), subjects.codes(s), workload_.scoring).score;
  }
  core::Verdict verify(const Scores& answer) const {
    const auto other = serial_ ? AlignmentWorkload::Other::openmp : AlignmentWorkload::Other::cross_check;
    if (!workload_.is_huge_pair()) return workload_.verify(answer.scores, other);
    const auto aligned = [&] {
      return align(workload_.queries.codes(0), workload_.subjects.codes(0), workload_.scoring, {.threads = threads_});
    };
    return workload_.verify_pair({answer.scores[0], answer.end[1], answer.end[2]}, aligned, false, {}, other);
  }
  harness::Choices choices() const {
    if (serial_) return {};
    return {harness::instruction_set(),
            {"pairs_in_16_bits", std::to_string(counts_.in_16_bits)},
            {"pairs_in_32_bits", std::to_string(counts_.in_32_bits)}};
  }

 private:
  const AlignmentWorkload& workload_;
  bool serial_;
  int threads_;
  SearchCounts counts_;
};

std::string in_digits(double cells) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", cells);
  return text;
}
std::optional<std::string> refuses_beyond(const harness::Problem& problem, double max_cells, const std::string& who) {
  const double cells = cells_of(problem);
  if (cells <= max_cells) return std::nullopt;
  return in_digits(cells) + " cells would take " + who +
         " many minutes for each sample (most: " + in_digits(max_cells) + ")";
}
std::optional<std::string> refuses_serial(const harness::Problem& problem) {
  return refuses_beyond(problem, 1e11, "one core without vectors");
}
std::optional<std::string> refuses_openmp(const harness::Problem& problem) {
  return refuses_beyond(problem, 1e13, "all cores");
}
std::optional<std::string> refuses_parasail(const harness::Problem& problem) {
  const Scoring scoring = scoring_of(problem);
  // Seen in 2.6: striped kernels leave the correction of a column too early, and 8 bits do not hold the cost.
  if (scoring.gap_open == 0)
    return "parasail's striped kernels miss some scores where opening a gap costs nothing extra";
  if (scoring.gap_open + scoring.gap_extend > 100) return "parasail's 8 bits do not hold gap costs above 100";
  if (extent_of(problem, true).longest * extent_of(problem, false).longest > 1e10)
    return "it gives scores alone, and of a pair of more than 10^10 cells the end point is verified";
  return refuses_openmp(problem);
}
std::optional<std::string> refuses_search(const harness::Problem& problem) {
  const double longest = extent_of(problem, true).longest * extent_of(problem, false).longest;
  if (longest <= 1e11) return std::nullopt;
  return "a pair of " + in_digits(longest) + " cells would keep one warp busy for minutes; cuda-pair shares it";
}
std::optional<std::string> refuses_all_but_one_pair(const harness::Problem& problem) {
  if (extent_of(problem, true).sequences == 1 && extent_of(problem, false).sequences == 1) return std::nullopt;
  return "one pair at a time: one query and one subject";
}

std::optional<std::string> refuses_one_huge_pair(const harness::Problem& problem) {
  if (extent_of(problem, true).longest * extent_of(problem, false).longest <= 1e10) return refuses_openmp(problem);
  return "a pair of more than 10^10 cells would be computed by one rank, which divides none";
}

// The sequences once more, beside the scores and what each rank's search takes.
harness::Footprint ranks_footprint(const harness::Problem& problem) {
  const Extent queries = extent_of(problem, true), subjects = extent_of(problem, false);
  return {.host_bytes = 8 * queries.sequences * subjects.sequences + queries.residues + subjects.residues +
                        64 * 128 * queries.longest,
          .device_bytes = 0};
}

std::function<harness::Work(const harness::Problem&)> counted(double operations_per_cell) {
  return [=](const harness::Problem& problem) { return work_of(problem, operations_per_cell); };
}

/// A row whose function cuda_runs() or, of_ranks(), multi_runs() has.
harness::Variant cuda_row(std::string name, harness::Role role,
                          std::function<std::optional<std::string>(const harness::Problem&)> unsupported_reason,
                          std::function<harness::Work(const harness::Problem&)> work, std::string description) {
  return {.name = std::move(name),
          .backend = harness::Backend::cuda,
          .role = role,
          .description = std::move(description),
          .lineage = "",
          .make = {},
          .unavailable_reason = {},
          .work = std::move(work),
          .footprint = {},
          .unsupported_reason = std::move(unsupported_reason)};
}

harness::Variant of_ranks(harness::Variant row) {
  row.backend = harness::Backend::multi;
  row.footprint = ranks_footprint;
  return row;
}

std::vector<harness::Variant> variants() {
  using harness::Role;
  return {
      {.name = "serial",
       .backend = harness::Backend::serial,
       .role = Role::plain,
       .description = "row after row of one pair after another, one cell at a time in 32 bits",
       .lineage = "",
       .make = harness::host_solver<AlignmentWorkload, HostSolver>(true),
       .unavailable_reason = {},
       .work = counted(in_32_bits),
       .footprint = host_footprint,
       .unsupported_reason = refuses_serial},
      {.name = "openmp",
       .backend = harness::Backend::openmp,
       .role = Role::plain,
       .description = "one subject per vector lane on all cores, 8 bits wide and wider where a score does not fit",
       .lineage = "",
       .make = harness::host_solver<AlignmentWorkload, HostSolver>(false),
       .unavailable_reason = {},
       .work = counted(in_8_bits),
       .footprint = host_footprint,
       .unsupported_reason = refuses_openmp},
      {.name = "mpi",
       .backend = harness::Backend::mpi,
       .description = "as openmp, a part of the database on one core of each rank",
       .work = counted(in_8_bits),
       .footprint = ranks_footprint,
       .unsupported_reason = refuses_one_huge_pair},
      {.name = "parasail",
       .backend = harness::Backend::openmp,
       .role = Role::peer,
       .description = "parasail's striped vectors, one pair at a time, pairs on all cores",
       .lineage = "",
       .make = {},
       .unavailable_reason = {},
       .footprint = host_footprint,
       .unsupported_reason = refuses_parasail},
      cuda_row("cuda-16-bit", Role::step, refuses_search, counted(in_16_bits),
               "two subjects to a word in 16 bits, tiles of the table in registers passed on by shuffles"),
      cuda_row("cuda-11-bit", Role::step, refuses_search, counted(in_11_bits),
               "in 11 bits: the half-precision units add, the integer units only compare"),
      cuda_row("cuda", Role::best, refuses_search, counted(in_11_bits),
               "usual gap costs are immediate operands, so that instructions read fewer registers"),
      of_ranks(cuda_row("multi", Role::best, refuses_search, counted(in_11_bits),
                        "as cuda, a part of the database on the GPU of each rank")),
      cuda_row(
          "cuda-pair", Role::plain, refuses_all_but_one_pair, pair_work,
          "one huge pair: bands of rows that follow each other through the whole device, in 16 bits on a moving base"),
      cuda_row(
          "cuda-pair-path", Role::plain, refuses_all_but_one_pair, pair_work,
          "the same and its alignment: special rows, and all parts of the path between them traced at once, in rounds"),
      of_ranks(
          cuda_row("multi-pair", Role::plain, refuses_all_but_one_pair, pair_work,
                   "as cuda-pair, the GPUs of the ranks take the bands in turn and pass each other their last rows")),
      of_ranks(cuda_row("multi-pair-path", Role::plain, refuses_all_but_one_pair, pair_work,
                        "the same and its alignment: the special rows are on the first GPU, which traces the path")),
  };
}

std::vector<harness::Setting> weak(const harness::Problem& problem, int ranks) {
  if (!problem.get<std::string>("subject_file").empty())
    throw std::invalid_argument("subject_file: a database in a file does not grow with the ranks");
  return {{"subjects", problem.get<std::int64_t>("subjects") * ranks}};
}

std::vector<harness::Parameter> parameters() {
  harness::Parameter planted = harness::integer(
      "planted", 0, "of one random pair: alignments planted in each of N x N blocks of the table, for its verdict",
      {0, 64});
  planted.hidden_if_default = true;
  return {
      harness::choice("alphabet", "protein", "alphabet of the sequences", {"protein", "dna"}),
      harness::integer("queries", 10, "random queries; with query_file, all of the file", {1, 1e6}),
      harness::integer("subjects", 500, "random subjects; with subject_file, all of the file", {1, 1e8}),
      harness::real("mean_length", 360.0, "residues of a random sequence, on average", {1, 2e9}),
      harness::real("spread", 0.65, "standard deviation of the logarithm of its length; 0: all equal", {0, 2}),
      harness::choice("query_lengths", "random",
                      "random, or survey: the 20 lengths of the CUDASW++ papers, again and again",
                      {"random", "survey"}),
      harness::real("related", 0.01, "part of the subjects that are altered copies of a query", {0, 1}),
      planted,
      harness::text("matrix", "usual", "a matrix by name, or MATCH/MISMATCH for DNA; usual: BLOSUM62 or 2/-3"),
      harness::integer("gap_open", -1, "gap open penalty; where not set (-1): usual with the matrix", {0, 1e6}),
      harness::integer("gap_extend", -1, "gap extension penalty; where not set (-1): usual with the matrix", {0, 1e6}),
      harness::text("query_file", "", "FASTA or FASTQ in place of random queries"),
      harness::text("subject_file", "", "FASTA or FASTQ in place of random subjects"),
  };
}

}  // namespace

harness::Application application() {
  return {.name = "alignment",
          .title = "Sequence alignment",
          .summary = "Exact Smith-Waterman local alignment: every query against every sequence of a database.",
          .source = "Khajeh-Saeed, Poole and Perot, J. Comput. Phys. 229 (2010) 4247; dissertation 2012, ch. 4 and 5.4",
          .update = "cell",
          .rate_name = "GCUPS",
          .bandwidth_rate = false,
          .parameters = parameters(),
          .sizes = sizes(),
          .variants = variants(),
          .footprint = inputs_footprint,
          .work = work,
          .prepare = prepare,
          .weak = weak,
          .prepare_rank = prepare_rank};
}

}  // namespace speedwell::alignment
