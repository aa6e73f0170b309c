// One product on all cores, in the way that was asked for: strip by strip, plane by plane, or column by column.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "speedwell/apps/stencil/contract.hpp"
#include "speedwell/apps/stencil/rows.hpp"
#include "speedwell/apps/stencil/stencil.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::stencil {
namespace {

// Three planes of a strip in half of a second-level cache of 1 MiB, which is what a core has at least today.
constexpr std::int64_t strip_bytes = 512 * 1024;
constexpr std::int64_t block_side = 8;  // the study's, on a processor

template <class T>
std::int64_t strip_rows(const Grid& g) {
  return std::clamp<std::int64_t>(strip_bytes / (3 * static_cast<std::int64_t>(sizeof(T)) * g.nx), 4, g.ny);
}

constexpr std::int64_t least_rows = 4;  // of a thread, for those beside are read, too

// Memories of this machine, each near to some of its cores: the directories of nodes that Linux has.
std::int64_t memories() {
  static const std::int64_t count = [] {
    std::int64_t found = 0;
    while (access(("/sys/devices/system/node/node" + std::to_string(found)).c_str(), F_OK) == 0) ++found;
    return std::max<std::int64_t>(found, 1);
  }();
  return count;
}

// Stores past the caches pay where the fields are far larger than those: see stream::streaming_wins().
bool beyond_the_caches(double bytes) {
  static const double cache = static_cast<double>(std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), long{1} << 20));
  static const double share = 16.0 * (1 << 20) * static_cast<double>(std::max(sysconf(_SC_NPROCESSORS_ONLN), long{1}));
  return bytes > std::min(cache, share);
}

// visit(begin, n, j, k) for every piece of a row, each once; then end() on every thread. Rows are given to threads
// whole, by planes where there are enough of them.
template <class Visit, class End>
void for_each_row(const Grid& g, int threads, std::int64_t strip, Marching marching, const Visit& visit,
                  const End& end_of_thread) {
  const std::int64_t across = marching == Marching::blocks ? (g.ny + block_side - 1) / block_side : 1;
  const std::int64_t along = marching == Marching::blocks ? (g.nx + block_side - 1) / block_side : 1;
  if (marching == Marching::blocks) {
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (std::int64_t block = 0; block < across * along; ++block) {
      const std::int64_t i = block % along * block_side, j0 = block / along * block_side;
      for (std::int64_t k = 0; k < g.nz; ++k)
        for (std::int64_t j = j0; j < std::min(g.ny, j0 + block_side); ++j)
          visit(i, std::min(block_side, g.nx - i), j, k);
    }
    return;
  }
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
#ifdef _OPENMP
    const std::int64_t rank = omp_get_thread_num(), ranks = omp_get_num_threads();
#else
    const std::int64_t rank = 0, ranks = 1;
#endif
    // Threads side by side along y march along z together, so that all of them are in the same planes, of which few
    // pages of memory are open at a time; but those of another memory have planes of their own, as fields are laid out.
    const std::int64_t groups =
        marching == Marching::strips && g.ny >= least_rows * ranks && ranks % memories() == 0 ? memories() : ranks;
    const std::int64_t members = ranks / groups, member = rank % members, group = rank / members;
    const std::int64_t j_begin = g.ny * member / members, j_end = g.ny * (member + 1) / members;
    const std::int64_t begin = g.nz * group / groups, end = g.nz * (group + 1) / groups;
    if (groups == ranks && g.nz < 2 * ranks) {  // few planes: rows are divided instead, so that every thread has some
      const std::int64_t rows = g.nz * g.ny;
      for (std::int64_t row = rows * rank / ranks; row < rows * (rank + 1) / ranks; ++row)
        visit(0, g.nx, row % g.ny, row / g.ny);
    } else {
      for (std::int64_t j0 = j_begin; j0 < j_end; j0 += strip)
        for (std::int64_t k = begin; k < end; ++k)
          for (std::int64_t j = j0; j < std::min(j_end, j0 + strip); ++j) visit(0, g.nx, j, k);
    }
    end_of_thread();
  }
}

}  // namespace

template <class T>
void multiply(const Operator<T>& a, std::span<const T> x, std::span<T> y, const HostOptions& options) {
  require_product(a, x, y);
  const int threads = core::resolve_threads(options.threads);
  const Grid& g = a.grid;
  const std::vector<T> zeros(a.boundary == Boundary::zero ? static_cast<std::size_t>(g.nx) : 0, T(0));
  const auto kernel = row_kernels<T>(core::best_isa(), a.form).product;
  const bool streaming = options.marching != Marching::blocks &&
                         beyond_the_caches(static_cast<double>(y.size_bytes()) * (2 + cell_fields(a.form)));
  const std::int64_t strip = options.marching == Marching::planes ? g.ny : strip_rows<T>(g);
  for_each_row(
      g, threads, strip, options.marching,
      [&](std::int64_t i, std::int64_t n, std::int64_t j, std::int64_t k) {
        Row<T> row = row_of(a, i, n, j, k);
        point_at(row, a, x.data(), zeros.data(), i, j, k);
        row.out = y.data() + g.cell(i, j, k);
        kernel(row, streaming);
      },
      [&] {
        if (streaming) streaming_fence();
      });
}

template <class T>
double multiply_and_dot(const Operator<T>& a, std::span<const T> x, std::span<T> y, const HostOptions& options) {
  require_product(a, x, y);
  const Grid& g = a.grid;
  const std::vector<T> zeros(a.boundary == Boundary::zero ? static_cast<std::size_t>(g.nx) : 0, T(0));
  const auto kernel = row_kernels<T>(core::best_isa(), a.form).product_and_dot;
  std::vector<double> rows(static_cast<std::size_t>(g.ny * g.nz));
  for_each_row(
      g, core::resolve_threads(options.threads), strip_rows<T>(g), Marching::strips,
      [&](std::int64_t i, std::int64_t n, std::int64_t j, std::int64_t k) {
        Row<T> row = row_of(a, i, n, j, k);
        point_at(row, a, x.data(), zeros.data(), i, j, k);
        row.out = y.data() + g.cell(i, j, k);
        rows[static_cast<std::size_t>(k * g.ny + j)] = kernel(row);
      },
      [] {});
  return staged_sum(rows);
}

double staged_sum(std::span<const double> values) {
  if (values.size() <= 128) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum;
  }
  const std::size_t half = values.size() / 2;
  return staged_sum(values.first(half)) + staged_sum(values.subspan(half));
}

template void multiply(const Operator<float>&, std::span<const float>, std::span<float>, const HostOptions&);
template void multiply(const Operator<double>&, std::span<const double>, std::span<double>, const HostOptions&);
template double multiply_and_dot(const Operator<float>&, std::span<const float>, std::span<float>, const HostOptions&);
template double multiply_and_dot(const Operator<double>&, std::span<const double>, std::span<double>,
                                 const HostOptions&);

}  // namespace speedwell::stencil
