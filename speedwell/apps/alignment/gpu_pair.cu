// GpuPair's memory and its choice of a kernel.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/band_kernel.hpp"
#include "speedwell/apps/alignment/band_plan.hpp"
#include "speedwell/apps/alignment/gpu_pair.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::alignment {
namespace {

using core::DeviceBuffer;

struct Choice {
  BandVariant variant{};
  int warps = 0;
  Window window{};
};

/// Relative time of a pair: what the multiprocessors do, the bands that wait at the begin and at the end, and the last
/// round of bands if it does not fill the device.
double expected_time(const BandVariant& variant, int warps, int multiprocessors, std::int64_t rows,
                     std::int64_t chunks) {
  constexpr double busy_warps = 8;  // fill a multiprocessor
  const double step = variant.strip_rows + 1.5;
  const double bands = static_cast<double>((rows + 64 * variant.strip_rows - 1) / (64 * variant.strip_rows));
  const double resident = static_cast<double>(warps) * multiprocessors, busy = busy_warps * multiprocessors;
  const double last = bands - resident * static_cast<double>(static_cast<std::int64_t>(bands / resident));
  const double n = static_cast<double>(chunks);
  double time = bands * n * step / multiprocessors + 3 * busy_warps * busy * step;
  if (last > 0 && last < busy) time += n * busy_warps * step * (1 - last / busy);
  return time;
}

}  // namespace

class GpuPair::Implementation {
 public:
  explicit Implementation(int device) : device_(device) {
    const int count = core::device_count();
    if (device < 0 || device >= count)
      throw core::Unavailable("no GPU " + std::to_string(device) + ": this process sees " + std::to_string(count));
    core::check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device));
    core::check(cudaDeviceGetAttribute(&shared_bytes_, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  }

  void allocate(Codes query, Codes subject, const Scoring& scoring, const GpuPairTuning& tuning);
  void upload(const core::Stream& stream);
  void poison(const core::Stream& stream);
  void enqueue(const core::Stream& stream);
  void download(const core::Stream& stream);

  EndPoint end() const { return end_; }
  std::size_t device_bytes() const { return device_bytes_; }
  GpuPairTuning tuning() const { return {choice_.variant.strip_rows, choice_.warps}; }

 private:
  void use_device() const { core::check(cudaSetDevice(device_)); }
  Choice choose(const Scoring& scoring, const GpuPairTuning& tuning) const;
  bool empty() const { return query_.empty() || subject_.empty(); }

  int device_, multiprocessors_ = 0, shared_bytes_ = 0;
  Codes query_, subject_;
  LetterClasses classes_;
  Choice choice_;
  BandLaunch launch_{};
  std::size_t device_bytes_ = 0;
  EndPoint end_;
  std::vector<BandBest> results_;

  DeviceBuffer<std::uint8_t> query_codes_, subject_codes_, query_classes_;
  DeviceBuffer<std::uint16_t> columns_;
  DeviceBuffer<std::uint32_t> border_;
  DeviceBuffer<std::int32_t> border_base_;
  DeviceBuffer<std::int8_t> class_scores_;
  DeviceBuffer<unsigned long long> counters_;  // next band, known
  DeviceBuffer<long long> progress_;
  DeviceBuffer<BandBest> results_device_;
};

Choice GpuPair::Implementation::choose(const Scoring& scoring, const GpuPairTuning& tuning) const {
  std::optional<Choice> best;
  double best_time = 0;
  const auto rows = static_cast<std::int64_t>(query_.size());
  for (const BandVariant& variant : band_variants()) {
    if (variant.pair_table != (classes_.count <= PairScores::most_classes)) continue;
    if (tuning.strip_rows > 0 && variant.strip_rows != tuning.strip_rows) continue;
    const int fit = warps_of_block(variant, classes_.count, static_cast<std::size_t>(shared_bytes_));
    const int warps = tuning.block_warps > 0 ? tuning.block_warps : fit;
    if (fit < 1 || warps > fit) continue;
    const std::optional<Window> window =
        find_window(64 * variant.strip_rows, classes_.highest, scoring.gap_open, scoring.gap_extend);
    if (!window) continue;
    const double time = expected_time(variant, warps, multiprocessors_, rows,
                                      band_chunks(static_cast<std::int64_t>(subject_.size())));
    if (!best || time < best_time) {
      best = Choice{variant, warps, *window};
      best_time = time;
    }
  }
  if (!best)
    throw std::invalid_argument("scores up to " + std::to_string(classes_.highest) + " with gap costs " +
                                std::to_string(scoring.gap_open) + ", " + std::to_string(scoring.gap_extend) +
                                " are too far apart for 16 bits, or no kernel has the strips and warps asked for");
  return *best;
}

void GpuPair::Implementation::allocate(Codes query, Codes subject, const Scoring& scoring,
                                       const GpuPairTuning& tuning) {
  require_exact(scoring, scoring.matrix.alphabet(), scoring.matrix.alphabet(), query.size(), subject.size());
  use_device();
  query_ = query;
  subject_ = subject;
  end_ = {};
  device_bytes_ = 0;
  if (empty()) return;
  classes_ = classify(query, subject, scoring.matrix);
  choice_ = choose(scoring, tuning);

  const auto chunks = static_cast<std::size_t>(band_chunks(static_cast<std::int64_t>(subject.size())));
  const std::size_t band_rows = 64 * static_cast<std::size_t>(choice_.variant.strip_rows);
  const std::size_t bands = (query.size() + band_rows - 1) / band_rows;
  const std::size_t border = chunks * chunk_columns, columns = columns_before + border + columns_after;
  const std::size_t bytes = 2 * query.size() + subject.size() + sizeof(std::uint16_t) * columns +
                            sizeof(std::uint32_t) * border + sizeof(std::int32_t) * (chunks + 2) +
                            (sizeof(long long) + sizeof(BandBest)) * bands + code_limit * code_limit;
  // Memory is handed out in pieces of up to 2 MiB, so that each of the ten buffers may take that much more. What this
  // object holds already counts as available.
  constexpr std::size_t rounding_bytes = 10 * (std::size_t{2} << 20);
  query_codes_ = {}, subject_codes_ = {}, query_classes_ = {}, columns_ = {}, border_ = {}, border_base_ = {};
  class_scores_ = {}, counters_ = {}, progress_ = {}, results_device_ = {};
  std::size_t available = 0, total = 0;
  core::check(cudaMemGetInfo(&available, &total));
  if (bytes + rounding_bytes > available)
    throw core::Unavailable("a pair of " + std::to_string(query.size()) + " and " + std::to_string(subject.size()) +
                            " letters needs " + std::to_string(bytes + rounding_bytes) + " bytes of device memory; " +
                            std::to_string(available) + " are available");
  query_codes_ = DeviceBuffer<std::uint8_t>(query.size());
  subject_codes_ = DeviceBuffer<std::uint8_t>(subject.size());
  query_classes_ = DeviceBuffer<std::uint8_t>(query.size());
  columns_ = DeviceBuffer<std::uint16_t>(columns);
  border_ = DeviceBuffer<std::uint32_t>(border);
  border_base_ = DeviceBuffer<std::int32_t>(chunks + 2);
  class_scores_ = DeviceBuffer<std::int8_t>(classes_.scores.size());
  counters_ = DeviceBuffer<unsigned long long>(2);
  progress_ = DeviceBuffer<long long>(bands);
  results_device_ = DeviceBuffer<BandBest>(bands);
  results_.assign(bands, BandBest{});
  device_bytes_ = bytes;

  launch_ = {.problem = {.query = query_classes_.data(),
                         .columns = columns_.data() + columns_before,
                         .query_length = static_cast<std::int64_t>(query.size()),
                         .subject_length = static_cast<std::int64_t>(subject.size()),
                         .chunks = static_cast<std::int64_t>(chunks),
                         .classes = classes_.count,
                         .constants = Pair16::constants(scoring.gap_open, scoring.gap_extend),
                         .window = choice_.window,
                         .border = border_.data(),
                         .border_base = border_base_.data()},
             .bands = static_cast<std::int64_t>(bands),
             .class_scores = class_scores_.data(),
             .next_band = counters_.data(),
             .known = counters_.data() + 1,
             .progress = progress_.data(),
             .results = results_device_.data()};
}

void GpuPair::Implementation::upload(const core::Stream& stream) {
  if (empty()) return;
  use_device();
  core::copy_async(query_codes_.data(), query_.data(), query_.size(), stream);
  core::copy_async(subject_codes_.data(), subject_.data(), subject_.size(), stream);
  core::copy_async(class_scores_.data(), classes_.scores.data(), classes_.scores.size(), stream);
  BandLetters letters{.query_codes = query_codes_.data(),
                      .subject_codes = subject_codes_.data(),
                      .query = query_classes_.data(),
                      .columns = columns_.data(),
                      .of_code = {}};
  std::copy(classes_.of_code.begin(), classes_.of_code.end(), letters.of_code);
  enqueue_letters(choice_.variant, letters, launch_.problem, stream);
  stream.synchronize();
}

void GpuPair::Implementation::poison(const core::Stream& stream) {
  end_ = {-1, -1, -1};
  if (empty()) return;
  use_device();
  core::fill_bytes_async(results_device_, 0xff, stream);
}

void GpuPair::Implementation::enqueue(const core::Stream& stream) {
  if (empty()) return;
  use_device();
  const auto blocks = std::min<std::int64_t>(multiprocessors_, launch_.bands);
  enqueue_bands(choice_.variant, launch_, static_cast<int>(blocks), choice_.warps, stream);
}

void GpuPair::Implementation::download(const core::Stream& stream) {
  end_ = {};
  if (empty()) return;
  use_device();
  core::copy_async(results_.data(), results_device_.data(), results_.size(), stream);
  stream.synchronize();
  for (const BandBest& best : results_)  // from the first rows to the last
    if (best.score > end_.score) end_ = {best.score, best.row, best.column};
}

GpuPair::GpuPair(int device) : implementation_(std::make_unique<Implementation>(device)) {}
GpuPair::GpuPair(GpuPair&&) noexcept = default;
GpuPair& GpuPair::operator=(GpuPair&&) noexcept = default;
GpuPair::~GpuPair() = default;

EndPoint GpuPair::find_end(Codes query, Codes subject, const Scoring& scoring) {
  implementation_->allocate(query, subject, scoring, {});
  const core::Stream stream;
  implementation_->upload(stream);
  implementation_->enqueue(stream);
  implementation_->download(stream);
  return implementation_->end();
}

void GpuPair::allocate(Codes query, Codes subject, const Scoring& scoring, const GpuPairTuning& tuning) {
  implementation_->allocate(query, subject, scoring, tuning);
}
void GpuPair::upload(const core::Stream& stream) { implementation_->upload(stream); }
void GpuPair::poison(const core::Stream& stream) { implementation_->poison(stream); }
void GpuPair::enqueue(const core::Stream& stream) { implementation_->enqueue(stream); }
void GpuPair::download(const core::Stream& stream) { implementation_->download(stream); }
EndPoint GpuPair::end() const { return implementation_->end(); }
std::size_t GpuPair::device_bytes() const { return implementation_->device_bytes(); }
GpuPairTuning GpuPair::tuning() const { return implementation_->tuning(); }

}  // namespace speedwell::alignment
