// GpuTableStep: its memory, which is checked before the allocation, the copies and the passes.
#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/ssca1/gpu/gpu_device.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_rounds.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_steps.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_steps_passes.hpp"
#include "speedwell/apps/ssca1/kernel1/kernel1_gpu_steps.hpp"

namespace speedwell::ssca1 {
namespace {

using core::DeviceBuffer;

using Enqueue = std::int64_t(const StepLaunch&, const core::Stream&);
struct StepFunction {
  std::string_view name;
  Enqueue* enqueue;
};
constexpr StepFunction functions[] = {{"cuda-diagonals", enqueue_diagonals},
                                      {"cuda-sweeps", enqueue_sweeps},
                                      {"cuda-rows", enqueue_rows},
                                      {"cuda-sections", enqueue_sections}};
static_assert(std::size(functions) == std::size(kernel1_steps));

Enqueue* function_of(std::string_view step) {
  for (const StepFunction& function : functions)
    if (function.name == step) return function.enqueue;
  step_traffic(step);  // throws, and names the closest step
  return nullptr;
}

/// As in kernel1_table.cu, for 8 buffers.
constexpr double rounding_bytes = 8 * (2 << 20);

}  // namespace

class GpuTableStep::Implementation {
 public:
  Implementation(std::string_view step, Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                 int device)
      : table_{main, match, scoring, rules}, enqueue_(function_of(step)), device_(find_device(device)) {
    require_valid(main, match, scoring, rules);
    if (!fits_section_profile(scoring))
      throw std::invalid_argument("scores from " + std::to_string(scoring.lowest()) + " to " +
                                  std::to_string(scoring.highest()) + " of a pair: on a GPU they have 14 bits");
    if (std::max(table_.columns(), table_.rows()) > max_length)
      throw std::invalid_argument("sequences of " + std::to_string(main.size()) + " and " +
                                  std::to_string(match.size()) + " symbols: " + std::string(step) +
                                  " takes up to 2^30 symbols of each");
    if (step == "cuda-sections") plan_sections(device);
    allocate(step);
  }

  void upload(const core::Stream& stream) {
    device_.use();
    const std::vector<std::int16_t> scores(table_.scoring.scores().begin(), table_.scoring.scores().end());
    core::fill_bytes_async(main_, 0, stream);
    core::copy_async(main_.data(), table_.main.data(), table_.main.size(), stream);
    core::copy_async(match_.data(), table_.match.data(), table_.match.size(), stream);
    core::copy_async(scores_.data(), scores.data(), scores.size(), stream);
    stream.synchronize();
  }

  void run(const core::Stream& stream) {
    device_.use();
    launches_ = 0;
    StepLaunch launch{
        .table = {.main = main_.data(),
                  .match = match_.data(),
                  .scores = scores_.data(),
                  .columns = table_.columns(),
                  .rows = table_.rows(),
                  .symbols = table_.scoring.symbols(),
                  .open = table_.scoring.gap_open(),
                  .extend = table_.scoring.gap_extend(),
                  .highest = highest_score()},
        .cells = cells_.data(),
        .cell_bytes = cells_.bytes(),
        .tile_words = tile_words_.data(),
        .tile_word_bytes = tile_words_.bytes(),
        .round = with_memory(
            round_,
            {.main = main_.data(), .match = match_.data(), .scores = scores_.data(), .borders = borders_.data()}),
        .strip_rows = strip_rows_};
    std::vector<FoundCell> found;
    const auto pass = [&](const CandidateList& window) {
      launch.list = window;
      launch.list.found = found_.data();
      launch.list.count = count_.data();
      core::fill_bytes_async(count_, 0, stream);
      launches_ += enqueue_(launch, stream);
      core::copy_async(count_on_host_.data(), static_cast<const unsigned long long*>(count_.data()), 1, stream);
      stream.synchronize();
      const std::uint64_t number = *count_on_host_.data();
      found.resize(std::min(number, step_list_capacity));
      if (!found.empty()) {
        core::copy_async(found.data(), static_cast<const FoundCell*>(found_.data()), found.size(), stream);
        stream.synchronize();
      }
      return number;
    };
    StepPasses made = all_passes(table_, step_list_capacity, pass, [&] { return std::span<const FoundCell>(found); });
    endpoints_ = made.candidates.finish();
    passes_ = made.passes;
  }

  const Endpoints& endpoints() const { return endpoints_; }
  std::int64_t launches() const { return launches_; }
  std::int64_t passes() const { return passes_; }
  std::size_t device_bytes() const { return device_bytes_; }

 private:
  /// No score of the table exceeds it; require_valid() limits it to 2^30.
  std::int32_t highest_score() const {
    const std::int64_t shorter = std::min(table_.columns(), table_.rows());
    return static_cast<std::int32_t>(shorter * std::max(1, table_.scoring.highest()));
  }

  void plan_sections(int device) {
    strip_rows_ = overlapping_strip_rows(table_.rows(), table_.scoring.symbols());
    const int needed = overlapping_shared_bytes(strip_rows_, table_.scoring.symbols());
    if (needed > device_.shared_bytes)
      throw core::Unavailable("GPU " + std::to_string(device) + " has " + std::to_string(device_.shared_bytes) +
                              " bytes of shared memory, and " + std::to_string(table_.scoring.symbols()) +
                              " symbols need " + std::to_string(needed));
    overlap_ = plan_overlap(table_.columns(), table_.rows(), table_.scoring, table_.rules.minimum_score, strip_rows_,
                            device_.multiprocessors);
    const GpuRoundOptions options{.lead = overlap_.lead, .shortest = 64, .longest = max_length, .span = max_length};
    round_ = plan_round(table_, options, 0, table_steps(table_, overlap_.tiles), overlap_.tiles, overlap_.sections,
                        CellWidth::bits32);
  }

  void allocate(std::string_view step) {
    device_.use();
    const double bytes =
        step_device_bytes(step, table_.columns(), table_.rows(), table_.scoring, table_.rules, device_.multiprocessors);
    device_bytes_ = static_cast<std::size_t>(bytes + rounding_bytes);
    device_memory().require(device_bytes_, std::string(step) + " for a table of " + std::to_string(table_.columns()) +
                                               " x " + std::to_string(table_.rows()) + " cells");
    const StepMemory memory = step_memory(step, table_.columns(), table_.rows(), overlap_);
    main_ = DeviceBuffer<std::uint8_t>(static_cast<std::size_t>(padded_columns(table_.columns())));
    match_ = DeviceBuffer<std::uint8_t>(table_.match.size());
    scores_ = DeviceBuffer<std::int16_t>(table_.scoring.scores().size());
    cells_ = DeviceBuffer<std::int32_t>(static_cast<std::size_t>(memory.cells));
    tile_words_ = DeviceBuffer<unsigned long long>(static_cast<std::size_t>(memory.tile_words));
    borders_ = DeviceBuffer<Borders>(static_cast<std::size_t>(memory.borders));
    found_ = DeviceBuffer<FoundCell>(step_list_capacity);
    count_ = DeviceBuffer<unsigned long long>(1);
    count_on_host_ = core::PinnedBuffer<unsigned long long>(1);
  }

  const TableProblem table_;
  Enqueue* enqueue_;
  DeviceLimits device_;
  int strip_rows_ = 0;
  OverlapPlan overlap_;
  SectionRound round_;
  std::size_t device_bytes_ = 0;
  std::int64_t launches_ = 0, passes_ = 0;
  Endpoints endpoints_;

  DeviceBuffer<std::uint8_t> main_, match_;
  DeviceBuffer<std::int16_t> scores_;
  DeviceBuffer<std::int32_t> cells_;
  DeviceBuffer<unsigned long long> tile_words_, count_;
  DeviceBuffer<Borders> borders_;
  DeviceBuffer<FoundCell> found_;
  core::PinnedBuffer<unsigned long long> count_on_host_;
};

GpuTableStep::GpuTableStep(std::string_view step, Codes main, Codes match, const Scoring& scoring,
                           const EndpointRules& rules, int device)
    : implementation_(std::make_unique<Implementation>(step, main, match, scoring, rules, device)) {}
GpuTableStep::GpuTableStep(GpuTableStep&&) noexcept = default;
GpuTableStep& GpuTableStep::operator=(GpuTableStep&&) noexcept = default;
GpuTableStep::~GpuTableStep() = default;
void GpuTableStep::upload(const core::Stream& stream) { implementation_->upload(stream); }
void GpuTableStep::run(const core::Stream& stream) { implementation_->run(stream); }
const Endpoints& GpuTableStep::endpoints() const { return implementation_->endpoints(); }
std::int64_t GpuTableStep::launches() const { return implementation_->launches(); }
std::int64_t GpuTableStep::passes() const { return implementation_->passes(); }
std::size_t GpuTableStep::device_bytes() const { return implementation_->device_bytes(); }

}  // namespace speedwell::ssca1
