// The memory of GpuSearch: its size on the device, which is checked before the allocation, and the copies.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string>

#include "speedwell/apps/alignment/gpu/device_limits.hpp"
#include "speedwell/apps/alignment/gpu/search_kernels.hpp"
#include "speedwell/apps/alignment/gpu/search_plan.hpp"
#include "speedwell/apps/alignment/gpu_search.hpp"
#include "speedwell/apps/alignment/gpu_steps.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::alignment {
namespace {

using core::DeviceBuffer;

template <class T>
void copy_in(DeviceBuffer<T>& to, std::span<const T> from, const core::Stream& stream) {
  if (!from.empty()) core::copy_async(to.data(), from.data(), from.size(), stream);
}
template <class T>
void copy_in(DeviceBuffer<T>& to, const std::vector<T>& from, const core::Stream& stream) {
  copy_in(to, std::span<const T>(from), stream);
}

/// CUDA allocates in pieces of up to 2 MiB, so that each of the 16 buffers may take so much more than its size.
constexpr std::size_t rounding_bytes = 16 * (std::size_t{2} << 20);

/// Elements of every buffer of a search: they are counted first, so that memory is allocated only if all of it is
/// available.
struct Sizes {
  std::size_t codes, residues, offsets, first_column, order, sorted_position;  // the database
  std::size_t query_codes, queries, chunks, results, wide_list;                // the search
  std::size_t scratch;                                                         // borders, of the minimum size

  std::size_t database_bytes() const {
    return codes + residues + 8 * offsets + 8 * first_column + 4 * order + 4 * sorted_position;
  }
  std::size_t search_bytes() const {
    return query_codes + (sizeof(QuerySpan) + 4) * queries + sizeof(Chunk) * chunks + 4 * results + 4 * wide_list +
           code_limit * code_limit + rounding_bytes;
  }
};

}  // namespace

class GpuSearch::Implementation {
 public:
  Implementation(const SequenceSet& subjects, int device, Lanes lanes)
      : subjects_(subjects), device_(find_device(device)), lanes_(lanes), paired_(pair_subjects(subjects)) {}

  void allocate(const SequenceSet& queries, const Scoring& scoring);
  void upload_subjects(const core::Stream& stream);
  void upload_queries(const core::Stream& stream);
  void poison(const core::Stream& stream);
  void enqueue(const core::Stream& stream);
  void download(const core::Stream& stream);

  bool database_uploaded() const { return database_uploaded_; }
  std::vector<std::int32_t>& scores() { return scores_; }
  std::size_t device_bytes() const { return device_bytes_; }
  int blocks() const { return pair_blocks_; }

 private:
  void use_device() const { device_.use(); }
  int alphabet_size() const { return static_cast<int>(symbols(subjects_.alphabet()).size()); }
  Sizes count(std::size_t chunks) const;
  void plan_launches(std::size_t scratch_limit);

  const SequenceSet& subjects_;
  DeviceLimits device_;
  Lanes lanes_;
  PairedSubjects paired_;
  bool database_uploaded_ = false;

  // the search passed to allocate()
  const SequenceSet* queries_ = nullptr;
  std::vector<QuerySpan> query_spans_;
  std::vector<std::uint32_t> longest_first_;
  std::vector<Chunk> chunks_;
  std::array<std::int8_t, code_limit * code_limit> score_table_{};
  std::vector<std::int32_t> scores_;
  int profile_bytes_ = 0, pair_blocks_ = 0, blocks32_ = 0;
  bool may_need_32_bits_ = false;
  std::uint64_t pair_slot_ = 0, slot32_ = 0;  // columns of border per block
  std::size_t device_bytes_ = 0;
  SearchData data_;

  DeviceBuffer<std::uint8_t> codes_, residues_, query_codes_;
  DeviceBuffer<std::uint64_t> offsets_, first_column_;
  DeviceBuffer<std::uint32_t> order_, sorted_position_, longest_first_device_, wide_list_;
  DeviceBuffer<QuerySpan> query_spans_device_;
  DeviceBuffer<Chunk> chunks_device_;
  DeviceBuffer<std::int8_t> score_table_device_;
  DeviceBuffer<Border> scratch_;
  DeviceBuffer<unsigned long long> next_item_;
  DeviceBuffer<unsigned int> wide_count_;
  DeviceBuffer<std::int32_t> results_;
};

Sizes GpuSearch::Implementation::count(std::size_t chunks) const {
  const std::size_t results = queries_->size() * subjects_.size();
  return {.codes = subjects_.residues(),
          .residues = 2 * static_cast<std::size_t>(paired_.first_column.back()),
          .offsets = subjects_.size() + 1,
          .first_column = paired_.first_column.size(),
          .order = paired_.order.size(),
          .sorted_position = paired_.sorted_position.size(),
          .query_codes = queries_->residues(),
          .queries = queries_->size(),
          .chunks = chunks,
          .results = results,
          .wide_list = may_need_32_bits_ ? std::min(results, wide_window) : 0,
          .scratch = std::max(pair_slot_, slot32_)};
}

/// Blocks of both kernels: limited by the device, by the work, and by `scratch_limit` columns of border.
void GpuSearch::Implementation::plan_launches(std::size_t scratch_limit) {
  const auto fit = [&](std::uint64_t slot, std::uint64_t work, int resident) {
    std::uint64_t blocks = std::min<std::uint64_t>(static_cast<std::uint64_t>(resident), work);
    if (slot > 0) blocks = std::min<std::uint64_t>(blocks, scratch_limit / slot);
    return static_cast<int>(blocks);
  };
  const std::uint64_t items = static_cast<std::uint64_t>(chunks_.size()) * queries_->size();
  pair_blocks_ =
      fit(pair_slot_, items, pair_blocks_per_multiprocessor(data_, profile_bytes_) * device_.multiprocessors);
  blocks32_ = 0;
  if (may_need_32_bits_)
    blocks32_ = fit(slot32_, queries_->size() * subjects_.size(),
                    blocks_per_multiprocessor32(alphabet_size()) * device_.multiprocessors);
}

void GpuSearch::Implementation::allocate(const SequenceSet& queries, const Scoring& scoring) {
  check_search(queries, subjects_, scoring);
  if (queries.size() > 0xfffffff0u || subjects_.size() > PTRDIFF_MAX / 8 / std::max<std::size_t>(queries.size(), 1))
    throw std::invalid_argument(std::to_string(queries.size()) + " queries against " +
                                std::to_string(subjects_.size()) + " subjects: more scores than can be counted");
  use_device();
  queries_ = &queries;
  query_spans_.resize(queries.size());
  for (std::size_t q = 0; q < queries.size(); ++q)
    query_spans_[q] = {.begin = queries.offsets()[q], .length = static_cast<std::int32_t>(queries.length(q))};
  longest_first_.resize(queries.size());
  std::iota(longest_first_.begin(), longest_first_.end(), 0u);
  std::stable_sort(longest_first_.begin(), longest_first_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return queries.length(a) > queries.length(b); });
  for (int a = 0; a < code_limit; ++a)
    for (int b = 0; b < code_limit; ++b)
      score_table_[static_cast<std::size_t>(a * code_limit + b)] = static_cast<std::int8_t>(scoring.matrix.score(a, b));

  data_ = {};
  set_scoring(data_, scoring, lanes_ != Lanes::sixteen_bits);
  data_.costs_in_code = lanes_ == Lanes::best;
  // Widest tiles first: the number of resident blocks depends on their profiles, and the chunks on the blocks.
  const auto longest_query = static_cast<std::int64_t>(queries.longest());
  profile_bytes_ = profile_bytes(std::max(strip_rows(longest_query, 0, 8), 4), alphabet_size());
  const auto resident =
      static_cast<std::size_t>(pair_blocks_per_multiprocessor(data_, profile_bytes_) * device_.multiprocessors);
  chunks_ = plan_chunks(paired_, queries.size(), resident);

  may_need_32_bits_ =
      score_bound(queries.longest(), subjects_.longest(), scoring) > static_cast<std::uint64_t>(data_.limit);
  pair_slot_ = slot32_ = 0;
  for (const Chunk& chunk : chunks_)
    if (longest_query > std::int64_t{chunk.lanes} * max_strip)
      pair_slot_ = std::max(
          pair_slot_, paired_.first_column[chunk.first_pair + chunk.pairs] - paired_.first_column[chunk.first_pair]);
  if (may_need_32_bits_ && longest_query > 32 * wide_strip && paired_.pairs() > 0) slot32_ = paired_.columns(0);

  // Memory that this object has already allocated counts as available.
  const Sizes sizes = count(chunks_.size());
  DeviceMemory memory = device_memory();
  memory.available += device_bytes_;
  const std::size_t fixed = sizes.database_bytes() + sizes.search_bytes();
  memory.require(fixed + sizes.scratch * sizeof(Border), "the search of " + std::to_string(queries.size()) +
                                                             " queries against " + std::to_string(subjects_.size()) +
                                                             " subjects");
  const std::size_t scratch_limit =
      std::max(std::min(memory.total / 8, (memory.available - fixed) / 2) / sizeof(Border), sizes.scratch);
  plan_launches(scratch_limit);
  const std::size_t scratch =
      std::max(pair_slot_ * static_cast<std::uint64_t>(pair_blocks_), slot32_ * static_cast<std::uint64_t>(blocks32_));

  const auto need = [](auto& buffer, std::size_t size) {
    if (buffer.size() == size) return;
    buffer = {};
    buffer = std::remove_reference_t<decltype(buffer)>(size);
  };
  need(codes_, sizes.codes);
  need(residues_, sizes.residues);
  need(offsets_, sizes.offsets);
  need(first_column_, sizes.first_column);
  need(order_, sizes.order);
  need(sorted_position_, sizes.sorted_position);
  need(query_codes_, sizes.query_codes);
  need(query_spans_device_, sizes.queries);
  need(longest_first_device_, sizes.queries);
  need(chunks_device_, sizes.chunks);
  need(score_table_device_, score_table_.size());
  need(scratch_, scratch);
  need(next_item_, 1);
  need(wide_count_, 1);
  need(wide_list_, sizes.wide_list);
  need(results_, sizes.results);
  device_bytes_ = fixed + scratch * sizeof(Border);
  scores_.assign(sizes.results, 0);

  data_.residues = residues_.data();
  data_.first_column = first_column_.data();
  data_.order = order_.data();
  data_.sorted_position = sorted_position_.data();
  data_.subjects = subjects_.size();
  data_.query_codes = query_codes_.data();
  data_.queries = query_spans_device_.data();
  data_.longest_first = longest_first_device_.data();
  data_.query_count = static_cast<std::uint32_t>(queries.size());
  data_.scores = score_table_device_.data();
  data_.alphabet_size = alphabet_size();
  data_.chunks = chunks_device_.data();
  data_.chunk_count = static_cast<std::uint32_t>(chunks_.size());
  data_.next_item = next_item_.data();
  data_.scratch = scratch_.data();
  data_.scratch_columns = pair_slot_;
  data_.scratch_columns32 = slot32_;
  data_.wide_list = wide_list_.data();
  data_.wide_count = wide_count_.data();
  data_.results = results_.data();
}

void GpuSearch::Implementation::upload_subjects(const core::Stream& stream) {
  use_device();
  static_assert(sizeof(std::size_t) == sizeof(std::uint64_t));
  const std::vector<std::uint64_t> offsets(subjects_.offsets().begin(), subjects_.offsets().end());
  copy_in(codes_, subjects_.packed(), stream);
  copy_in(offsets_, offsets, stream);
  copy_in(first_column_, paired_.first_column, stream);
  copy_in(order_, paired_.order, stream);
  copy_in(sorted_position_, paired_.sorted_position, stream);
  enqueue_pack({.codes = codes_.data(),
                .offsets = offsets_.data(),
                .first_column = first_column_.data(),
                .order = order_.data(),
                .pairs = paired_.pairs(),
                .alphabet_size = alphabet_size()},
               paired_.first_column.back(), residues_.data(), stream);
  stream.synchronize();
  database_uploaded_ = true;
}

void GpuSearch::Implementation::upload_queries(const core::Stream& stream) {
  use_device();
  copy_in(query_codes_, queries_->packed(), stream);
  copy_in(query_spans_device_, query_spans_, stream);
  copy_in(longest_first_device_, longest_first_, stream);
  copy_in(chunks_device_, chunks_, stream);
  copy_in(score_table_device_, std::span<const std::int8_t>(score_table_), stream);
  stream.synchronize();
}

void GpuSearch::Implementation::poison(const core::Stream& stream) {
  use_device();
  core::fill_bytes_async(results_, 0xff, stream);
  std::fill(scores_.begin(), scores_.end(), -1);
}

void GpuSearch::Implementation::enqueue(const core::Stream& stream) {
  if (scores_.empty()) return;
  use_device();
  enqueue_pairs(data_, pair_blocks_, profile_bytes_, stream);
  if (may_need_32_bits_) enqueue_search32(data_, blocks32_, stream);
}

void GpuSearch::Implementation::download(const core::Stream& stream) {
  use_device();
  if (!scores_.empty()) core::copy_async(scores_.data(), results_.data(), scores_.size(), stream);
  stream.synchronize();
}

GpuSearch::GpuSearch(const SequenceSet& subjects, int device, Lanes lanes)
    : implementation_(std::make_unique<Implementation>(subjects, device, lanes)) {}
GpuSearch::GpuSearch(GpuSearch&&) noexcept = default;
GpuSearch& GpuSearch::operator=(GpuSearch&&) noexcept = default;
GpuSearch::~GpuSearch() = default;

std::vector<std::int32_t> GpuSearch::search(const SequenceSet& queries, const Scoring& scoring) {
  implementation_->allocate(queries, scoring);
  const core::Stream stream;
  if (!implementation_->database_uploaded()) implementation_->upload_subjects(stream);
  implementation_->upload_queries(stream);
  implementation_->enqueue(stream);
  implementation_->download(stream);
  return std::move(implementation_->scores());
}

std::size_t GpuSearch::device_bytes() const { return implementation_->device_bytes(); }
int GpuSearch::blocks() const { return implementation_->blocks(); }

GpuSearchSteps::GpuSearchSteps(GpuSearch& search, const SequenceSet& queries, const Scoring& scoring)
    : search_(*search.implementation_) {
  search_.allocate(queries, scoring);
}
void GpuSearchSteps::upload(const core::Stream& stream) {
  search_.upload_subjects(stream);
  search_.upload_queries(stream);
}
void GpuSearchSteps::poison(const core::Stream& stream) { search_.poison(stream); }
void GpuSearchSteps::enqueue(const core::Stream& stream) { search_.enqueue(stream); }
void GpuSearchSteps::download(const core::Stream& stream) { search_.download(stream); }
std::span<std::int32_t> GpuSearchSteps::scores() { return search_.scores(); }

}  // namespace speedwell::alignment
