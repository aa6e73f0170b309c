// Bandwidth of the link between two GPUs: copies by the copy engines, and kernels that load from the other GPU's memory
// or store into it, one way and both ways at once.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "speedwell/core/error.hpp"
#include "speedwell/core/random.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/machine/gpu/peer_session.hpp"

namespace speedwell::machine {
namespace {

constexpr int threads = 256, max_items = 4;  // lengths are multiples of threads times max_items: no bounds are checked

__device__ std::int64_t thread_index() { return static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; }

__device__ uint4 pattern(std::uint64_t salt, std::int64_t i) {
  const std::uint64_t low = core::random_bits(salt, 2 * static_cast<std::uint64_t>(i));
  const std::uint64_t high = core::random_bits(salt, 2 * static_cast<std::uint64_t>(i) + 1);
  return {static_cast<unsigned>(low), static_cast<unsigned>(low >> 32), static_cast<unsigned>(high),
          static_cast<unsigned>(high >> 32)};
}

__global__ void fill_kernel(uint4* a, std::uint64_t salt) {
  const std::int64_t i = thread_index();
  a[i] = pattern(salt, i);
}

__global__ void count_wrong_kernel(const uint4* a, std::uint64_t salt, unsigned long long* wrong) {
  const std::int64_t i = thread_index();
  const uint4 got = a[i], expected = pattern(salt, i);
  if (got.x != expected.x || got.y != expected.y || got.z != expected.z || got.w != expected.w) atomicAdd(wrong, 1ull);
}

// One of `to` and `from` is in the memory of the other GPU.
template <int Items>
__global__ void move_kernel(uint4* __restrict__ to, const uint4* __restrict__ from) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * threads * Items + threadIdx.x;
  uint4 v[Items];
#pragma unroll
  for (int k = 0; k < Items; ++k) v[k] = from[first + k * threads];
#pragma unroll
  for (int k = 0; k < Items; ++k) to[first + k * threads] = v[k];
}

enum class Mover { copy_engine, load, store };

// A source and a target on each GPU. Whoever moves them, the data of the source of one GPU go to the target of the
// other.
class LinkBench {
 public:
  LinkBench(PeerSession& session, std::int64_t size) : s_(session), n_(size) {
    for (std::size_t k = 0; k < 2; ++k) {
      const PeerSide& side = s_.sides[k];
      blocks_[k] = {side.allocate<uint4>(usize()), side.allocate<uint4>(usize()), side.allocate<unsigned long long>(1)};
      const core::DeviceGuard guard(side.device);
      fill_kernel<<<grid(1), threads, 0, side.stream.get()>>>(blocks_[k].source.data(), salt(k));
      core::check(cudaGetLastError());
      side.stream.synchronize();
    }
    // The clocks rise from idle.
    for (double spent = 0; spent < 0.05;)
      spent += std::max(s_.seconds(true, 1, [&](int side) { move({"", Mover::store, 1}, side); }), 1e-5);
  }

  void measure() {
    const Method copy = {"copy engine", Mover::copy_engine, 1};
    const Method load_1 = {"16 bytes a thread", Mover::load, 1}, load_4 = {"64 bytes a thread", Mover::load, max_items};
    const Method store_1 = {"16 bytes a thread", Mover::store, 1},
                 store_4 = {"64 bytes a thread", Mover::store, max_items};
    measure("link.copy", {copy}, false);
    measure("link.copy_both", {copy}, true);
    measure("link.load", {load_1, load_4}, false);
    measure("link.load_both", {load_1, load_4}, true);
    measure("link.store", {store_1, store_4}, false);
    measure("link.store_both", {store_1, store_4}, true);
  }

 private:
  struct Blocks {
    core::DeviceBuffer<uint4> source, target;
    core::DeviceBuffer<unsigned long long> wrong;
  };
  struct Method {
    std::string name;
    Mover mover;
    int items;  // of a thread
  };

  std::size_t usize() const { return static_cast<std::size_t>(n_); }
  double bytes() const { return static_cast<double>(n_) * sizeof(uint4); }
  unsigned grid(int items) const { return static_cast<unsigned>(n_ / (threads * items)); }
  static std::uint64_t salt(std::size_t side) { return 11 + side; }

  // Enqueues one block's transfer on GPU `side`, the current device: to the other GPU, or from it if kernels load.
  void move(const Method& method, int side) {
    const auto mine = static_cast<std::size_t>(side), other = 1 - mine;
    const cudaStream_t stream = s_.sides[mine].stream.get();
    if (method.mover == Mover::copy_engine) {
      core::check(cudaMemcpyPeerAsync(blocks_[other].target.data(), s_.sides[other].device, blocks_[mine].source.data(),
                                      s_.sides[mine].device, blocks_[mine].source.bytes(), stream));
      return;
    }
    const bool load = method.mover == Mover::load;
    uint4* const to = blocks_[load ? mine : other].target.data();
    const uint4* const from = blocks_[load ? other : mine].source.data();
    if (method.items == 1)
      move_kernel<1><<<grid(1), threads, 0, stream>>>(to, from);
    else
      move_kernel<max_items><<<grid(max_items), threads, 0, stream>>>(to, from);
  }

  void spoil() {
    for (std::size_t k = 0; k < 2; ++k) s_.sides[k].fill_bytes(blocks_[k].target, 0xff);
    for (const PeerSide& side : s_.sides) side.stream.synchronize();
  }

  void check(const std::string& name, const Method& method, bool both) {
    for (std::size_t k = 0; k < 2; ++k) {
      // One way, only one target is written: the GPU's own if its kernel loads.
      const bool written = both || k == (method.mover == Mover::load ? 0 : 1);
      if (!written) continue;
      const PeerSide& side = s_.sides[k];
      side.fill_bytes(blocks_[k].wrong, 0);
      const core::DeviceGuard guard(side.device);
      count_wrong_kernel<<<grid(1), threads, 0, side.stream.get()>>>(blocks_[k].target.data(), salt(1 - k),
                                                                     blocks_[k].wrong.data());
      core::check(cudaGetLastError());
      if (side.first_element(blocks_[k].wrong) != 0)
        throw core::DeviceError("the transfer of " + name + " (" + method.name + ") brought wrong data to GPU " +
                                std::to_string(side.device));
    }
  }

  // Adds the ceiling of the fastest method, in GB/s per direction. Each method first runs once on targets that were
  // overwritten, and its data must be correct, as must those of the fastest method's last sample.
  void measure(const std::string& name, const std::vector<Method>& methods, bool both) {
    const auto took = [&](const Method& method, int calls) {
      return s_.seconds(both, calls, [&](int side) { move(method, side); });
    };
    const auto calls_of = [&](const Method& method) {
      return std::clamp(static_cast<int>(s_.sample_seconds() / took(method, 1)), 1, 200);
    };
    const Method* best = nullptr;
    int calls = 1;
    double best_rate = 0;
    for (const Method& method : methods) {
      spoil();
      (void)took(method, 1);
      check(name, method, both);
      const int n = calls_of(method);
      const double rate = n / std::min(took(method, n), took(method, n));
      if (rate > best_rate) best = &method, best_rate = rate, calls = n;
    }
    spoil();
    auto rates = take_samples(s_.effort, [&] { return bytes() * calls / took(*best, calls) * 1e-9; });
    check(name, *best, both);
    s_.ceilings.entries.push_back(make_ceiling(
        name, "GB/s", std::move(rates), s_.note + ", " + best->name + ", " + core::format_bytes(bytes()) + " a block"));
  }

  PeerSession& s_;
  std::int64_t n_;
  std::array<Blocks, 2> blocks_;
};

}  // namespace

void measure_peer_bandwidth(PeerSession& session) {
  const std::int64_t bytes = session.effort == Effort::quick ? std::int64_t{128} << 20 : std::int64_t{256} << 20;
  LinkBench(session, bytes / static_cast<std::int64_t>(sizeof(uint4))).measure();
}

}  // namespace speedwell::machine
