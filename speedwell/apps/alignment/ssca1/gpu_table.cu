// GpuTable's kernels and memory. A block of sixteen warps keeps the profile of a tile of match in shared memory, and
// each warp takes a pair of sections of main through it.
//
// What bounds it: the cells are those of the search (alignment/cuda.cu), about 9 instructions a pair of cells at 32
// rows a lane, 5.5 of them integer. What a section adds to a step is the test whether a candidate may be near, about 6
// instructions for 64 cells. 64 codons take 130 KiB of profile, so that a multiprocessor has one block, four warps a
// scheduler, in at most 128 registers a thread.
#include <algorithm>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/device_limits.hpp"
#include "speedwell/apps/alignment/device_warp.hpp"
#include "speedwell/apps/alignment/ssca1/gpu_rounds.hpp"
#include "speedwell/apps/alignment/ssca1/gpu_table.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::alignment::ssca1 {
namespace {

using core::DeviceBuffer;

constexpr int warps_per_block = 16;
constexpr int threads_per_block = warps_per_block * 32;
constexpr unsigned long long list_capacity = 1ull << 22;

template <class Arithmetic, int R>
__global__ void __launch_bounds__(threads_per_block, 1) sweep_kernel(const __grid_constant__ SectionSweep sweep) {
  extern __shared__ __align__(128) char profile[];
  DeviceWarp warp{static_cast<int>(threadIdx.x % 32)};
  const auto pair = static_cast<std::int32_t>(blockIdx.x * warps_per_block + threadIdx.x / 32);
  const std::int32_t pairs = (sweep.task_count + Arithmetic::subjects - 1) / Arithmetic::subjects;
  for (std::int64_t row = 0; row < sweep.rows; row += 32 * R) {
    build_section_profile<R>(profile, sweep, row, static_cast<int>(threadIdx.x), threads_per_block);
    __syncthreads();
    if (pair < pairs)
      sweep_section_pair<Arithmetic, R>(warp, sweep, pair, row, profile,
                                        sweep.kept + static_cast<std::int64_t>(pair) * (2 * R * 32));
    __syncthreads();  // nobody reads the profile any more
  }
}

/// agree[s] becomes 0 if slot s does not begin as slot s - 1 ends. A block for each slot but the first.
__global__ void agree_kernel(const RowState* begins, const RowState* ends, std::int64_t rows, std::int64_t padded_rows,
                             int* agree) {
  const std::int64_t slot = blockIdx.x + 1;
  int differs = 0;
  for (std::int64_t row = threadIdx.x; row < rows; row += blockDim.x) {
    const RowState a = begins[slot * padded_rows + row], b = ends[(slot - 1) * padded_rows + row];
    differs |= a.h != b.h || a.e != b.e;
  }
  const int any = __syncthreads_or(differs);
  if (threadIdx.x == 0) agree[slot] = !any;
}

/// A block for each of the slots.
__global__ void take_over_kernel(RowState* begins, const RowState* ends, const std::int32_t* slots,
                                 std::int64_t padded_rows) {
  const std::int64_t slot = slots[blockIdx.x];
  for (std::int64_t row = threadIdx.x; row < padded_rows; row += blockDim.x)
    begins[slot * padded_rows + row] = ends[(slot - 1) * padded_rows + row];
}

template <class Arithmetic, int R>
void launch(const SectionSweep& sweep, int shared_bytes, const core::Stream& stream) {
  // A block may have more than 48 KiB only after this.
  core::check(
      cudaFuncSetAttribute(sweep_kernel<Arithmetic, R>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  const int pairs = (sweep.task_count + Arithmetic::subjects - 1) / Arithmetic::subjects;
  const auto blocks = static_cast<unsigned>(core::blocks_for(pairs, warps_per_block));
  sweep_kernel<Arithmetic, R>
      <<<blocks, threads_per_block, static_cast<std::size_t>(shared_bytes), stream.get()>>>(sweep);
  core::check(cudaGetLastError());
}

template <class Arithmetic>
void launch(int strip_rows, const SectionSweep& sweep, int shared_bytes, const core::Stream& stream) {
  switch (strip_rows) {
    case 8:
      return launch<Arithmetic, 8>(sweep, shared_bytes, stream);
    case 16:
      return launch<Arithmetic, 16>(sweep, shared_bytes, stream);
    default:
      return launch<Arithmetic, 32>(sweep, shared_bytes, stream);
  }
}

}  // namespace

class GpuTable::Implementation {
 public:
  Implementation(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules, int device)
      : table_{main, match, scoring, rules},
        device_(find_device(device)),
        strip_rows_(section_strip_rows(table_.rows(), scoring.symbols(), device_.shared_bytes)) {
    require_valid(main, match, scoring, rules);
    if (!fits_section_profile(scoring))
      throw std::invalid_argument("scores from " + std::to_string(scoring.lowest()) + " to " +
                                  std::to_string(scoring.highest()) + " of a pair: on a GPU they have 14 bits");
    if (strip_rows_ == 0)
      throw core::Unavailable("GPU " + std::to_string(device) + " has " + std::to_string(device_.shared_bytes) +
                              " bytes of shared memory, and " + std::to_string(scoring.symbols()) + " symbols need " +
                              std::to_string(section_profile_bytes(8, scoring.symbols())));
    const std::int64_t tile = 32 * strip_rows_;
    padded_rows_ = (table_.rows() + tile - 1) / tile * tile;
    // One wave of blocks in 16 bits; in 32 bits it is two.
    slots_ = static_cast<std::int32_t>(
        std::clamp<std::int64_t>((table_.columns() + options_.shortest - 1) / options_.shortest, 1,
                                 std::int64_t{2} * warps_per_block * device_.multiprocessors));
  }

  void allocate() {
    device_.use();
    const auto slots = static_cast<std::size_t>(slots_);
    const auto states = slots * static_cast<std::size_t>(padded_rows_);
    const std::size_t kept = slots * static_cast<std::size_t>(2 * strip_rows_ * 32);
    std::size_t needed = table_.main.size() + table_.match.size() + 2 * table_.scoring.scores().size() +
                         2 * sizeof(RowState) * states + 4 * kept + sizeof(FoundCell) * list_capacity +
                         (sizeof(SectionTask) + 2 * sizeof(int)) * slots + (std::size_t{32} << 20);
    const DeviceMemory memory = device_memory();
    std::size_t border_cells = 0;
    if (table_.rows() > 32 * strip_rows_) {
      // Sections of 32 bits have a border each. Shorter ones need less of it.
      const std::size_t least = slots * static_cast<std::size_t>(2 * options_.shortest);
      const std::size_t most = slots * static_cast<std::size_t>(options_.longest + options_.lead);
      border_cells = std::clamp(memory.available / 8 / sizeof(Border), least, most);
      options_.longest = static_cast<std::int64_t>(border_cells / slots) - options_.lead;
      needed += sizeof(Border) * border_cells;
    }
    memory.require(needed, "a table of " + std::to_string(table_.rows()) + " rows");
    device_bytes_ = needed;
    main_ = DeviceBuffer<std::uint8_t>(table_.main.size());
    match_ = DeviceBuffer<std::uint8_t>(table_.match.size());
    scores_ = DeviceBuffer<std::int16_t>(table_.scoring.scores().size());
    begins_ = DeviceBuffer<RowState>(states);
    ends_ = DeviceBuffer<RowState>(states);
    kept_ = DeviceBuffer<std::uint32_t>(kept);
    found_ = DeviceBuffer<FoundCell>(list_capacity);
    found_count_ = DeviceBuffer<unsigned long long>(1);
    overflowed_ = DeviceBuffer<unsigned int>(1);
    tasks_ = DeviceBuffer<SectionTask>(slots);
    agree_ = DeviceBuffer<int>(slots);
    slot_list_ = DeviceBuffer<std::int32_t>(slots);
    borders_ = DeviceBuffer<Border>(border_cells);
  }

  void upload(const core::Stream& stream) {
    device_.use();
    const std::vector<std::int16_t> scores(table_.scoring.scores().begin(), table_.scoring.scores().end());
    core::copy_async(main_.data(), table_.main.data(), table_.main.size(), stream);
    core::copy_async(match_.data(), table_.match.data(), table_.match.size(), stream);
    core::copy_async(scores_.data(), scores.data(), scores.size(), stream);
    stream.synchronize();
  }

  void run(const core::Stream& stream) {
    device_.use();
    stream_ = &stream;
    // The table's border: a gap that has cost nothing yet has no effect, so all zeros do.
    if (begins_.size() > 0)
      core::check(
          cudaMemsetAsync(begins_.data(), 0, static_cast<std::size_t>(padded_rows_) * sizeof(RowState), stream.get()));
    endpoints_ = GpuRounds<Implementation>(*this, table_, options_).run();
    stream_ = nullptr;
  }

  // What GpuRounds asks of a device.
  std::int32_t slots() const { return slots_; }
  SweepOutcome sweep(const std::vector<SectionTask>& tasks, std::int32_t lead, std::int32_t threshold, bool wide,
                     std::vector<FoundCell>& found) {
    return wide ? sweep_as<Single32>(tasks, lead, threshold, found) : sweep_as<Pair16>(tasks, lead, threshold, found);
  }
  std::vector<char> agree(std::int32_t count) {
    std::vector<int> same(static_cast<std::size_t>(count), 1);
    if (count > 1) {
      agree_kernel<<<static_cast<unsigned>(count - 1), 256, 0, stream_->get()>>>(
          begins_.data(), ends_.data(), table_.rows(), padded_rows_, agree_.data());
      core::check(cudaGetLastError());
      core::copy_async(same.data() + 1, agree_.data() + 1, same.size() - 1, *stream_);
      stream_->synchronize();
    }
    return {same.begin(), same.end()};
  }
  void take_over(const std::vector<std::int32_t>& slots) {
    core::copy_async(slot_list_.data(), slots.data(), slots.size(), *stream_);
    take_over_kernel<<<static_cast<unsigned>(slots.size()), 256, 0, stream_->get()>>>(begins_.data(), ends_.data(),
                                                                                      slot_list_.data(), padded_rows_);
    core::check(cudaGetLastError());
    stream_->synchronize();  // the list may go away
  }
  void next_round(std::int32_t slot) {
    core::copy_async(begins_.data(), static_cast<const RowState*>(ends_.data()) + slot * padded_rows_,
                     static_cast<std::size_t>(padded_rows_), *stream_);
  }

  const Endpoints& endpoints() const { return endpoints_; }
  std::size_t device_bytes() const { return device_bytes_; }

 private:
  template <class Arithmetic>
  SweepOutcome sweep_as(const std::vector<SectionTask>& tasks, std::int32_t lead, std::int32_t threshold,
                        std::vector<FoundCell>& found) {
    SectionSweep s = section_constants<Arithmetic>(table_);
    if (threshold > s.limit) return SweepOutcome::scores_too_large;
    std::int64_t longest = 0;
    for (const SectionTask& task : tasks) longest = std::max(longest, task.last - task.first);
    core::copy_async(tasks_.data(), tasks.data(), tasks.size(), *stream_);
    core::fill_bytes_async(found_count_, 0, *stream_);
    core::fill_bytes_async(overflowed_, 0, *stream_);
    s.main = main_.data();
    s.match = match_.data();
    s.scores = scores_.data();
    s.tasks = tasks_.data();
    s.task_count = static_cast<std::int32_t>(tasks.size());
    s.lead = lead;
    s.begins = begins_.data();
    s.ends = ends_.data();
    s.padded_rows = padded_rows_;
    s.threshold = threshold;
    s.found = found_.data();
    s.found_count = found_count_.data();
    s.capacity = list_capacity;
    s.overflowed = overflowed_.data();
    s.borders = borders_.data();
    s.border_columns = lead + longest;
    s.kept = kept_.data();
    launch<Arithmetic>(strip_rows_, s, section_profile_bytes(strip_rows_, s.symbols), *stream_);
    unsigned long long count = 0;
    unsigned int overflowed = 0;
    core::copy_async(&count, found_count_.data(), 1, *stream_);
    core::copy_async(&overflowed, overflowed_.data(), 1, *stream_);
    stream_->synchronize();
    if (overflowed) return SweepOutcome::scores_too_large;
    if (count > list_capacity) return SweepOutcome::too_many_candidates;
    found.resize(count);
    if (count > 0) core::copy_async(found.data(), found_.data(), found.size(), *stream_);
    stream_->synchronize();
    return SweepOutcome::complete;
  }

  const TableProblem table_;
  DeviceLimits device_;
  int strip_rows_;
  GpuRoundOptions options_;
  std::int64_t padded_rows_ = 0;
  std::int32_t slots_ = 1;
  std::size_t device_bytes_ = 0;
  const core::Stream* stream_ = nullptr;
  Endpoints endpoints_;

  DeviceBuffer<std::uint8_t> main_, match_;
  DeviceBuffer<std::int16_t> scores_;
  DeviceBuffer<RowState> begins_, ends_;
  DeviceBuffer<std::uint32_t> kept_;
  DeviceBuffer<FoundCell> found_;
  DeviceBuffer<unsigned long long> found_count_;
  DeviceBuffer<unsigned int> overflowed_;
  DeviceBuffer<SectionTask> tasks_;
  DeviceBuffer<int> agree_;
  DeviceBuffer<std::int32_t> slot_list_;
  DeviceBuffer<Border> borders_;
};

GpuTable::GpuTable(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules, int device)
    : implementation_(std::make_unique<Implementation>(main, match, scoring, rules, device)) {}
GpuTable::GpuTable(GpuTable&&) noexcept = default;
GpuTable& GpuTable::operator=(GpuTable&&) noexcept = default;
GpuTable::~GpuTable() = default;
void GpuTable::allocate() { implementation_->allocate(); }
void GpuTable::upload(const core::Stream& stream) { implementation_->upload(stream); }
void GpuTable::run(const core::Stream& stream) { implementation_->run(stream); }
const Endpoints& GpuTable::endpoints() const { return implementation_->endpoints(); }
std::size_t GpuTable::device_bytes() const { return implementation_->device_bytes(); }
std::int64_t GpuTable::sections() const { return implementation_->slots(); }

}  // namespace speedwell::alignment::ssca1
