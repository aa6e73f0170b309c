#include "speedwell/apps/fft/gpu/pass.hpp"
#include "tests/apps/fft/gpu_alternatives.hpp"

namespace speedwell::fft {
namespace {

/// f.template operator()<threads>() for each size of block that holds a line.
template <class T, int log_n, class F>
void for_each_size(F f) {
  constexpr int most = gpu::resident_threads<T>, width = gpu::Line<T, log_n>::width;
  if constexpr (most >= width) f.template operator()<most>();
  if constexpr (most / 2 >= width) f.template operator()<most / 2>();
  if constexpr (most / 4 >= width) f.template operator()<most / 4>();
  if constexpr (most / 8 >= width) f.template operator()<most / 8>();
}

template <class T, int log_n = 6, class F>
void for_length(int log, F f) {
  if constexpr (log_n <= gpu::most_log<T>) {
    if (log == log_n)
      f.template operator()<log_n>();
    else
      for_length<T, log_n + 1>(log, f);
  }
}

}  // namespace

template <class T>
std::vector<int> alternative_threads(int log_n, bool columns) {
  std::vector<int> sizes;
  for_length<T>(log_n, [&]<int log>() {
    for_each_size<T, log>([&]<int threads>() {
      const bool is_wide = threads >= gpu::resident_threads<T> / 2;
      if (log <= 10 ? is_wide || !columns : !columns) sizes.push_back(threads);
    });
  });
  return sizes;
}

template <class T>
void run_alternative(int log_n, bool columns, int threads, const gpu::Pass<T>& pass, const gpu::Complex<T>* in,
                     gpu::Complex<T>* out, const core::Stream& stream) {
  const gpu::FromMemory<T> load{in};
  const gpu::ToMemory<T> store{out};
  for_length<T>(log_n, [&]<int log>() {
    for_each_size<T, log>([&]<int size>() {
      if (size != threads) return;
      if constexpr (log <= 10 && size >= gpu::resident_threads<T> / 2)
        if (columns) gpu::detail::launch<gpu::Block<T, log, gpu::Lines::columns, size>>(pass, load, store, stream);
      if (!columns) gpu::detail::launch<gpu::Block<T, log, gpu::Lines::rows, size>>(pass, load, store, stream);
    });
  });
}

template std::vector<int> alternative_threads<float>(int, bool);
template std::vector<int> alternative_threads<double>(int, bool);
template void run_alternative(int, bool, int, const gpu::Pass<float>&, const gpu::Complex<float>*, gpu::Complex<float>*,
                              const core::Stream&);
template void run_alternative(int, bool, int, const gpu::Pass<double>&, const gpu::Complex<double>*,
                              gpu::Complex<double>*, const core::Stream&);

}  // namespace speedwell::fft
