// The order of the work of one rank in sampled transforms on several GPUs, and of the numbers with which the ranks say
// how far they are. Host code, so that a test can try all orders in which ranks and streams may come.
//
// Transforms are numbered 1, 2, 3 … over all calls. Each rank has two slabs of planes; transform s is in slab s % 2 of
// all ranks. On one stream, the link, a rank stores its columns of transform s into the slabs of all; on the other it
// transforms the planes of its slab. A rank tells `stored` s when its columns are in the slabs of all, and `free` s
// when transform s may overwrite its slab: when the planes of transform s - 2 have been read, and never before the call
// to which s belongs, so that a caller may use a slab between calls.
#pragma once

#include <algorithm>
#include <vector>

namespace speedwell::fft::gpu {

using TransformNumber = unsigned long long;

enum class SampleAction {
  tell_free,          // to all ranks
  wait_until_free,    // on all ranks
  store_columns,      // into the slabs of all ranks
  tell_stored,        // to all ranks
  wait_until_stored,  // by all ranks
  transform_planes,   // of the own slab
};

/// Whether it is work of the stream that uses the link between GPUs, beside the other one.
constexpr bool is_on_link(SampleAction action) {
  return action == SampleAction::wait_until_free || action == SampleAction::store_columns ||
         action == SampleAction::tell_stored;
}

struct SampleOperation {
  SampleAction action;
  TransformNumber number;  // of the transform, or what is told or waited for
};

/// The slab of a transform.
constexpr int slab_of_transform(TransformNumber number) { return static_cast<int>(number % 2); }

/// The operations of a call with `count` transforms, after `done` earlier ones, in the order in which they are
/// enqueued: of each stream in its order. Were all of a rank done one after the other in this order, as a GPU may that
/// has too few queues for two streams, no rank would wait forever, either.
inline std::vector<SampleOperation> sample_schedule(TransformNumber done, TransformNumber count) {
  using enum SampleAction;
  const TransformNumber last = done + count;
  std::vector<SampleOperation> all;
  const auto store = [&](TransformNumber number) {
    all.push_back({wait_until_free, number});
    all.push_back({store_columns, number});
    all.push_back({tell_stored, number});
  };
  if (count == 0) return all;
  all.push_back({tell_free, std::min(done + 2, last)});
  store(done + 1);
  for (TransformNumber number = done + 1; number <= last; ++number) {
    if (number + 1 <= last) store(number + 1);
    all.push_back({wait_until_stored, number});
    all.push_back({transform_planes, number});
    if (number + 2 <= last) all.push_back({tell_free, number + 2});
  }
  return all;
}

}  // namespace speedwell::fft::gpu
