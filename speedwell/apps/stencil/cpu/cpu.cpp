// One product on all threads with the requested traversal: by strips, planes, or columns.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "speedwell/apps/stencil/contract.hpp"
#include "speedwell/apps/stencil/cpu/cpu_strips.hpp"
#include "speedwell/apps/stencil/cpu/rows.hpp"
#include "speedwell/apps/stencil/stencil.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::stencil {

// Counts the NUMA node directories of Linux.
std::int64_t numa_nodes() {
  static const std::int64_t count = [] {
    std::int64_t found = 0;
    while (access(("/sys/devices/system/node/node" + std::to_string(found)).c_str(), F_OK) == 0) ++found;
    return std::max<std::int64_t>(found, 1);
  }();
  return count;
}

// Non-temporal stores pay off for fields far larger than the caches: see core::streaming_wins().
bool exceeds_caches(double bytes) {
  static const double cache = static_cast<double>(std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), long{1} << 20));
  static const double share = 16.0 * (1 << 20) * static_cast<double>(std::max(sysconf(_SC_NPROCESSORS_ONLN), long{1}));
  return bytes > std::min(cache, share);
}

template <class T>
void multiply(const Operator<T>& a, std::span<const T> x, std::span<T> y, const HostOptions& options) {
  require_product(a, x, y);
  const int threads = core::resolve_threads(options.threads);
  const Grid& g = a.grid;
  const std::vector<T> zeros(a.boundary == Boundary::zero ? static_cast<std::size_t>(g.nx) : 0, T(0));
  const auto kernel = row_kernels<T>(core::best_isa(), a.form).product;
  const bool streaming = options.traversal != Traversal::blocks &&
                         exceeds_caches(static_cast<double>(y.size_bytes()) * (2 + cell_fields(a.form)));
  const std::int64_t strip = options.traversal == Traversal::planes ? g.ny : strip_rows<T>(g);
  for_each_row(
      g, threads, strip, options.traversal,
      [&](std::int64_t i, std::int64_t n, std::int64_t j, std::int64_t k, const Share&) {
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
      g, core::resolve_threads(options.threads), strip_rows<T>(g), Traversal::strips,
      [&](std::int64_t i, std::int64_t n, std::int64_t j, std::int64_t k, const Share&) {
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
