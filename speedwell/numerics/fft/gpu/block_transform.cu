#include <bit>
#include <string>

#include "speedwell/numerics/fft/gpu/block_transform.hpp"
#include "speedwell/numerics/fft/gpu/device/line.hpp"
#include "speedwell/numerics/fft/gpu/kernels/passes.hpp"
#include "speedwell/numerics/fft/gpu/kernels/smooth_pass.hpp"

namespace speedwell::fft::gpu {
namespace {

// Checks the shared memory of a block with a single line, which long lines need; the maximum depends on the GPU.
void require_shared_memory(std::int64_t n, std::int64_t bytes) {
  const int max_bytes = core::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  if (bytes > max_bytes)
    throw core::Unavailable("fft: lines of " + std::to_string(n) + " points take " + std::to_string(bytes) +
                            " bytes of shared memory; a block of this GPU has at most " + std::to_string(max_bytes));
}

}  // namespace

template <class T>
BlockTransform<T>::BlockTransform(std::int64_t n, const core::Stream& stream) {
  if (const auto size = static_cast<std::uint64_t>(n); std::has_single_bit(size)) {
    log_n_ = std::countr_zero(size);
    require_shared_memory(n, padded(static_cast<int>(n)) * static_cast<std::int64_t>(sizeof(Complex<T>)));
    table_ = on_device<T>(line_table<T>(log_n_), stream);
  } else {
    smooth_ = smooth_line(n);
    require_shared_memory(n, 2 * smooth_.pitch() * static_cast<std::int64_t>(sizeof(Complex<T>)));
    table_ = on_device<T>(smooth_table<T>(smooth_), stream);
  }
}

template <class T>
void BlockTransform<T>::run(const Job<T>& job, Complex<T>*, const core::Stream& stream) const {
  const Pass<T> pass{job.lines, job.in_layout, job.out_layout, table_.data()};
  const FromMemory<T> in{job.in, job.sign_in};
  const ToMemory<T> out{job.out, job.scale, job.sign_out};
  if (log_n_ < 0)
    transform_smooth(smooth_, pass, in, out, stream);
  else if (job.in_layout.element != 1)
    transform_columns(log_n_, pass, in, out, stream);
  else if (job.out_layout.element == 1)
    transform_rows(log_n_, pass, in, out, stream);
  else
    transpose_rows(log_n_, pass, in, out, stream);
}

template <class T>
void BlockTransform<T>::run_with_twiddles(const Job<T>& job, const Roots<T>& roots, std::int64_t columns,
                                          const core::Stream& stream) const {
  const Pass<T> pass{job.lines, job.in_layout, job.out_layout, table_.data()};
  const FromMemory<T> in{job.in, job.sign_in};
  const ToMemoryWithTwiddles<T> out{job.out, roots, columns};
  if (log_n_ < 0)
    transform_smooth(smooth_, pass, in, out, stream);
  else
    transform_columns(log_n_, pass, in, out, stream);
}

template class BlockTransform<float>;
template class BlockTransform<double>;

}  // namespace speedwell::fft::gpu
