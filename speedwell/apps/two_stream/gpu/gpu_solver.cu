// The memory and the copies of GpuSolver.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "speedwell/apps/two_stream/gpu_solver.hpp"

namespace speedwell::two_stream {
template <class T>
struct GpuSolver<T>::State {
  using Array = const T* Atmosphere<T>::*;

  State(const Atmosphere<T>& given, const Options& with, Method by)
      : shape(given), on_device(given), options(with), method(by) {
    if (method == Method::separate) require_no_clouds(shape);
    for (const auto& [array, size] : arrays()) {
      if (!(shape.*array)) continue;
      buffers.emplace_back(size);
      on_device.*array = buffers.back().data();
    }
    const std::size_t all = static_cast<std::size_t>(shape.points * shape.layers * shape.columns);
    const std::size_t levels = static_cast<std::size_t>((shape.layers + 1) * shape.columns);
    for (int i = 0; i < result_count(); ++i) results.emplace_back(columns() ? levels : all);
    if (method == Method::fused) scratch = core::DeviceBuffer<T>(column_scratch(shape));
    if (method == Method::separate) scratch = core::DeviceBuffer<T>(separate_scratch(shape));
  }

  /// Whether the method computes broadband fluxes of columns, and not coefficients of layers.
  bool columns() const { return method == Method::fused || method == Method::separate; }
  /// Fluxes: up, down and, with a sun, direct. Coefficients: reflected, transmitted, top, bottom and, with a sun,
  /// direct.
  int result_count() const { return (columns() ? 2 : 4) + (shape.source == Source::sun ? 1 : 0); }
  /// `to`: host arrays in the order of `results`; what is null is not copied. It may have entries without a result.
  void download_async(const std::vector<T*>& to, const core::Stream& stream) {
    for (std::size_t i = 0; i < results.size(); ++i)
      if (to[i]) core::copy_async(to[i], results[i].data(), results[i].size(), stream);
  }

  /// The arrays of an atmosphere that this method reads, with their numbers of elements. The constructor and
  /// upload_async() rely on the order: `buffers` has an entry for each of those that `shape` has.
  std::vector<std::pair<Array, std::size_t>> arrays() const {
    using A = Atmosphere<T>;
    const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    const std::int64_t ground = shape.points * shape.columns;
    const std::size_t all = size(ground * shape.layers);
    const bool sun = shape.source == Source::sun;
    std::vector<std::pair<Array, std::size_t>> list = {
        {&A::optical_depth, all}, {&A::albedo, all}, {&A::asymmetry, all}};
    if (sun) list.push_back({&A::mu0, size(shape.columns)});
    if (!columns()) return list;
    list.push_back({&A::weight, size(shape.points)});
    if (sun)
      for (const Array array : {&A::incident, &A::ground_direct, &A::ground_diffuse})
        list.push_back({array, size(ground)});
    else {
      list.push_back({&A::planck_level, size(ground * (shape.layers + 1))});
      list.push_back({&A::planck_middle, all});
      for (const Array array : {&A::planck_ground, &A::emissivity}) list.push_back({array, size(ground)});
    }
    list.push_back({&A::cloud_fraction, size(2 * shape.layers * shape.columns)});
    for (const Array array : {&A::cloud_optical_depth, &A::cloud_albedo, &A::cloud_asymmetry})
      list.push_back({array, 2 * all});
    return list;
  }

  // As the constructor was given it, and with pointers to `buffers`; pointers that are not in arrays() remain those of
  // the host, and no kernel of the method reads them.
  Atmosphere<T> shape, on_device;
  Options options;
  Method method;
  std::vector<core::DeviceBuffer<T>> buffers, results;
  core::DeviceBuffer<T> scratch;  // none for coefficients
};

template <class T>
GpuSolver<T>::GpuSolver(const Atmosphere<T>& shape, const Options& options, Method method)
    : state_(std::make_unique<State>(shape, options, method)) {}

template <class T>
void GpuSolver<T>::upload(const Atmosphere<T>& from, const core::Stream& stream) {
  upload_async(from, stream);
  stream.synchronize();
}
template <class T>
void GpuSolver<T>::upload_async(const Atmosphere<T>& from, const core::Stream& stream) {
  if (from.cloud_fraction && from.cloud_top != state_->shape.cloud_top)
    throw std::invalid_argument("two_stream: clouds from layer " + std::to_string(from.cloud_top) +
                                " on, for a solver of clouds from layer " + std::to_string(state_->shape.cloud_top) +
                                " on");
  std::size_t i = 0;
  for (const auto& [array, size] : state_->arrays())
    if (state_->shape.*array) {
      core::copy_async(state_->buffers[i].data(), from.*array, size, stream);
      ++i;
    }
}

template <class T>
void GpuSolver<T>::run(const core::Stream& stream) {
  State& s = *state_;
  if (s.method == Method::fused) columns_fused(s.on_device, s.options, device_fluxes(), s.scratch.data(), stream);
  if (s.method == Method::separate) columns_separate(s.on_device, s.options, device_fluxes(), s.scratch.data(), stream);
  if (s.method == Method::coefficients) coefficients(s.on_device, s.options, device_coefficients(), stream);
  if (s.method == Method::coefficients_study) coefficients_study(s.on_device, s.options, device_coefficients(), stream);
}

template <class T>
void GpuSolver<T>::download(const Fluxes<T>& to, const core::Stream& stream) {
  state_->download_async({to.up, to.down, state_->shape.source == Source::sun ? to.direct : nullptr}, stream);
  stream.synchronize();
}
template <class T>
void GpuSolver<T>::download(const Coefficients<T>& to, const core::Stream& stream) {
  download_coefficients_async(to, stream);
  stream.synchronize();
}
template <class T>
void GpuSolver<T>::download_coefficients_async(const Coefficients<T>& to, const core::Stream& stream) {
  state_->download_async({to.reflected, to.transmitted, to.top, to.bottom, to.direct}, stream);
}

template <class T>
Fluxes<T> GpuSolver<T>::device_fluxes() {
  auto& results = state_->results;
  return {results[0].data(), results[1].data(), results.size() > 2 ? results[2].data() : nullptr};
}
template <class T>
Coefficients<T> GpuSolver<T>::device_coefficients() {
  auto& results = state_->results;
  return {.reflected = results[0].data(),
          .transmitted = results[1].data(),
          .direct = results.size() > 4 ? results[4].data() : nullptr,
          .top = results[2].data(),
          .bottom = results[3].data()};
}
template <class T>
std::vector<std::span<T>> GpuSolver<T>::device_work() {
  std::vector<std::span<T>> all;
  for (auto& result : state_->results) all.push_back(result.span());
  if (state_->scratch.size() > 0) all.push_back(state_->scratch.span());
  return all;
}

template class GpuSolver<float>;
template class GpuSolver<double>;

}  // namespace speedwell::two_stream
