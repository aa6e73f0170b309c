// A product as a pass over the mesh: the mapping of threads to points, the source of the blocks, and the sink of the
// result. For CUDA sources (.cu) only.
#pragma once

#include "speedwell/apps/blast_wave/gpu/device.hpp"

namespace speedwell::blast_wave::device {

constexpr int threads = 128;  // per block in passes in memory order

__device__ inline int own_point() { return static_cast<int>(blockIdx.x * threads + threadIdx.x); }

// A block of threads processes 64 contiguous points in each of 4 planes, so that most neighbours are in its cache.
struct Slab {
  static constexpr int along = 64, planes = 4;
  __device__ static bool site(const Medium& m, Site& s) {
    const int plane = m.step[2], n = static_cast<int>(blockIdx.x) * along + static_cast<int>(threadIdx.x);
    const int k = static_cast<int>(blockIdx.y) * planes + static_cast<int>(threadIdx.y);
    if (n >= plane || k >= m.extent[2]) return false;
    s = {{n % m.extent[0], n / m.extent[0], k}, k * plane + n};
    return true;
  }
  static dim3 grid(const Medium& m) {
    return {static_cast<unsigned>((m.step[2] + along - 1) / along),
            static_cast<unsigned>((m.extent[2] + planes - 1) / planes)};
  }
  static dim3 block() { return {along, planes}; }
};
/// Points in memory order.
struct Line {
  __device__ static bool site(const Medium& m, Site& s) {
    const int p = own_point();
    if (p >= m.points) return false;
    s = site_of(m, p);
    return true;
  }
  static dim3 grid(const Medium& m) { return static_cast<unsigned>((m.points + threads - 1) / threads); }
  static dim3 block() { return threads; }
};

enum class When { running, candidate, open };

template <class Shape, When when, class Blocks, class Source, class Sink>
__global__ void __launch_bounds__(256) product(Blocks blocks, Source source, Sink sink, SumWorkspace space) {
  Scalars* const k = sink.k;
  if constexpr (requires { Sink::begins; })
    if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0 && threadIdx.y == 0) k->updated = k->iteration;
  if (!(when == When::running ? k->running : when == When::candidate ? k->candidate : k->open)) return;
  if constexpr (requires { source.alpha; }) source.alpha = k->alpha;
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
