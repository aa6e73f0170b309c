// Two-stream radiation on all cores: each thread processes blocks of neighbouring columns, with all points of the
// spectrum and all layers. The arithmetic of a column does not depend on its block, so that the bits do not depend on
// the number of threads.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/two_stream/cpu/cpu_columns.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/simd/isa_choice.hpp"

namespace speedwell::two_stream {

SPEEDWELL_IN_EACH_ISA(ColumnKernels<float> columns_f32(); ColumnKernels<double> columns_f64();)

template <>
ColumnKernels<float> column_kernels(core::Isa isa) {
  return SPEEDWELL_OF_ISA(isa, columns_f32());
}
template <>
ColumnKernels<double> column_kernels(core::Isa isa) {
  return SPEEDWELL_OF_ISA(isa, columns_f64());
}

namespace {

constexpr double streaming_bytes = 256.0 * 1024 * 1024;

/// Thread-local scratch memory, first touched by its thread and reused between calls: allocating half a megabyte and
/// its page faults takes as long as a hundred layers of a block.
template <class T>
T* scratch_of_thread(std::size_t elements) {
  static thread_local core::HostBuffer<T> buffer;
  if (buffer.size() < elements) buffer = core::HostBuffer<T>(elements, core::Pages::large);
  return buffer.data();
}

template <class T>
void on_all_cores(const Atmosphere<T>& a, const Options& options, const Fluxes<T>& to) {
  if (options.threads < 1)
    throw std::invalid_argument("two_stream: " + std::to_string(options.threads) + " threads; at least 1 is needed");
  const ColumnKernels<T> kernels = column_kernels<T>(core::best_isa());
  const Terms<T> terms(terms_of(options.closure));
  const BlockJob<T> job{a, to, &terms, options.delta};
  const auto block_of_columns = kernels.block_for(a);
  // Uses fewer vectors per block if there are few columns, so that every thread has work.
  int vectors = max_vectors(kernels.width * static_cast<int>(sizeof(T)));
  while (vectors > 1 && a.columns < std::int64_t{vectors} * kernels.width * options.threads * 2) vectors /= 2;
  const std::int64_t lanes = std::int64_t{vectors} * kernels.width, blocks = (a.columns + lanes - 1) / lanes;
  const int team = static_cast<int>(std::min<std::int64_t>(options.threads, blocks));
  const auto elements = static_cast<std::size_t>(scratch_elements(a, lanes));
#pragma omp parallel for num_threads(team) schedule(static) if (team > 1)
  for (int part = 0; part < team; ++part) {
    T* const scratch = scratch_of_thread<T>(elements);
    const std::int64_t end = blocks * (part + 1) / team;
    for (std::int64_t block = blocks * part / team; block < end; ++block) {
      const std::int64_t left = (a.columns - block * lanes + kernels.width - 1) / kernels.width;
      block_of_columns(job, block * lanes, static_cast<int>(std::min<std::int64_t>(left, vectors)), scratch);
    }
  }
}

template <class T>
void serially(const Atmosphere<T>& a, const Options& options, const Fluxes<T>& to) {
  const Terms<T> terms(terms_of(options.closure));
  const BlockJob<T> job{a, to, &terms, options.delta};
  constexpr int most = max_vectors(sizeof(T));
  std::vector<T> scratch(scratch_elements(a, most));
  const auto block = has_regions(a) ? column_block<OneLane<T>, true> : column_block<OneLane<T>, false>;
  for (std::int64_t column = 0; column < a.columns; column += most)
    block(job, column, static_cast<int>(std::min<std::int64_t>(most, a.columns - column)), scratch.data());
}

template <class T>
void all_coefficients_serially(const Atmosphere<T>& a, const Options& options, const Coefficients<T>& to) {
  const Terms<T> terms(terms_of(options.closure));
  for (std::int64_t row = 0; row < a.points * a.layers; ++row)
    coefficient_row<OneLane<T>>(a, terms, options.delta, true, to, row, 0, a.columns, false);
}

template <class T>
void all_coefficients(const Atmosphere<T>& a, const Options& options, const Coefficients<T>& to) {
  const ColumnKernels<T> kernels = column_kernels<T>(core::best_isa());
  const Terms<T> terms(terms_of(options.closure));
  const std::int64_t rows = a.points * a.layers;
  // Non-temporal stores, if the results exceed the caches and the threads are bound by memory: ordinary stores read the
  // line first and would move 104 bytes per layer in f64 instead of 64. One or two threads are bound by computation and
  // would lose 5 %.
  const double bytes = static_cast<double>(rows) * static_cast<double>(a.columns) * 5 * sizeof(T);
  const bool streaming = bytes > streaming_bytes && options.threads >= 4;
#pragma omp parallel for num_threads(std::max(options.threads, 1)) schedule(static)
  for (std::int64_t row = 0; row < rows; ++row)
    kernels.row(a, terms, options.delta, true, to, row, 0, a.columns, streaming);
}

}  // namespace

void solve_unchecked(const Atmosphere<float>& a, const Options& options, const Fluxes<float>& to) {
  on_all_cores(a, options, to);
}
void solve_unchecked(const Atmosphere<double>& a, const Options& options, const Fluxes<double>& to) {
  on_all_cores(a, options, to);
}
void solve(const Atmosphere<float>& a, const Options& options, const Fluxes<float>& to) {
  require_atmosphere(a, options);
  on_all_cores(a, options, to);
}
void solve(const Atmosphere<double>& a, const Options& options, const Fluxes<double>& to) {
  require_atmosphere(a, options);
  on_all_cores(a, options, to);
}
void solve_serially(const Atmosphere<float>& a, const Options& options, const Fluxes<float>& to) {
  serially(a, options, to);
}
void solve_serially(const Atmosphere<double>& a, const Options& options, const Fluxes<double>& to) {
  serially(a, options, to);
}
void layer_coefficients(const Atmosphere<float>& a, const Options& options, const Coefficients<float>& to) {
  all_coefficients(a, options, to);
}
void layer_coefficients(const Atmosphere<double>& a, const Options& options, const Coefficients<double>& to) {
  all_coefficients(a, options, to);
}
void layer_coefficients_serially(const Atmosphere<float>& a, const Options& options, const Coefficients<float>& to) {
  all_coefficients_serially(a, options, to);
}
void layer_coefficients_serially(const Atmosphere<double>& a, const Options& options, const Coefficients<double>& to) {
  all_coefficients_serially(a, options, to);
}

}  // namespace speedwell::two_stream
