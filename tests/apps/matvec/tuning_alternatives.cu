#include "speedwell/apps/matvec/row_kernels.hpp"
#include "tests/apps/matvec/tuning.hpp"

namespace speedwell::matvec {
namespace {

using kernels::Cache;

// A warp for `Rows` rows, Rows x Unroll loads in flight for each lane; of A, `KeptMiB` stay in the second-level cache.
template <class T, int Rows, int Unroll, Cache cache, int Threads, std::int64_t KeptMiB = 0>
void lanes(const Operands<T>& p, const core::Stream& stream) {
  const std::int64_t kept = KeptMiB * 1024 * 1024 / static_cast<std::int64_t>(sizeof(T)) / p.leading;
  kernels::launch_by_lanes<T, kernels::wide<T>, 32, Rows, Unroll, cache, Threads>(
      p, 32, kernels::blocks_of_lanes<Rows, Threads>(p.rows, 32), kept, stream);
}
// A block for each row.
template <class T, int Unroll, Cache cache, int Threads>
void block(const Operands<T>& p, const core::Stream& stream) {
  kernels::launch_by_block<T, kernels::wide<T>, 1, Unroll, cache, Threads>(p, p.columns, 1, 0, stream);
}

template <class T>
constexpr Alternative<T> table[] = {
    {"warp, 2 rows x 4, past L1, 128 threads", lanes<T, 2, 4, Cache::pass, 128>},
    {"warp, 2 rows x 4, kept, 128 threads", lanes<T, 2, 4, Cache::keep, 128>},
    {"warp, 2 rows x 4, streamed, 128 threads", lanes<T, 2, 4, Cache::stream, 128>},
    {"warp, 2 rows x 4, 24 MiB stay in L2, 128 threads", lanes<T, 2, 4, Cache::divided, 128, 24>},
    {"warp, 2 rows x 4, 36 MiB stay in L2, 128 threads", lanes<T, 2, 4, Cache::divided, 128, 36>},
    {"warp, 2 rows x 4, past L1, 256 threads", lanes<T, 2, 4, Cache::pass, 256>},
    {"warp, 2 rows x 2, past L1, 128 threads", lanes<T, 2, 2, Cache::pass, 128>},
    {"warp, 1 row x 8, past L1, 128 threads", lanes<T, 1, 8, Cache::pass, 128>},
    {"warp, 1 row x 4, past L1, 128 threads", lanes<T, 1, 4, Cache::pass, 128>},
    {"warp, 4 rows x 2, past L1, 128 threads", lanes<T, 4, 2, Cache::pass, 128>},
    {"block, 1 row x 4, past L1, 256 threads", block<T, 4, Cache::pass, 256>},
    {"block, 1 row x 8, past L1, 128 threads", block<T, 8, Cache::pass, 128>},
    {"block, 1 row x 2, past L1, 512 threads", block<T, 2, Cache::pass, 512>},
};

}  // namespace

template <class T>
std::span<const Alternative<T>> alternatives() {
  return table<T>;
}
template std::span<const Alternative<float>> alternatives<float>();
template std::span<const Alternative<double>> alternatives<double>();

}  // namespace speedwell::matvec
