#include "speedwell/numerics/fft/gpu/convolution_transform.hpp"

#include <algorithm>

#include "speedwell/numerics/fft/gpu/block_transform.hpp"
#include "speedwell/numerics/fft/gpu/kernels/convolution.hpp"
#include "speedwell/numerics/fft/gpu/kernels/elementwise.hpp"
#include "speedwell/numerics/fft/gpu/tables.hpp"

namespace speedwell::fft::gpu {

template <class T>
ConvolutionTransform<T>::ConvolutionTransform(const LineMethod& method, const core::Stream& stream)
    : method_(method),
      longer_(make_line_transform<T>(method.longer, stream)),
      chirp_(on_device<T>(chirp_table<T>(method.n), stream)),
      table_(on_device<T>(convolution_table<T>(method.n, method.longer), stream)) {}

template <class T>
void ConvolutionTransform<T>::run(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const {
  const auto* block = dynamic_cast<const BlockTransform<T>*>(longer_.get());
  if (block == nullptr) return run_in_work_space(job, work, stream);
  convolve<T>({static_cast<int>(method_.n), block->log_n(), chirp_.data(), table_.data()},
              {job.lines, job.in_layout, job.out_layout, block->table()}, {job.in, job.sign_in},
              {job.out, job.scale, job.sign_out}, stream);
}

template <class T>
void ConvolutionTransform<T>::run_in_work_space(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const {
  const std::int64_t batch_lines = lines_per_batch(method_, job.lines), longer = method_.longer;
  Complex<T>* const rest = work + batch_lines * longer;
  for (std::int64_t first = 0; first < job.lines; first += batch_lines) {
    const std::int64_t lines = std::min(batch_lines, job.lines - first);
    const GatheredLines<T> gathered{lines, method_.n, longer, chirp_.data()};
    Job<T> convolution{work, work, lines, row_layout(longer), row_layout(longer)};
    gather(gathered, job.in, from_line(job.in_layout, first), job.sign_in, work, stream);
    longer_->run(convolution, rest, stream);
    multiply(work, lines, longer, table_.data(), stream);
    convolution.sign_in = convolution.sign_out = -1;
    longer_->run(convolution, rest, stream);
    scatter(gathered, work, job.out, from_line(job.out_layout, first), job.sign_out, job.scale, stream);
  }
}

template class ConvolutionTransform<float>;
template class ConvolutionTransform<double>;

}  // namespace speedwell::fft::gpu
