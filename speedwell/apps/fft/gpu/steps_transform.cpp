#include "speedwell/apps/fft/gpu/steps_transform.hpp"

#include <algorithm>

#include "speedwell/apps/fft/gpu/elementwise.hpp"

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
  const std::int64_t at_a_time = lines_at_a_time(method_, job.lines);
  for (std::int64_t first = 0; first < job.lines; first += at_a_time) {
    Job<T> part = job;
    part.lines = std::min(at_a_time, job.lines - first);
    part.in_place = from_line(job.in_place, first);
    part.out_place = from_line(job.out_place, first);
    run_part(part, work, stream);
  }
}

// Lines that are no rows become rows of a second work space.
template <class T>
void StepsTransform<T>::run_part(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const {
  if (is_row_place(job.in_place) && is_row_place(job.out_place)) return run_rows(job, work, stream);
  const Gathered<T> lines{job.lines, method_.n, method_.n};
  Complex<T>* const rows = work + job.lines * method_.n;
  gather(lines, job.in, job.in_place, job.sign_in, rows, stream);
  run_rows({rows, rows, job.lines, row_place(method_.n), row_place(method_.n)}, work, stream);
  scatter(lines, rows, job.out, job.out_place, job.sign_out, job.scale, stream);
}

// The work space is [line][k_0]...[k_i-1][n_i][n_i+1]..., k being what has been transformed.
template <class T>
void StepsTransform<T>::run_rows(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const {
  std::int64_t done = job.lines, length = method_.n;
  for (std::size_t i = 0; i + 1 < factors_.size(); ++i) {
    const std::int64_t factor = method_.factors[i], columns = length / factor;
    const Place place = column_place(factor, columns);
    Job<T> columns_job{work, work, done * columns, place, place};
    if (i == 0) {
      columns_job.in = job.in;
      columns_job.sign_in = job.sign_in;
      columns_job.in_place.step[2] = job.in_place.step[2];
      columns_job.in_place.first = job.in_place.first * columns;
    }
    factors_[i]->run_turned(columns_job, roots_[i]->roots(), columns, stream);
    done *= factor;
    length = columns;
  }
  run_last(job, work, stream);
}

// Of factors a, b (and c): line l's row k_0 (k_1) to its points k_0 + a (k_1 + b k_2), those with neighbouring k_0 side
// by side.
template <class T>
void StepsTransform<T>::run_last(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const {
  const std::int64_t n = method_.n, last = method_.factors.back(), rows = n / last, a = method_.factors[0],
                     b = rows / a;
  const Place in{.element = 1, .count = {a, b}, .step = {b * last, last, n}};
  const Place out{
      .element = rows, .count = {rows, 1}, .step = {1, 0, job.out_place.step[2]}, .first = job.out_place.first * rows};
  factors_.back()->run({work, job.out, job.lines * rows, in, out, T{1}, job.sign_out, job.scale}, nullptr, stream);
}

template class StepsTransform<float>;
template class StepsTransform<double>;

}  // namespace speedwell::fft::gpu
