// A product as a pass over the mesh: the mapping of threads to points, the source of the blocks, and the sink of the
// result. Passes leave out the outermost planes along z, `margin` on each side: a halo on several GPUs, none on one.
// For CUDA sources (.cu) only.
#pragma once

#include "speedwell/apps/blast_wave/gpu/device.hpp"

namespace speedwell::blast_wave::device {

constexpr int threads = 128;  // per block in passes in memory order

// A block of threads processes 64 contiguous points in each of 4 planes, so that most neighbours are in its cache.
template <int margin>
struct SlabOf {
  static constexpr int along = 64, planes = 4;
  __device__ static bool site(const Medium& m, Site& s) {
    const int plane = m.step[2], n = static_cast<int>(blockIdx.x) * along + static_cast<int>(threadIdx.x);
    const int k = margin + static_cast<int>(blockIdx.y) * planes + static_cast<int>(threadIdx.y);
    if (n >= plane || k >= m.extent[2] - margin) return false;
    s = {{n % m.extent[0], n / m.extent[0], k}, k * plane + n};
    return true;
  }
  static dim3 grid(const Medium& m) {
    return {static_cast<unsigned>((m.step[2] + along - 1) / along),
            static_cast<unsigned>((m.extent[2] - 2 * margin + planes - 1) / planes)};
  }
  static dim3 block() { return {along, planes}; }
};
using Slab = SlabOf<0>;

/// Points in memory order.
template <int margin>
struct LineOf {
  __device__ static int point(const Medium& m) {
    return margin * m.step[2] + static_cast<int>(blockIdx.x * threads + threadIdx.x);
  }
  __device__ static int end(const Medium& m) { return m.points - margin * m.step[2]; }
  __device__ static bool site(const Medium& m, Site& s) {
    const int p = point(m);
    if (p >= end(m)) return false;
    s = site_of(m, p);
    return true;
  }
  static dim3 grid(const Medium& m) {
    return static_cast<unsigned>((m.points - 2 * margin * m.step[2] + threads - 1) / threads);
  }
  static dim3 block() { return threads; }
};
using Line = LineOf<0>;

enum class When { running, candidate, open };

template <class Shape, When when, class Blocks, class Source, class Sink>
__global__ void __launch_bounds__(256) product(Blocks blocks, Source source, Sink sink, SumWorkspace space) {
  Scalars* const k = sink.k;
  if constexpr (requires { Sink::begins; })
    if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0 && threadIdx.y == 0) k->updated = k->iteration;
  if (!(when == When::running ? k->running : when == When::candidate ? k->candidate : k->open)) return;
  if constexpr (requires { source.alpha; }) source.alpha = k->alpha;
  // Vectors of which several GPUs have two.
  if constexpr (requires { source.choose(0); }) source.choose(k->iteration);
  if constexpr (requires { sink.choose(0); }) sink.choose(k->iteration);
  Terms<Sink::sums> terms;
  Site s;
  if (Shape::site(blocks.m, s)) {
    double y[5];
    blocks(k->weights, s, source, y);
    sink.at(s, source, y, terms);
  }
  numerics::grid_sum(terms, space, [&](const Terms<Sink::sums>& total) { sink.finish(total); });
}

template <class Shape, class Blocks>
__global__ void __launch_bounds__(256) product_alone(Blocks blocks, Plain x, double* y_, const Scalars* k) {
  Site s;
  if (!Shape::site(blocks.m, s)) return;
  double y[5];
  blocks(k->weights, s, x, y);
  for (int c = 0; c < 5; ++c) y_[c * blocks.m.stride + s.p] = y[c];
}

}  // namespace speedwell::blast_wave::device
