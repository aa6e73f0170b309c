#include <utility>
#include <vector>

#include "speedwell/apps/incompressible_flow/gpu/copied.hpp"
#include "speedwell/apps/incompressible_flow/gpu/ranks/slab_fields.hpp"
#include "speedwell/comm/gpu/timeout.hpp"
#include "speedwell/comm/parts.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::incompressible_flow::gpu {
namespace {

// Positions in the counters: the number of steps, nanoseconds and number of waits of each kind, the blocks that have
// stored of each kind of departure, and whether a neighbour was late.
constexpr int waits_at = 1, done_at = waits_at + 2 * slab_wait_kinds, late_at = done_at + 3, counters = late_at + 1;
constexpr std::size_t max_flags = 8;

__global__ void step_kernel(unsigned long long* steps) { ++*steps; }

/// Tells both neighbours that what earlier kernels of the stream have stored is there, and waits for them.
__global__ void barrier_kernel(unsigned long long* to_below, unsigned long long* to_above,
                               const unsigned long long* from_below, const unsigned long long* from_above,
                               unsigned long long number, int* timed_out) {
  __threadfence_system();
  if (to_below) comm::store_release(to_below, number);
  if (to_above) comm::store_release(to_above, number);
  if (from_below) comm::wait_for_flag(from_below, number, timed_out);
  if (from_above) comm::wait_for_flag(from_above, number, timed_out);
  __threadfence_system();
}

}  // namespace

void enqueue_step_count(unsigned long long* steps, const core::Stream& stream) {
  step_kernel<<<1, 1, 0, stream.get()>>>(steps);
  core::check(cudaGetLastError());
}

template <class T>
SlabFields<T>::SlabFields(const comm::Communicator& ranks, const Extents& extents, const Slab& slab)
    : ranks_(ranks),
      extents_(extents),
      has_below_(slab.has_below()),
      has_above_(slab.has_above()),
      window_(ranks, 3 * sets * layout_of(ranks.rank()).size * sizeof(T) + 256 + max_flags * 8),
      counters_(counters) {
  const core::Stream stream;
  core::fill_bytes_async(counters_, 0, stream);
  std::vector<SlabNeighbors<T>> all;
  for (int set = 0; set < sets; ++set)
    for (int part = 0; part < parts; ++part) all.push_back(neighbors_of(set, part));
  neighbors_ = copied(all, stream);
}

template <class T>
Layout SlabFields<T>::layout_of(int rank) const {
  const auto planes = static_cast<int>(comm::part_of(extents_.nz, ranks_.size(), rank).size());
  return Layout({extents_.nx, extents_.ny, planes}, sizeof(T), 128);
}

// The memory of a rank: the components of both sets, and then, at a multiple of 256 bytes, the flags.
template <class T>
T* SlabFields<T>::field_of(int rank, int set, int component) const {
  return reinterpret_cast<T*>(window_.of(rank)) + static_cast<std::size_t>(3 * set + component) * layout_of(rank).size;
}
template <class T>
unsigned long long* SlabFields<T>::flag_of(int rank, Flag flag) const {
  const std::size_t fields = 3 * sets * layout_of(rank).size * sizeof(T);
  return reinterpret_cast<unsigned long long*>(window_.of(rank) + (fields + 255) / 256 * 256) + flag;
}

template <class T>
SlabNeighbors<T> SlabFields<T>::neighbors_of(int set, int part) const {
  const int own = ranks_.rank();
  unsigned long long* const count = steps();
  auto* const done = reinterpret_cast<unsigned*>(count + done_at);
  SlabNeighbors<T> n;
  n.number = number(part);
  n.timed_out = timed_out();
  n.waited = count + waits_at;
  if (has_below_) {
    const Layout there = layout_of(below());
    for (int c = 0; c < 3; ++c) n.plane_below[c] = field_of(below(), set, c) + there.at(0, 0, there.n[2]);
    n.velocities.from_below = flag_of(own, velocities_from_below);
    n.third_velocity.from_below = flag_of(own, third_from_below);
    n.velocities_below = {flag_of(below(), velocities_from_above), done};
  }
  if (has_above_) {
    const Layout there = layout_of(above());
    for (int c = 0; c < 3; ++c) n.plane_above[c] = field_of(above(), set, c) + there.at(0, 0, -1);
    n.velocities.from_above = flag_of(own, velocities_from_above);
    n.velocities_above = {flag_of(above(), velocities_from_below), done + 2};
    n.third_velocity_above = {flag_of(above(), third_from_below), done + 4};
  }
  return n;
}

template <class T>
int* SlabFields<T>::timed_out() const {
  return reinterpret_cast<int*>(steps() + late_at);
}
template <class T>
void SlabFields<T>::begin_step(const core::Stream& stream) const {
  enqueue_step_count(steps(), stream);
}

template <class T>
void SlabFields<T>::barrier(const core::Stream& stream) {
  const int own = ranks_.rank();
  barrier_kernel<<<1, 1, 0, stream.get()>>>(
      has_below_ ? flag_of(below(), barrier_above) : nullptr, has_above_ ? flag_of(above(), barrier_below) : nullptr,
      has_below_ ? flag_of(own, barrier_below) : nullptr, has_above_ ? flag_of(own, barrier_above) : nullptr,
      ++barriers_, timed_out());
  core::check(cudaGetLastError());
}

template <class T>
double SlabFields<T>::exchange_seconds() const {
  unsigned long long read[counters] = {};
  core::check(cudaDeviceSynchronize());
  core::check(cudaMemcpy(read, counters_.data(), sizeof(read), cudaMemcpyDeviceToHost));
  double all = 0;
  for (int kind = 0; kind < slab_wait_kinds; ++kind) {
    const auto nanoseconds = static_cast<double>(read[waits_at + 2 * kind]);
    const auto blocks = static_cast<double>(read[waits_at + 2 * kind + 1]);
    if (blocks > 0) all += 1e-9 * nanoseconds / blocks * static_cast<double>(parts * read[0]);
  }
  return all;
}

template <class T>
void SlabFields<T>::check(const core::Stream& stream) const {
  comm::throw_if_late(counters_.data() + late_at, "a rank", "an exchange of a flow", stream);
}

template class SlabFields<float>;
template class SlabFields<double>;

}  // namespace speedwell::incompressible_flow::gpu
