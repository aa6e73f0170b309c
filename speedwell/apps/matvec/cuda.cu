// The best GPU variant: chooses by shape between the kernels of row_kernels.hpp.
#include <cstdint>

#include "speedwell/apps/matvec/cuda.hpp"
#include "speedwell/apps/matvec/row_kernels.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::matvec {
namespace {

using kernels::Cache;

// The tuning parameters. Each lane has rows x unroll loads in flight, of 16 bytes or, if rows are not aligned to 16
// bytes, of one element.
template <int Width>
struct Tuning {
  static constexpr bool by_element = Width == 1;
  static constexpr Cache cache = Cache::pass;
  // A warp, or part of one, per group of rows.
  static constexpr int lane_threads = 128, lane_rows = 2, lane_unroll = by_element ? 8 : 4;
  // A block per group of rows: one row if there are few, four if rows are divided into pieces, so that B is read a
  // fourth as often.
  static constexpr int block_threads = 256;
  static constexpr int one_unroll = by_element ? 8 : 4, four_unroll = by_element ? 4 : 2;
  // A block per row for many long rows: fewer loads per lane and more lanes.
  static constexpr int long_threads = 512, long_unroll = by_element ? 8 : 2;
};

// H200, f64, 32768 x 16384: 918 us by such blocks, 959 us by a warp for two rows; at 4096 x 4096 32 us by warps and 34
// us by blocks. Hence blocks are used if a row has at least this many vectors of 16 bytes.
constexpr std::int64_t long_row = 8192;

// With fewer rows than this for each multiprocessor, a warp for two rows leaves too few loads in flight.
constexpr std::int64_t few_rows = 16;
// A row is divided only if one block would need more batches than this; for fewer the second pass costs more than it
// saves.
constexpr std::int64_t max_batches = 4;
// Rows are divided until there are this many blocks per multiprocessor, so that few multiprocessors are idle at the
// end.
constexpr std::int64_t blocks_wanted = 16;
// Blocks for short rows loop; each reads at least this many bytes.
constexpr std::int64_t bytes_of_block = 128 * 1024;

// With Cache::divided: bytes of A that stay in the second-level cache from one product to the next.
constexpr std::int64_t kept_bytes = 32 * 1024 * 1024;

struct Plan {
  enum class Kind { lanes, block, long_block, pieces } kind = Kind::lanes;
  int lanes = 32;
  std::int64_t blocks = 1;
  std::int64_t chunk = 0;  // columns per piece
  std::int64_t pieces = 1;
};

constexpr std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a - 1) / b + 1; }

template <class T, int Width>
Plan plan(std::int64_t rows, std::int64_t columns, std::int64_t multiprocessors) {
  using Tune = Tuning<Width>;
  const std::int64_t vectors = quotient_up(columns, Width);
  Plan plan;
  if (!Tune::by_element && vectors >= long_row && rows >= few_rows * multiprocessors) {
    plan.kind = Plan::Kind::long_block;
    plan.chunk = columns;
    return plan;
  }
  plan.lanes = 1;
  while (plan.lanes < 32 && plan.lanes * Tune::lane_unroll < vectors) plan.lanes *= 2;
  if (vectors <= 32 * Tune::lane_unroll || rows >= few_rows * multiprocessors) {
    plan.blocks = kernels::blocks_of_lanes<Tune::lane_rows, Tune::lane_threads>(rows, plan.lanes);
    const std::int64_t bytes = rows * columns * static_cast<std::int64_t>(sizeof(T));
    if (plan.lanes < 32)
      plan.blocks = std::min(plan.blocks, std::max(blocks_wanted * multiprocessors, bytes / bytes_of_block));
    return plan;
  }
  plan.kind = Plan::Kind::block;
  plan.chunk = columns;
  const std::int64_t batch = Tune::block_threads * Tune::one_unroll;
  if (vectors <= max_batches * batch || rows >= 4 * multiprocessors) return plan;
  const std::int64_t pieces = quotient_up(blocks_wanted * multiprocessors, quotient_up(rows, 4));
  const std::int64_t batches = std::max<std::int64_t>(2, quotient_up(quotient_up(vectors, pieces), batch));
  plan.kind = Plan::Kind::pieces;
  plan.chunk = batches * batch * Width;
  plan.pieces = quotient_up(columns, plan.chunk);
  return plan;
}

template <class T>
bool on_16_bytes(const Operands<T>& p) {
  return reinterpret_cast<std::uintptr_t>(p.a) % 16 == 0 && reinterpret_cast<std::uintptr_t>(p.b) % 16 == 0 &&
         p.leading % kernels::wide<T> == 0;
}

template <class T, int Width>
void launch(const Operands<T>& p, const core::Stream& stream) {
  using Tune = Tuning<Width>;
  const Plan chosen = plan<T, Width>(p.rows, p.columns, p.multiprocessors);
  const std::int64_t kept = kept_bytes / static_cast<std::int64_t>(sizeof(T)) / p.leading;
  switch (chosen.kind) {
    case Plan::Kind::lanes:
      if (chosen.lanes == 32)
        kernels::launch_by_lanes<T, Width, 32, Tune::lane_rows, Tune::lane_unroll, Tune::cache, Tune::lane_threads>(
            p, 32, chosen.blocks, kept, stream);
      else
        kernels::launch_by_lanes<T, Width, 0, Tune::lane_rows, Tune::lane_unroll, Tune::cache, Tune::lane_threads>(
            p, chosen.lanes, chosen.blocks, kept, stream);
      return;
    case Plan::Kind::block:
      kernels::launch_by_block<T, Width, 1, Tune::one_unroll, Tune::cache, Tune::block_threads>(p, chosen.chunk, 1,
                                                                                                kept, stream);
      return;
    case Plan::Kind::long_block:
      kernels::launch_by_block<T, Width, 1, Tune::long_unroll, Tune::cache, Tune::long_threads>(p, chosen.chunk, 1,
                                                                                                kept, stream);
      return;
    case Plan::Kind::pieces:
      kernels::launch_by_block<T, Width, 4, Tune::four_unroll, Tune::cache, Tune::block_threads>(
          p, chosen.chunk, chosen.pieces, kept, stream);
      return;
  }
}

template <class T, int Width>
std::string words(const Operands<T>& p) {
  const Plan chosen = plan<T, Width>(p.rows, p.columns, p.multiprocessors);
  const std::string loads = std::to_string(Width * sizeof(T)) + "-byte loads, ";
  switch (chosen.kind) {
    case Plan::Kind::lanes:
      return loads + core::counted(chosen.lanes, "lane") + " for a row";
    case Plan::Kind::block:
    case Plan::Kind::long_block:
      return loads + "a block for a row";
    case Plan::Kind::pieces:
      break;
  }
  return loads + "rows in " + std::to_string(chosen.pieces) + " pieces";
}

}  // namespace

template <class T>
void multiply(const Operands<T>& p, const core::Stream& stream) {
  on_16_bytes(p) ? launch<T, kernels::wide<T>>(p, stream) : launch<T, 1>(p, stream);
}

template <class T>
std::string describe(const Operands<T>& p) {
  return on_16_bytes(p) ? words<T, kernels::wide<T>>(p) : words<T, 1>(p);
}

template <class T>
std::int64_t partial_elements(std::int64_t rows, std::int64_t columns, int multiprocessors) {
  const std::int64_t pieces = std::max(plan<T, kernels::wide<T>>(rows, columns, multiprocessors).pieces,
                                       plan<T, 1>(rows, columns, multiprocessors).pieces);
  return pieces > 1 ? rows * pieces : 0;
}

template void multiply(const Operands<float>&, const core::Stream&);
template void multiply(const Operands<double>&, const core::Stream&);
template std::string describe(const Operands<float>&);
template std::string describe(const Operands<double>&);
template std::int64_t partial_elements<float>(std::int64_t, std::int64_t, int);
template std::int64_t partial_elements<double>(std::int64_t, std::int64_t, int);

}  // namespace speedwell::matvec
