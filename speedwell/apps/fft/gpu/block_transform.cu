#include <bit>
#include <string>

#include "speedwell/apps/fft/gpu/block_transform.hpp"
#include "speedwell/apps/fft/gpu/line.hpp"
#include "speedwell/apps/fft/gpu/passes.hpp"
#include "speedwell/apps/fft/gpu/smooth_pass.hpp"

namespace speedwell::fft::gpu {
namespace {

// Of a block that has one line: what longer lines than most need. Not every GPU lets a block have as much.
void require_shared_memory(std::int64_t n, std::int64_t bytes) {
  int device = 0, most = 0;
  core::check(cudaGetDevice(&device));
  core::check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  if (bytes > most)
    throw core::Unavailable("fft: lines of " + std::to_string(n) + " points take " + std::to_string(bytes) +
                            " bytes of shared memory; a block of this GPU has at most " + std::to_string(most));
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
  const Pass<T> pass{job.lines, job.in_place, job.out_place, table_.data()};
  const FromMemory<T> in{job.in, job.sign_in};
  const ToMemory<T> out{job.out, job.scale, job.sign_out};
  if (log_n_ < 0)
    transform_smooth(smooth_, pass, in, out, stream);
  else if (job.in_place.element != 1)
    transform_columns(log_n_, pass, in, out, stream);
  else if (job.out_place.element == 1)
    transform_rows(log_n_, pass, in, out, stream);
  else
    transpose_rows(log_n_, pass, in, out, stream);
}

template <class T>
void BlockTransform<T>::run_turned(const Job<T>& job, const Roots<T>& roots, std::int64_t columns,
                                   const core::Stream& stream) const {
  const Pass<T> pass{job.lines, job.in_place, job.out_place, table_.data()};
  const FromMemory<T> in{job.in, job.sign_in};
  const ToMemoryTurned<T> out{job.out, roots, columns};
  if (log_n_ < 0)
    transform_smooth(smooth_, pass, in, out, stream);
  else
    transform_columns(log_n_, pass, in, out, stream);
}

template class BlockTransform<float>;
template class BlockTransform<double>;

}  // namespace speedwell::fft::gpu
