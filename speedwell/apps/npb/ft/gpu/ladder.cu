// The transforms of the 2018 study and of the work that it compares with: one axis after the other, one thread per
// line, by radix-2 passes of Stockham's algorithm between two arrays in device memory.
#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "speedwell/apps/npb/ft/gpu/launch.hpp"
#include "speedwell/apps/npb/ft/gpu/lines.hpp"

namespace speedwell::npb::ft {
namespace {

constexpr int threads_per_block = 128;

// An axis: the layouts of its lines in the field and in the work space, and the other operands of a transform along it.
struct Axis {
  Lines in_field, in_work;
  std::int64_t points, lines;  // of the field
  double2* work[2];
  const double2* roots;
  std::int64_t root_stride;
  bool backward;

  __device__ double2* result() const { return work[in_work.log_n % 2]; }
};

__device__ std::int64_t thread_of_grid() { return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

// Transforms from work[0] to axis.result().
__device__ void transform_line(const Axis& axis, std::int64_t line) {
  const std::int64_t first = axis.in_work.index(line, 0);
  stockham(
      axis.in_work, axis.work[0] + first, axis.work[1] + first,
      [&](std::int64_t k) { return axis.roots[k * axis.root_stride]; }, axis.backward);
}

__global__ void whole_kernel(Axis axis, const double2* in, double2* out) {
  const std::int64_t line = thread_of_grid(), n = std::int64_t{1} << axis.in_work.log_n;
  if (line >= axis.lines) return;
  for (std::int64_t e = 0; e < n; ++e) axis.work[0][axis.in_work.index(line, e)] = in[axis.in_field.index(line, e)];
  transform_line(axis, line);
  for (std::int64_t e = 0; e < n; ++e) out[axis.in_field.index(line, e)] = axis.result()[axis.in_work.index(line, e)];
}

__global__ void copy_in_kernel(Axis axis, const double2* in) {
  const std::int64_t i = thread_of_grid();
  if (i < axis.points) axis.work[0][axis.in_work.index(axis.in_field.line_at(i), axis.in_field.point_at(i))] = in[i];
}
__global__ void transform_kernel(Axis axis) {
  if (const std::int64_t line = thread_of_grid(); line < axis.lines) transform_line(axis, line);
}
__global__ void copy_out_kernel(Axis axis, double2* out) {
  const std::int64_t i = thread_of_grid();
  if (i < axis.points) out[i] = axis.result()[axis.in_work.index(axis.in_field.line_at(i), axis.in_field.point_at(i))];
}

unsigned blocks_for(std::int64_t threads) {
  return static_cast<unsigned>(core::blocks_for(threads, threads_per_block));
}

void one_kernel(const Axis& axis, const double2* in, double2* out, const core::Stream& stream) {
  whole_kernel<<<blocks_for(axis.lines), threads_per_block, 0, stream.get()>>>(axis, in, out);
}
void three_kernels(const Axis& axis, const double2* in, double2* out, const core::Stream& stream) {
  copy_in_kernel<<<blocks_for(axis.points), threads_per_block, 0, stream.get()>>>(axis, in);
  transform_kernel<<<blocks_for(axis.lines), threads_per_block, 0, stream.get()>>>(axis);
  copy_out_kernel<<<blocks_for(axis.points), threads_per_block, 0, stream.get()>>>(axis, out);
}

enum class Layout { contiguous, interleaved };

// Transforms along x, y and z. Interleaved lines are those of a plane along x, [z][x][y], and along y, [z][y][x], and
// all lines along z, which the study calls vertical.
template <Layout layout, void (*along_axis)(const Axis&, const double2*, double2*, const core::Stream&)>
void transform(const Operands& p, const double2* in, double2* out, bool backward, const core::Stream& stream) {
  const auto log = [](std::int64_t n) { return std::bit_width(static_cast<std::uint64_t>(n)) - 1; };
  const int x = log(p.problem.nx), y = log(p.problem.ny), z = log(p.problem.nz);
  const int largest = std::max({x, y, z});
  const struct { int log_n, log_inner, log_interleaved; } axes[] = {{x, 0, y}, {y, x, x}, {z, x + y, x + y}};
  for (const auto& [n, inner, interleaved] : axes) {
    const Axis axis = {.in_field = {n, inner},
                       .in_work = {n, layout == Layout::interleaved ? interleaved : 0},
                       .points = points(p.problem),
                       .lines = points(p.problem) >> n,
                       .work = {p.work[0], p.work[1]},
                       .roots = p.roots,
                       .root_stride = std::int64_t{1} << (largest - n),
                       .backward = backward};
    along_axis(axis, in, out, stream);
    core::check(cudaGetLastError());
    in = out;
  }
}

}  // namespace

Transform* transform_of(std::string_view step) {
  if (step == "cuda-one-kernel") return transform<Layout::contiguous, one_kernel>;
  if (step == "cuda-three-kernels") return transform<Layout::contiguous, three_kernels>;
  if (step == "cuda-layouts") return transform<Layout::interleaved, three_kernels>;
  throw std::logic_error("ft has no step '" + std::string(step) + "'");
}

}  // namespace speedwell::npb::ft
