#include "speedwell/numerics/fft/gpu/steps_transform.hpp"

#include <algorithm>

#include "speedwell/numerics/fft/gpu/kernels/elementwise.hpp"

namespace speedwell::fft::gpu {

template <class T>
StepsTransform<T>::StepsTransform(const LineMethod& method, const core::Stream& stream) : method_(method) {
  std::int64_t length = method.n;
  for (const std::int64_t factor : method.factors) {
    factors_.push_back(std::make_unique<BlockTransform<T>>(factor, stream));
    if (factor < length) roots_.push_back(std::make_unique<RootsOnDevice<T>>(length, stream));
    length /= factor;
  }
}

template <class T>
void StepsTransform<T>::run(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const {
  const std::int64_t batch_lines = lines_per_batch(method_, job.lines);
  for (std::int64_t first = 0; first < job.lines; first += batch_lines) {
    Job<T> batch = job;
    batch.lines = std::min(batch_lines, job.lines - first);
    batch.in_layout = from_line(job.in_layout, first);
    batch.out_layout = from_line(job.out_layout, first);
    run_batch(batch, work, stream);
  }
}

// Lines that are not contiguous are copied to rows of a second work space.
template <class T>
void StepsTransform<T>::run_batch(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const {
  if (is_row_layout(job.in_layout) && is_row_layout(job.out_layout)) return run_rows(job, work, stream);
  const GatheredLines<T> lines{job.lines, method_.n, method_.n};
  Complex<T>* const rows = work + job.lines * method_.n;
  gather(lines, job.in, job.in_layout, job.sign_in, rows, stream);
  run_rows({rows, rows, job.lines, row_layout(method_.n), row_layout(method_.n)}, work, stream);
  scatter(lines, rows, job.out, job.out_layout, job.sign_out, job.scale, stream);
}

// The work space is [line][k_0]...[k_i-1][n_i][n_i+1]...; the k are transformed already.
template <class T>
void StepsTransform<T>::run_rows(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const {
  std::int64_t done = job.lines, length = method_.n;
  for (std::size_t i = 0; i + 1 < factors_.size(); ++i) {
    const std::int64_t factor = method_.factors[i], columns = length / factor;
    const LineLayout layout = column_layout(factor, columns);
    Job<T> columns_job{work, work, done * columns, layout, layout};
    if (i == 0) {
      columns_job.in = job.in;
      columns_job.sign_in = job.sign_in;
      columns_job.in_layout.step[2] = job.in_layout.step[2];
      columns_job.in_layout.first = job.in_layout.first * columns;
    }
    factors_[i]->run_with_twiddles(columns_job, roots_[i]->roots(), columns, stream);
    done *= factor;
    length = columns;
  }
  run_last(job, work, stream);
}

// With factors a, b (and c): row k_0 (k_1) of line l is stored to the points k_0 + a (k_1 + b k_2) of the line; rows
// with neighbouring k_0 are contiguous.
template <class T>
void StepsTransform<T>::run_last(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const {
  const std::int64_t n = method_.n, last = method_.factors.back(), rows = n / last, a = method_.factors[0],
                     b = rows / a;
  const LineLayout in{.element = 1, .count = {a, b}, .step = {b * last, last, n}};
  const LineLayout out{.element = rows,
                       .count = {rows, 1},
                       .step = {1, 0, job.out_layout.step[2]},
                       .first = job.out_layout.first * rows};
  factors_.back()->run({work, job.out, job.lines * rows, in, out, T{1}, job.sign_out, job.scale}, nullptr, stream);
}

template class StepsTransform<float>;
template class StepsTransform<double>;

}  // namespace speedwell::fft::gpu
