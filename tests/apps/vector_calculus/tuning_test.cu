// The bandwidth of stencil operations for each shape of their blocks, from which the numbers in gpu/evaluate.hpp come.
// A program of its own, vector_calculus_tuning, for a quiet GPU; see the README.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "speedwell/apps/vector_calculus/gpu/evaluate.hpp"
#include "speedwell/apps/vector_calculus/gpu/operations.hpp"
#include "speedwell/apps/vector_calculus/operations/operation_expression.hpp"
#include "speedwell/core/random.hpp"

namespace speedwell::vector_calculus {
namespace {

template <class Enqueue>
double median_seconds(const core::Stream& stream, const Enqueue& enqueue) {
  core::Event begin, end;
  std::vector<double> seconds;
  enqueue();
  for (int repeat = 0; repeat < 11; ++repeat) {
    begin.record(stream);
    enqueue();
    end.record(stream);
    stream.synchronize();
    seconds.push_back(end.seconds_since(begin));
  }
  std::nth_element(seconds.begin(), seconds.begin() + 5, seconds.end());
  return seconds[5];
}

template <Operation o, Layout layout, int rows, int column>
double gigabytes(const Operands<double>& operands, double* out, const core::Stream& stream) {
  constexpr OperationInfo of = operations[static_cast<int>(o)];
  const double bytes = 8.0 * words(of) * static_cast<double>(operands.grid->size());
  return 1e-9 * bytes / median_seconds(stream, [&] {
           device::evaluate_neighbours<rows, column, of.components, layout>(
               expression_of<o, layout, MemorySpace::device>(operands), out, *operands.grid, stream);
         });
}

template <Operation o, Layout layout, int... shape>
void shapes(const Operands<double>& operands, double* out, const core::Stream& stream) {
  std::printf("%-9s %s", info(o).name.data(), to_string(layout).data());
  (std::printf("  %dx%d %5.0f", shape / 100, shape % 100,
               gigabytes<o, layout, shape / 100, shape % 100>(operands, out, stream)),
   ...);
  std::printf(" GB/s\n");
}
template <Operation o>
void of_both_layouts(const Operands<double>& operands, double* out, const core::Stream& stream) {
  // Rows of a block, a hundred times, and points of a thread.
  shapes<o, Layout::aos, 404, 408, 804, 808, 816, 1604, 1608, 1616, 3204, 3208>(operands, out, stream);
  shapes<o, Layout::soa, 404, 408, 804, 808, 816, 1604, 1608, 1616, 3204, 3208>(operands, out, stream);
}

__global__ void fill_kernel(double* field, std::int64_t size) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * 256 + threadIdx.x;
  if (i < size) field[i] = 2 * core::random_uniform(1, i) - 1;
}

TEST(VectorCalculusTuning, TimesOfShapes) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const Grid g{256, 256, 256, 0.5, 0.25, 0.125};
  const core::Stream stream;
  core::DeviceBuffer<double> f(g.size()), a(3 * g.size()), b(3 * g.size()), out(3 * g.size());
  for (auto* field : {&f, &a, &b})
    fill_kernel<<<static_cast<unsigned>(core::blocks_for(field->size(), 256)), 256, 0, stream.get()>>>(field->data(),
                                                                                                       field->size());
  const double copy = median_seconds(stream, [&] { core::copy_async(out.data(), a.data(), a.size(), stream); });
  std::printf("copy of a vector field by the driver: %.0f GB/s\n", 2e-9 * static_cast<double>(a.bytes()) / copy);
  const Operands<double> o{&g, f.data(), nullptr, a.data(), b.data()};
  for (const Operation operation : {Operation::copy, Operation::cross, Operation::dot})
    for (const Layout layout : {Layout::aos, Layout::soa})
      std::printf("%-9s %s  %5.0f GB/s\n", info(operation).name.data(), to_string(layout).data(),
                  8e-9 * words(info(operation)) * static_cast<double>(g.size()) /
                      median_seconds(stream, [&] { gpu_apply(operation, layout, o, out.data(), stream); }));
  of_both_layouts<Operation::grad>(o, out.data(), stream);
  of_both_layouts<Operation::div>(o, out.data(), stream);
  of_both_layouts<Operation::curl>(o, out.data(), stream);
  of_both_layouts<Operation::helicity>(o, out.data(), stream);
  of_both_layouts<Operation::laplacian>(o, out.data(), stream);
  of_both_layouts<Operation::curl_grad>(o, out.data(), stream);
}

}  // namespace
}  // namespace speedwell::vector_calculus
