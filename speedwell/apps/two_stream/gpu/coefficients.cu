// Coefficients of all layers, which are independent of each other.
#include <algorithm>

#include "speedwell/apps/two_stream/cuda.hpp"
#include "speedwell/apps/two_stream/gpu/device_layer.hpp"

namespace speedwell::two_stream {
namespace {

// The study's blocks: 16 threads along the layers, a row apart in memory.
constexpr int study_layers = 16;
constexpr int block = 256;
// A block processes rows with the same columns in turn, and keeps their mu0.
constexpr unsigned max_rows = 65535;

template <class T, bool Sun>
__global__ void __launch_bounds__(block)
    along_columns(Atmosphere<T> a, Terms<T> terms, bool delta, Coefficients<T> to) {
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * block + threadIdx.x;
  if (column >= a.columns) return;
  const T cosine = Sun ? a.mu0[column] : T(1), mu0 = cosine > T(0) ? cosine : T(1);
  for (std::int64_t row = blockIdx.y; row < a.points * a.layers; row += gridDim.y) {
    const std::int64_t k = row * a.columns + column;
    put(to, k, transfer<T, Sun>(a.optical_depth[k], a.albedo[k], a.asymmetry[k], mu0, T(1) / mu0, terms, delta, true),
        Sun);
  }
}

template <class T, bool Sun>
__global__ void along_layers(Atmosphere<T> a, Terms<T> terms, bool delta, Coefficients<T> to) {
  const std::int64_t rows = a.points * a.layers;
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * study_layers + threadIdx.y; row < rows;
       row += static_cast<std::int64_t>(gridDim.y) * study_layers) {
    const std::int64_t column = blockIdx.x, k = row * a.columns + column;
    const T cosine = Sun ? a.mu0[column] : T(1), mu0 = cosine > T(0) ? cosine : T(1);
    put(to, k, transfer<T, Sun>(a.optical_depth[k], a.albedo[k], a.asymmetry[k], mu0, T(1) / mu0, terms, delta, true),
        Sun);
  }
}

}  // namespace

template <class T>
void coefficients(const Atmosphere<T>& a, const Options& options, const Coefficients<T>& to,
                  const core::Stream& stream) {
  const dim3 blocks(static_cast<unsigned>(core::blocks_for(a.columns, block)),
                    static_cast<unsigned>(std::min<std::int64_t>(a.points * a.layers, max_rows)));
  const Terms<T> terms(terms_of(options.closure));
  if (a.source == Source::sun)
    along_columns<T, true><<<blocks, block, 0, stream.get()>>>(a, terms, options.delta, to);
  else
    along_columns<T, false><<<blocks, block, 0, stream.get()>>>(a, terms, options.delta, to);
  core::check(cudaGetLastError());
}

template <class T>
void coefficients_study(const Atmosphere<T>& a, const Options& options, const Coefficients<T>& to,
                        const core::Stream& stream) {
  const std::int64_t rows = core::blocks_for(a.points * a.layers, study_layers);
  const dim3 blocks(static_cast<unsigned>(a.columns), static_cast<unsigned>(std::min<std::int64_t>(rows, max_rows)));
  const dim3 threads(1, study_layers);
  const Terms<T> terms(terms_of(options.closure));
  if (a.source == Source::sun)
    along_layers<T, true><<<blocks, threads, 0, stream.get()>>>(a, terms, options.delta, to);
  else
    along_layers<T, false><<<blocks, threads, 0, stream.get()>>>(a, terms, options.delta, to);
  core::check(cudaGetLastError());
}

template void coefficients(const Atmosphere<float>&, const Options&, const Coefficients<float>&, const core::Stream&);
template void coefficients(const Atmosphere<double>&, const Options&, const Coefficients<double>&, const core::Stream&);
template void coefficients_study(const Atmosphere<float>&, const Options&, const Coefficients<float>&,
                                 const core::Stream&);
template void coefficients_study(const Atmosphere<double>&, const Options&, const Coefficients<double>&,
                                 const core::Stream&);

}  // namespace speedwell::two_stream
