// The bandwidth of what looks at neighbours by the shape of its blocks: what the numbers in gpu/evaluate.hpp come from.
// Run by hand, on a quiet GPU; see the README.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "speedwell/apps/vector_calculus/gpu/evaluate.hpp"
#include "speedwell/apps/vector_calculus/gpu/operations.hpp"
#include "speedwell/apps/vector_calculus/operation_expression.hpp"
#include "speedwell/core/random.hpp"
#include "tests/apps/vector_calculus/tuning_tiles.hpp"

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
               expression_of<o, layout, Place::device>(operands), out, *operands.grid, stream);
         });
}

template <Operation o, Layout layout>
void by_ring(const Operands<double>& operands, double* out, int planes, const core::Stream& stream) {
  device::evaluate_by_ring<8, operations[static_cast<int>(o)].components, layout>(
      expression_of<o, layout, Place::device>(operands), out, *operands.grid, planes, stream);
}

template <Operation o, Layout layout>
double gigabytes_by_ring(const Operands<double>& operands, double* out, int planes, const core::Stream& stream) {
  const double bytes = 8.0 * words(info(o)) * static_cast<double>(operands.grid->size());
  return 1e-9 * bytes / median_seconds(stream, [&] { by_ring<o, layout>(operands, out, planes, stream); });
}

template <Operation o, Layout layout>
void shapes(const Operands<double>& operands, double* out, const core::Stream& stream) {
  std::printf("%-9s %s  4x1 %5.0f  8x1 %5.0f  16x1 %5.0f  8x2 %5.0f  4x4 %5.0f  8x4 %5.0f", info(o).name.data(),
              to_string(layout).data(), gigabytes<o, layout, 4, 1>(operands, out, stream),
              gigabytes<o, layout, 8, 1>(operands, out, stream), gigabytes<o, layout, 16, 1>(operands, out, stream),
              gigabytes<o, layout, 8, 2>(operands, out, stream), gigabytes<o, layout, 4, 4>(operands, out, stream),
              gigabytes<o, layout, 8, 4>(operands, out, stream));
  for (const int planes : {16, 32, 64})
    std::printf("  ring of %d %5.0f", planes, gigabytes_by_ring<o, layout>(operands, out, planes, stream));
  std::printf(" GB/s\n");
  // The ring's answer is the other's.
  Operands<double> small = operands;
  const Grid g{70, 9, 11, 0.5, 0.25, 0.125};
  small.grid = &g;
  const auto words_of = static_cast<std::size_t>(info(o).components * g.size());
  std::vector<double> expected(words_of), got(words_of);
  gpu_apply(o, layout, small, out, stream);
  core::copy_async(expected.data(), out, words_of, stream);
  by_ring<o, layout>(small, out, 4, stream);
  core::copy_async(got.data(), out, words_of, stream);
  stream.synchronize();
  for (std::size_t w = 0; w < words_of; ++w) ASSERT_NEAR(got[w], expected[w], 1e-12) << w;  // of terms up to 300
}

__global__ void fill_kernel(double* field, std::int64_t size) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * 256 + threadIdx.x;
  if (i < size) field[i] = 2 * core::random_uniform(1, i) - 1;
}

TEST(VectorCalculusOnGpu, DISABLED_TuningTimesOfShapes) {
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
  shapes<Operation::grad, Layout::aos>(o, out.data(), stream);
  shapes<Operation::grad, Layout::soa>(o, out.data(), stream);
  shapes<Operation::div, Layout::aos>(o, out.data(), stream);
  shapes<Operation::div, Layout::soa>(o, out.data(), stream);
  shapes<Operation::curl, Layout::aos>(o, out.data(), stream);
  shapes<Operation::curl, Layout::soa>(o, out.data(), stream);
  shapes<Operation::helicity, Layout::aos>(o, out.data(), stream);
  shapes<Operation::helicity, Layout::soa>(o, out.data(), stream);
}

}  // namespace
}  // namespace speedwell::vector_calculus
