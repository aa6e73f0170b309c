#include <bit>

#include "speedwell/apps/fft/gpu/line_transform.hpp"
#include "speedwell/apps/fft/gpu/passes.hpp"
#include "speedwell/apps/fft/gpu/power_transform.hpp"
#include "speedwell/apps/fft/gpu/tables.hpp"

namespace speedwell::fft::gpu {

template <class T>
PowerTransform<T>::PowerTransform(int log_n, const core::Stream& stream)
    : log_n_(log_n), table_(on_device<T>(line_table<T>(log_n), stream)) {}

template <class T>
void PowerTransform<T>::run(const Job<T>& job, Complex<T>*, const core::Stream& stream) const {
  const Pass<T> pass{job.lines, job.in_place, job.out_place, table_.data()};
  const FromMemory<T> in{job.in, job.sign};
  const ToMemory<T> out{job.out, job.scale, job.sign};
  if (job.in_place.element != 1)
    transform_columns(log_n_, pass, in, out, stream);
  else if (job.out_place.element == 1)
    transform_rows(log_n_, pass, in, out, stream);
  else
    transpose_rows(log_n_, pass, in, out, stream);
}

template class PowerTransform<float>;
template class PowerTransform<double>;

template <class T>
std::unique_ptr<LineTransform<T>> make_line_transform(std::int64_t n, const core::Stream& stream) {
  if (std::has_single_bit(static_cast<std::uint64_t>(n)) && n <= std::int64_t{1} << most_log<T>)
    return std::make_unique<PowerTransform<T>>(std::countr_zero(static_cast<std::uint64_t>(n)), stream);
  throw core::Unavailable("fft: no GPU transform of this length yet");
}

template std::unique_ptr<LineTransform<float>> make_line_transform(std::int64_t, const core::Stream&);
template std::unique_ptr<LineTransform<double>> make_line_transform(std::int64_t, const core::Stream&);

}  // namespace speedwell::fft::gpu
