// The memory of GpuTable: its size on the device, which is checked before the allocation, and the copies.
#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/ssca1/gpu/gpu_device.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_table_kernels.hpp"
#include "speedwell/apps/ssca1/kernel1/kernel1_gpu_table.hpp"

namespace speedwell::ssca1 {
namespace {

using core::DeviceBuffer;

constexpr std::int32_t warps_per_multiprocessor = 16;
constexpr std::uint64_t list_capacity = 1 << 20;
/// Candidates that are copied to the host together with the summary: more than a list of 200 endpoints usually needs.
constexpr std::size_t first_cells = 1024;
/// The maximum size of checkpoints and borders; longer tables are computed in several rounds.
constexpr std::size_t round_bytes = std::size_t{1} << 30;
/// CUDA allocates in pieces of up to 2 MiB, so that each of the 11 buffers may take so much more than its size.
constexpr std::size_t rounding_bytes = 11 * (std::size_t{2} << 20);

/// From this length on, sections have half as many checkpoints, so that these do not cost more time than they save.
constexpr std::int64_t long_section = 512;

}  // namespace

class GpuTable::Implementation {
 public:
  Implementation(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules, int device,
                 const OwnedColumns& owned)
      : table_{main, match, scoring, rules, owned},
        device_(find_device(device)),
        strip_rows_(section_strip_rows(table_.rows(), scoring.symbols(), device_.shared_bytes)) {
    require_valid(main, match, scoring, rules);
    if (!fits_section_profile(scoring))
      throw std::invalid_argument("scores from " + std::to_string(scoring.lowest()) + " to " +
                                  std::to_string(scoring.highest()) + " of a pair: on a GPU they have 14 bits");
    if (strip_rows_ == 0)
      throw core::Unavailable("GPU " + std::to_string(device) + " has " + std::to_string(device_.shared_bytes) +
                              " bytes of shared memory, and " + std::to_string(scoring.symbols()) + " symbols need " +
                              std::to_string(section_shared_bytes(8, scoring.symbols())));
    tiles_ = static_cast<std::int32_t>(core::blocks_for(table_.rows(), 32 * strip_rows_));
    const std::int64_t pairs = core::blocks_for(table_steps(table_, tiles_), static_cast<int>(2 * options_.shortest));
    // One wave of blocks.
    pairs_ = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(pairs, 1, warps_per_multiprocessor * device_.multiprocessors));
  }

  void allocate() {
    device_.use();
    const DeviceMemory memory = device_memory();
    plan(std::min(round_bytes, memory.available / 4));
    const std::size_t spans = tile_pairs() * spans_;
    const std::size_t padded_length = (table_.main.size() + 1) / 2 * 2;
    const std::size_t list_bytes = sizeof(RoundSummary) + list_capacity * sizeof(FoundCell);
    device_bytes_ = padded_length + table_.match.size() + 2 * table_.scoring.scores().size() +
                    state_bytes() * (spans + tile_pairs() + static_cast<std::size_t>(tiles_)) + 8 * spans +
                    sizeof(Borders) * border_steps() + 4 * static_cast<std::size_t>(pairs_) + list_bytes +
                    rounding_bytes;
    memory.require(device_bytes_, "a table of " + std::to_string(table_.rows()) + " rows");
    main_ = DeviceBuffer<std::uint8_t>(padded_length);
    match_ = DeviceBuffer<std::uint8_t>(table_.match.size());
    scores_ = DeviceBuffer<std::int16_t>(table_.scoring.scores().size());
    checkpoints_ = DeviceBuffer<std::uint32_t>(spans * state_bytes() / 4);
    ends_ = DeviceBuffer<std::uint32_t>(tile_pairs() * state_bytes() / 4);
    before_ = DeviceBuffer<std::uint32_t>(static_cast<std::size_t>(tiles_) * state_bytes() / 4);
    maxima_ = DeviceBuffer<std::uint32_t>(spans);
    selected_ = DeviceBuffer<std::uint32_t>(spans);
    differing_ = DeviceBuffer<std::int32_t>(static_cast<std::size_t>(pairs_));
    borders_ = DeviceBuffer<Borders>(border_steps());
    list_ = DeviceBuffer<std::byte>(list_bytes);
    answer_ = core::PinnedBuffer<std::byte>(answer_bytes);
  }

  void upload(const core::Stream& stream) {
    device_.use();
    const std::vector<std::int16_t> scores(table_.scoring.scores().begin(), table_.scoring.scores().end());
    core::fill_bytes_async(main_, 0, stream);  // initialises the byte after an odd number
    core::copy_async(main_.data(), table_.main.data(), table_.main.size(), stream);
    core::copy_async(match_.data(), table_.match.data(), table_.match.size(), stream);
    core::copy_async(scores_.data(), scores.data(), scores.size(), stream);
    // The host may copy parts that have not been written.
    core::check(cudaMemsetAsync(list_.data(), 0, answer_bytes, stream.get()));
    stream.synchronize();
  }

  void run(const core::Stream& stream) {
    device_.use();
    stream_ = &stream;
    candidates_.emplace(GpuRounds<Implementation>(*this, table_, options_).candidates());
    if (table_.owned.are_all()) endpoints_ = candidates_->finish();
    stream_ = nullptr;
  }

  // The interface that GpuRounds requires of a device.
  std::int32_t pairs() const { return pairs_; }
  std::int32_t tiles() const { return tiles_; }
  bool fits(CellWidth width) const { return width_serves(width, table_.scoring); }
  std::int32_t limit(CellWidth width) const { return score_limit(width, table_.scoring); }
  std::uint64_t capacity() const { return list_capacity; }

  RoundSummary sweep(CellWidth width, const SectionRound& planned, const ThresholdChoice& choice) {
    launch_ = {.width = width,
               .strip_rows = strip_rows_,
               .multiprocessors = device_.multiprocessors,
               .shared_bytes = device_.shared_bytes,
               .round = with_memory(planned, {main_.data(), match_.data(), scores_.data(), checkpoints_.data(),
                                              ends_.data(), maxima_.data(), borders_.data(), before_.data()}),
               .peaks = table_.rules.mode == EndpointRules::Mode::peaks,
               .summary = reinterpret_cast<RoundSummary*>(list_.data()),
               .differing = differing_.data(),
               .selected = selected_.data(),
               .found = reinterpret_cast<FoundCell*>(list_.data() + sizeof(RoundSummary)),
               .capacity = list_capacity};
    enqueue_sweep(launch_, *stream_);
    enqueue_examine(launch_, choice, *stream_);
    return choose(choice);
  }
  RoundSummary repeat(std::uint32_t pairs, const ThresholdChoice& choice) {
    enqueue_repeat(launch_, static_cast<std::int32_t>(pairs), *stream_);
    enqueue_examine(launch_, choice, *stream_);
    return choose(choice);
  }
  RoundSummary choose(const ThresholdChoice& choice) {
    enqueue_choose(launch_, choice, *stream_);
    return refine(0, UINT32_MAX);
  }
  RoundSummary refine(std::uint32_t first, std::uint32_t last) {
    enqueue_refine(launch_, first, last, *stream_);
    core::copy_async(answer_.data(), static_cast<const std::byte*>(list_.data()), answer_bytes, *stream_);
    stream_->synchronize();
    const auto* summary = reinterpret_cast<const RoundSummary*>(answer_.data());
    found_ = std::min<std::uint64_t>(summary->found, list_capacity);
    return *summary;
  }
  std::span<const FoundCell> cells() {
    const auto* first = reinterpret_cast<const FoundCell*>(answer_.data() + sizeof(RoundSummary));
    if (found_ <= first_cells) return {first, found_};
    cells_.resize(found_);
    core::copy_async(cells_.data(), static_cast<const FoundCell*>(launch_.found), found_, *stream_);
    stream_->synchronize();
    return cells_;
  }
  void end_round(bool last) {
    if (!last) enqueue_end(launch_, before_.data(), *stream_);
  }

  const Endpoints& endpoints() const { return endpoints_; }
  SectionCandidates candidates() { return candidates_ ? candidates_->of_section() : SectionCandidates{}; }
  std::size_t device_bytes() const { return device_bytes_; }

 private:
  static constexpr std::size_t answer_bytes = sizeof(RoundSummary) + first_cells * sizeof(FoundCell);

  /// Lengths of sections, so that the whole table is one round if it fits `bytes`.
  void plan(std::size_t bytes) {
    const std::int64_t even =
        plan_round(table_, options_, 0, table_steps(table_, tiles_), tiles_, pairs_, CellWidth::bits11).steps;
    options_.span = even < long_section ? 32 : 64;
    const double bytes_of_step =
        static_cast<double>(state_bytes()) / static_cast<double>(options_.span) + (tiles_ > 1 ? sizeof(Borders) : 0);
    const auto maximum =
        static_cast<std::int64_t>(static_cast<double>(bytes) / bytes_of_step) / pairs_ / std::max(1, tiles_);
    options_.longest = std::clamp(even, options_.shortest, std::max(options_.shortest, maximum / 2 * 2));
    spans_ = static_cast<std::size_t>((options_.longest + options_.span - 1) / options_.span);
  }
  std::size_t tile_pairs() const { return static_cast<std::size_t>(tiles_) * static_cast<std::size_t>(pairs_); }
  std::size_t state_bytes() const { return 4 * static_cast<std::size_t>(state_words(strip_rows_)); }
  std::size_t border_steps() const {
    return tiles_ > 1 ? tile_pairs() * static_cast<std::size_t>(options_.lead + options_.longest + 1) : 0;
  }

  const TableProblem table_;
  DeviceLimits device_;
  int strip_rows_;
  GpuRoundOptions options_;
  std::int32_t tiles_ = 1, pairs_ = 1;
  std::size_t spans_ = 1, device_bytes_ = 0;
  const core::Stream* stream_ = nullptr;
  RoundLaunch launch_;
  std::uint64_t found_ = 0;
  std::vector<FoundCell> cells_;
  std::optional<Candidates> candidates_;
  Endpoints endpoints_;

  DeviceBuffer<std::uint8_t> main_, match_;
  DeviceBuffer<std::int16_t> scores_;
  DeviceBuffer<std::uint32_t> checkpoints_, ends_, before_, maxima_, selected_;
  DeviceBuffer<std::int32_t> differing_;
  DeviceBuffer<Borders> borders_;
  DeviceBuffer<std::byte> list_;  // a summary followed by the candidates
  core::PinnedBuffer<std::byte> answer_;
};

GpuTable::GpuTable(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules, int device)
    : implementation_(std::make_unique<Implementation>(main, match, scoring, rules, device, OwnedColumns{})) {
  implementation_->allocate();
}
GpuTable::GpuTable(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                   const OwnedColumns& owned, int device)
    : implementation_(std::make_unique<Implementation>(main, match, scoring, rules, device, owned)) {
  implementation_->allocate();
}
GpuTable::GpuTable(GpuTable&&) noexcept = default;
GpuTable& GpuTable::operator=(GpuTable&&) noexcept = default;
GpuTable::~GpuTable() = default;
void GpuTable::upload(const core::Stream& stream) { implementation_->upload(stream); }
void GpuTable::run(const core::Stream& stream) { implementation_->run(stream); }
const Endpoints& GpuTable::endpoints() const { return implementation_->endpoints(); }
SectionCandidates GpuTable::candidates() const { return implementation_->candidates(); }
std::size_t GpuTable::device_bytes() const { return implementation_->device_bytes(); }
std::int64_t GpuTable::sections() const { return std::int64_t{2} * implementation_->pairs(); }

}  // namespace speedwell::ssca1
