// The memory and the steps of GpuPair.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/gpu/device_limits.hpp"
#include "speedwell/apps/alignment/gpu_pair.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_best.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_choice.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_kernel.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_plan.hpp"
#include "speedwell/apps/alignment/gpu_pair/segment_kernel.hpp"
#include "speedwell/apps/alignment/gpu_pair/team_block.hpp"
#include "speedwell/apps/alignment/gpu_steps.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::alignment {
namespace {

using core::DeviceBuffer;

/// What one of several GPUs has found.
struct MemberResult {
  BandBest best;
  std::int32_t failed = 0;
};

}  // namespace

class GpuPair::Implementation {
 public:
  explicit Implementation(int device) : device_(find_device(device)) {}

  /// `with_traceback`: the remaining memory is used for special rows. `team`: null, or that of this GPU, whose members
  /// call all functions together.
  void allocate(Codes query, Codes subject, const Scoring& scoring, const GpuPairTuning& tuning, bool with_traceback,
                GpuTeam* team);
  void upload(const core::Stream& stream);
  void poison(const core::Stream& stream);
  void enqueue(const core::Stream& stream);
  void download(const core::Stream& stream);
  /// To be called after download(), with special rows.
  Alignment trace_back(const AlignOptions& options, const core::Stream& stream);

  EndPoint end() const { return end_; }
  const PairChecks& checks() const { return checks_; }
  std::size_t device_bytes() const { return device_bytes_; }
  TracebackCounts traceback_counts() const { return traceback_counts_; }
  GpuPairTuning tuning() const {
    return {choice_.variant.strip_rows, choice_.warps, static_cast<int>(launch_.problem.special.every),
            launch_.problem.prune, launch_.problem.checks.sums != nullptr};
  }

 private:
  void use_device() const { device_.use(); }
  bool is_leader() const { return !team_ || team_->member() == 0; }
  void combine_results();
  SpecialRows allocate_special_rows(std::size_t available, std::size_t chunks, std::size_t bands, int kept_bands);
  std::size_t band_rows() const { return 64 * static_cast<std::size_t>(choice_.variant.strip_rows); }
  bool empty() const { return query_.empty() || subject_.empty(); }

  DeviceLimits device_;
  Codes query_, subject_;
  std::optional<Scoring> scoring_;
  ResidueClasses classes_;
  BandChoice choice_;
  GpuTeam* team_ = nullptr;
  BandLaunch launch_{};
  std::size_t device_bytes_ = 0;
  EndPoint end_;
  std::vector<BandBest> results_;
  PairChecks checks_;
  TracebackCounts traceback_counts_;

  DeviceBuffer<std::uint8_t> query_codes_, subject_codes_, query_classes_;
  DeviceBuffer<std::uint16_t> columns_;
  BandShare share_;
  TeamBlock special_;  // special rows, of the first GPU
  DeviceBuffer<std::int8_t> class_scores_;
  DeviceBuffer<unsigned long long> counters_;  // next band, and whether another GPU did not come
  DeviceBuffer<BandBest> results_device_;
  DeviceBuffer<std::uint32_t> candidate_;
  DeviceBuffer<std::int8_t> code_scores_;  // for the path
  DeviceBuffer<std::byte> workspace_;
  DeviceBuffer<std::uint32_t> check_sums_;
  DeviceBuffer<std::int32_t> check_maximum_;
  DeviceBuffer<std::int64_t> check_first_pruned_;
};

void GpuPair::Implementation::allocate(Codes query, Codes subject, const Scoring& scoring, const GpuPairTuning& tuning,
                                       bool with_traceback, GpuTeam* team) {
  require_exact(scoring, scoring.matrix.alphabet(), scoring.matrix.alphabet(), query.size(), subject.size());
  use_device();
  team_ = team && team->size() > 1 ? team : nullptr;
  query_ = query;
  subject_ = subject;
  scoring_ = scoring;
  end_ = {};
  device_bytes_ = 0;
  checks_ = {};
  if (empty()) return;
  classes_ = classify(query, subject, scoring.matrix);
  choice_ = choose_bands({.rows = static_cast<std::int64_t>(query.size()),
                          .columns = static_cast<std::int64_t>(subject.size()),
                          .classes = classes_.count,
                          .highest = classes_.highest,
                          .shared_bytes = static_cast<std::size_t>(device_.shared_bytes),
                          .multiprocessors = device_.multiprocessors * (team_ ? team_->size() : 1)},
                         scoring, tuning);

  const auto chunks = static_cast<std::size_t>(band_chunks(static_cast<std::int64_t>(subject.size())));
  const std::size_t bands = (query.size() + band_rows() - 1) / band_rows();
  const std::size_t border = chunks * chunk_columns, columns = columns_before + border + columns_after;
  const std::size_t candidate = saved_words(choice_.variant) * static_cast<std::size_t>(choice_.warps) *
                                static_cast<std::size_t>(device_.multiprocessors);
  const std::size_t bytes = sizeof(std::uint32_t) * candidate + 2 * query.size() + subject.size() +
                            sizeof(std::uint16_t) * columns + BandShare::bytes(bands, chunks) +
                            sizeof(BandBest) * bands + 2 * code_limit * code_limit +
                            (tuning.checks ? (8 * check_blocks + sizeof(std::int64_t)) * bands : 0);
  // CUDA allocates in pieces of up to 2 MiB, so that each of the 21 buffers, including those of SegmentTracer, may take
  // so much more. Memory that this object holds counts as available.
  constexpr std::size_t rounding_bytes = 21 * (std::size_t{2} << 20);
  query_codes_ = {}, subject_codes_ = {}, query_classes_ = {}, columns_ = {}, share_ = {}, special_ = {};
  class_scores_ = {}, counters_ = {}, results_device_ = {}, candidate_ = {}, code_scores_ = {}, workspace_ = {},
  check_sums_ = {}, check_maximum_ = {}, check_first_pruned_ = {};
  const DeviceMemory memory = device_memory();
  memory.require(bytes + rounding_bytes,
                 "a pair of " + std::to_string(query.size()) + " and " + std::to_string(subject.size()) + " residues");
  query_codes_ = DeviceBuffer<std::uint8_t>(query.size());
  subject_codes_ = DeviceBuffer<std::uint8_t>(subject.size());
  query_classes_ = DeviceBuffer<std::uint8_t>(query.size());
  columns_ = DeviceBuffer<std::uint16_t>(columns);
  share_ = BandShare(team_, bands, chunks);
  class_scores_ = DeviceBuffer<std::int8_t>(classes_.scores.size());
  counters_ = DeviceBuffer<unsigned long long>(2);
  results_device_ = DeviceBuffer<BandBest>(bands);
  candidate_ = DeviceBuffer<std::uint32_t>(candidate);
  results_.assign(bands, BandBest{});
  device_bytes_ = bytes;
  BandChecks checks{};
  if (tuning.checks) {
    check_sums_ = DeviceBuffer<std::uint32_t>(bands * check_blocks);
    check_maximum_ = DeviceBuffer<std::int32_t>(bands * check_blocks);
    check_first_pruned_ = DeviceBuffer<std::int64_t>(bands);
    checks = {.sums = check_sums_.data(),
              .maximum = check_maximum_.data(),
              .first_pruned = check_first_pruned_.data(),
              .chunks_of_block = chunks_of_check_block(static_cast<std::int64_t>(chunks))};
    checks_ = PairChecks(static_cast<std::int64_t>(query.size()), static_cast<std::int64_t>(subject.size()),
                         choice_.variant.strip_rows);
  }

  SpecialRows special{};
  if (with_traceback)
    special = allocate_special_rows(memory.available - bytes - rounding_bytes, chunks, bands, tuning.kept_bands);

  launch_ = {.problem = {.query = query_classes_.data(),
                         .columns = columns_.data() + columns_before,
                         .query_length = static_cast<std::int64_t>(query.size()),
                         .subject_length = static_cast<std::int64_t>(subject.size()),
                         .chunks = static_cast<std::int64_t>(chunks),
                         .classes = classes_.count,
                         .constants = Pair16::constants(scoring.gap_open, scoring.gap_extend),
                         .window = choice_.window,
                         .prune = tuning.prune,
                         .highest = classes_.highest,
                         .special = special,
                         .checks = checks,
                         .gap_first = scoring.gap_open + scoring.gap_extend,
                         .gap_next = scoring.gap_extend},
             .bands = static_cast<std::int64_t>(bands),
             .class_scores = class_scores_.data(),
             .gap_open = scoring.gap_open,
             .gap_extend = scoring.gap_extend,
             .next_band = counters_.data(),
             .timed_out = reinterpret_cast<int*>(counters_.data() + 1),
             .candidate = candidate_.data(),
             .results = results_device_.data()};
  share_.connect(team_, launch_);
}

/// As many special rows as fit, with a tenth of the memory left free, in addition to the memory for tracing.
SpecialRows GpuPair::Implementation::allocate_special_rows(std::size_t available, std::size_t chunks, std::size_t bands,
                                                           int kept_bands) {
  const std::size_t border = chunks * chunk_columns;
  const std::size_t of_row = sizeof(std::uint32_t) * border + sizeof(std::int32_t) * (chunks + 2);
  const std::size_t usable = available / 10 * 9, max_workspace = usable / 16;
  const std::size_t room = (usable - max_workspace) / of_row;
  const std::size_t wanted =
      kept_bands > 0 ? static_cast<std::size_t>(kept_bands) : (1024 + band_rows() - 1) / band_rows();
  std::size_t every = std::max((bands + room) / (room + 1), wanted);
  if (team_) every = gather(*team_, every).front();  // as many as the memory of the first GPU holds
  const std::size_t rows = (bands - 1) / every;      // at most as many as fit
  const auto rows_between = static_cast<std::int64_t>(std::min(every * band_rows(), query_.size()));
  const std::size_t workspace = std::min(
      max_workspace,
      wanted_workspace(static_cast<std::int64_t>(rows + 1), rows_between, static_cast<std::int64_t>(subject_.size())));
  special_ = TeamBlock(team_, is_leader() ? rows * of_row : 0);
  if (is_leader()) {
    code_scores_ = DeviceBuffer<std::int8_t>(code_limit * code_limit);
    workspace_ = DeviceBuffer<std::byte>(workspace);
    device_bytes_ += rows * of_row + workspace;
  }
  std::byte* const memory = special_.of(0);
  return {.every = static_cast<std::int64_t>(every),
          .rows = static_cast<std::int64_t>(rows),
          .border = reinterpret_cast<std::uint32_t*>(memory),
          .border_base = reinterpret_cast<std::int32_t*>(memory + sizeof(std::uint32_t) * rows * border),
          .chunks = static_cast<std::int64_t>(chunks)};
}

void GpuPair::Implementation::upload(const core::Stream& stream) {
  if (empty()) return;
  use_device();
  core::copy_async(query_codes_.data(), query_.data(), query_.size(), stream);
  core::copy_async(subject_codes_.data(), subject_.data(), subject_.size(), stream);
  core::copy_async(class_scores_.data(), classes_.scores.data(), classes_.scores.size(), stream);
  // Pruned chunks write nothing there, but are read before this is known.
  const std::size_t border = static_cast<std::size_t>(launch_.problem.chunks) * chunk_columns;
  core::check(cudaMemsetAsync(launch_.problem.border, 0, sizeof(std::uint32_t) * border, stream.get()));
  if (code_scores_.size() > 0)
    core::copy_async(code_scores_.data(), scoring_->matrix.data(), code_scores_.size(), stream);
  stream.synchronize();
}

void GpuPair::Implementation::poison(const core::Stream& stream) {
  end_ = {-1, -1, -1};
  if (empty()) return;
  use_device();
  core::fill_bytes_async(results_device_, 0xff, stream);
  if (check_sums_.size() == 0) return;
  core::fill_bytes_async(check_sums_, 0xff, stream);
  core::fill_bytes_async(check_maximum_, 0xff, stream);
  core::fill_bytes_async(check_first_pruned_, 0xff, stream);
}

void GpuPair::Implementation::enqueue(const core::Stream& stream) {
  if (empty()) return;
  use_device();
  BandSequences sequences{.query_codes = query_codes_.data(),
                          .subject_codes = subject_codes_.data(),
                          .query = query_classes_.data(),
                          .columns = columns_.data(),
                          .of_code = {}};
  std::copy(classes_.of_code.begin(), classes_.of_code.end(), sequences.of_code);
  enqueue_encoding(choice_.variant, sequences, launch_.problem, stream);
  if (team_) team_->barrier(stream);  // no other GPU writes to this one for the sweep before any more
  enqueue_band_reset(launch_, stream);
  if (team_) team_->barrier(stream);
  const std::int64_t bands = (launch_.bands - launch_.gpu + launch_.gpus - 1) / launch_.gpus;
  const auto blocks = std::min<std::int64_t>(device_.multiprocessors, bands);
  if (blocks > 0) enqueue_bands(choice_.variant, launch_, static_cast<int>(blocks), choice_.warps, stream);
  if (team_ && launch_.problem.special.every > 0) team_->barrier(stream);  // the first GPU has the special rows of all
}

void GpuPair::Implementation::download(const core::Stream& stream) {
  end_ = {};
  if (empty()) return;
  use_device();
  core::copy_async(results_.data(), results_device_.data(), results_.size(), stream);
  if (check_sums_.size() > 0) {
    core::copy_async(checks_.sums.data(), check_sums_.data(), checks_.sums.size(), stream);
    core::copy_async(checks_.maximum.data(), check_maximum_.data(), checks_.maximum.size(), stream);
    core::copy_async(checks_.first_pruned.data(), check_first_pruned_.data(), checks_.first_pruned.size(), stream);
  }
  stream.synchronize();
  if (team_) return combine_results();
  for (const BandBest& best : results_)  // from the first rows to the last
    if (best.score > end_.score) end_ = {best.score, best.row, best.column};
}

/// Every member gets the results and the checks of all bands.
void GpuPair::Implementation::combine_results() {
  const auto members = static_cast<std::size_t>(team_->size()), own = static_cast<std::size_t>(team_->member());
  MemberResult mine;
  core::check(cudaMemcpy(&mine.failed, launch_.timed_out, sizeof(mine.failed), cudaMemcpyDeviceToHost));
  for (std::size_t band = own; band < results_.size(); band += members)
    if (results_[band].score > mine.best.score) mine.best = results_[band];
  BandBest best;
  for (const MemberResult& result : gather(*team_, mine)) {
    if (result.failed != 0)
      throw core::DeviceError("a GPU that sweeps a pair together with others waited for one of them for 20 s");
    if (result.best.score > 0 && comes_before(result.best, best)) best = result.best;
  }
  end_ = {best.score, best.row, best.column};
  // In each array of checks the part of a band is taken from the member that has the band.
  const auto merge = [&]<class T>(std::vector<T>& values) {
    const std::vector<T> all = gather(*team_, std::span<const T>(values));
    const std::size_t of_band = values.size() / results_.size();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = all[i / of_band % members * values.size() + i];
  };
  if (checks_.strip_rows == 0) return;
  merge(checks_.sums);
  merge(checks_.maximum);
  merge(checks_.first_pruned);
}

Alignment GpuPair::Implementation::trace_back(const AlignOptions& options, const core::Stream& stream) {
  traceback_counts_ = {};
  if (end_.score == 0 || !is_leader()) return {};
  use_device();
  const SpecialRows& special = launch_.problem.special;
  const SegmentProblem problem{.query = query_codes_.data(),
                               .subject = subject_codes_.data(),
                               .special = special,
                               .rows_between = special.every * static_cast<std::int64_t>(band_rows()),
                               .highest = classes_.highest,
                               .gap_open = scoring_->gap_open,
                               .gap_extend = scoring_->gap_extend};
  const auto rows = static_cast<std::size_t>((end_.query_end - 1) / problem.rows_between);
  SegmentTracer tracer(problem, code_scores_.data(), workspace_.span(), rows + 1, stream);
  const std::vector<RowBest> guesses = tracer.best_of_rows(rows, end_.subject_end);
  const auto trace_jobs = [&](std::span<const SegmentJob> jobs, int doublings) {
    return tracer.trace(jobs, doublings);
  };
  return align_segments(query_, subject_, *scoring_, end_, problem.rows_between, guesses, trace_jobs, traceback_counts_,
                        options.stop);
}

GpuPair::GpuPair(int device) : implementation_(std::make_unique<Implementation>(device)) {}
GpuPair::GpuPair(GpuPair&&) noexcept = default;
GpuPair& GpuPair::operator=(GpuPair&&) noexcept = default;
GpuPair::~GpuPair() = default;

EndPoint GpuPair::find_end(Codes query, Codes subject, const Scoring& scoring) {
  implementation_->allocate(query, subject, scoring, {}, false, nullptr);
  const core::Stream stream;
  implementation_->upload(stream);
  implementation_->enqueue(stream);
  implementation_->download(stream);
  return implementation_->end();
}

Alignment GpuPair::align(Codes query, Codes subject, const Scoring& scoring, const AlignOptions& options) {
  implementation_->allocate(query, subject, scoring, {}, true, nullptr);
  const core::Stream stream;
  implementation_->upload(stream);
  implementation_->enqueue(stream);
  implementation_->download(stream);
  return implementation_->trace_back(options, stream);
}

GpuPairSteps::GpuPairSteps(GpuPair& pair, Codes query, Codes subject, const Scoring& scoring,
                           const GpuPairTuning& tuning, bool with_traceback, GpuTeam* team)
    : pair_(*pair.implementation_) {
  pair_.allocate(query, subject, scoring, tuning, with_traceback, team);
}
void GpuPairSteps::upload(const core::Stream& stream) { pair_.upload(stream); }
void GpuPairSteps::poison(const core::Stream& stream) { pair_.poison(stream); }
void GpuPairSteps::enqueue(const core::Stream& stream) { pair_.enqueue(stream); }
void GpuPairSteps::download(const core::Stream& stream) { pair_.download(stream); }
PairChecks GpuPairSteps::checks() const { return pair_.checks(); }
EndPoint GpuPairSteps::end() const { return pair_.end(); }
Alignment GpuPairSteps::trace_back(const core::Stream& stream, const AlignOptions& options) {
  return pair_.trace_back(options, stream);
}

std::size_t GpuPair::device_bytes() const { return implementation_->device_bytes(); }
TracebackCounts GpuPair::traceback_counts() const { return implementation_->traceback_counts(); }
GpuPairTuning GpuPair::tuning() const { return implementation_->tuning(); }

}  // namespace speedwell::alignment
