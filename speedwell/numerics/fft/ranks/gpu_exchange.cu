// The transports of SlabExchange. With Transport::peer a kernel stores blocks where the receiver reads them, in its
// slab (comm::PeerMemory). Each exchange has a number, which ranks tell each other twice by flags (rank_flags.hpp):
// `free` when their slab may be overwritten, and `arrived` when their stores have ended. With the other transports
// blocks are packed into one buffer, sent, and unpacked.
//
// The order of peer stores: a rank tells `free` on its stream, after the kernels that have read its slab in the
// exchange before; the other ranks wait for it on their communication stream before the first store. They tell
// `arrived` on that stream, after the stores: kernels of a stream are executed in order, and the flag is a release at
// system scope of everything before it. The receiver's kernels follow a kernel that has acquired the flags of all
// ranks.
#include <algorithm>
#include <optional>
#include <string>

#include "speedwell/comm/gpu/exposed_time.hpp"
#include "speedwell/comm/gpu/nccl.hpp"
#include "speedwell/comm/gpu/peer_memory.hpp"
#include "speedwell/comm/gpu/urgent_stream.hpp"
#include "speedwell/comm/pending_requests.hpp"
#include "speedwell/comm/timer.hpp"
#include "speedwell/core/cuda_trace.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/numerics/fft/ranks/gpu_exchange.hpp"
#include "speedwell/numerics/fft/ranks/rank_flags.hpp"

namespace speedwell::fft::gpu {
namespace {

constexpr int threads = 256, loads = 4, chunk = threads * loads;  // chunk: vectors that a block copies at a time
constexpr int max_blocks_of_launch = 16;                          // blocks of slabs in a launch
constexpr int max_thread_blocks = 128;                            // leaves room for a transform beside a launch

/// The parameters of copy_kernel: for each copy the rows, their length and the distances between them, in vectors of 8
/// or 16 bytes.
template <class Vector>
struct Copies {
  struct Copy {
    const Vector* from;
    Vector* to;
    std::int64_t rows, run, from_pitch, to_pitch;
  } copy[max_blocks_of_launch];
};

/// blockIdx.y is the copy; its thread blocks, gridDim.x of them, take chunks of rows in turn. Neighbouring threads
/// store neighbouring vectors, and each has `loads` loads in flight.
template <class Vector>
__global__ void __launch_bounds__(threads) copy_kernel(const __grid_constant__ Copies<Vector> all) {
  const auto& copy = all.copy[blockIdx.y];
  const std::int64_t of_row = (copy.run + chunk - 1) / chunk, chunks = copy.rows * of_row;
  for (std::int64_t c = blockIdx.x; c < chunks; c += gridDim.x) {
    const std::int64_t row = c / of_row, first = (c - row * of_row) * chunk + threadIdx.x;
    const Vector* const from = copy.from + row * copy.from_pitch;
    Vector* const to = copy.to + row * copy.to_pitch;
    Vector values[loads];
#pragma unroll
    for (int l = 0; l < loads; ++l)
      if (first + l * threads < copy.run) values[l] = from[first + l * threads];
#pragma unroll
    for (int l = 0; l < loads; ++l)
      if (first + l * threads < copy.run) to[first + l * threads] = values[l];
  }
}

template <class Vector>
void launch_copies(std::span<const typename Copies<Vector>::Copy> copies, cudaStream_t stream) {
  for (std::size_t first = 0; first < copies.size(); first += max_blocks_of_launch) {
    const auto some = copies.subspan(first, std::min<std::size_t>(max_blocks_of_launch, copies.size() - first));
    Copies<Vector> table{};
    std::int64_t chunks = 1;
    for (std::size_t i = 0; i < some.size(); ++i) {
      table.copy[i] = some[i];
      chunks = std::max(chunks, some[i].rows * ((some[i].run + chunk - 1) / chunk));
    }
    const auto most = static_cast<std::int64_t>(max_thread_blocks / some.size());
    const dim3 grid(static_cast<unsigned>(std::clamp<std::int64_t>(chunks, 1, most)),
                    static_cast<unsigned>(some.size()));
    copy_kernel<Vector><<<grid, threads, 0, stream>>>(table);
    core::check(cudaGetLastError());
  }
}

/// A block of a slab at `from` that is copied to a slab at `to`.
template <class T>
struct BlockCopy {
  const Complex<T>* from;
  Complex<T>* to;
  SlabBlock block;
};

/// Enqueues the copies with accesses of a Vector, or returns false, and copies nothing, if an address, a length or a
/// distance of one of them is not a multiple of its size.
template <class T, class Vector>
bool copy_vectors(std::span<const BlockCopy<T>> copies, cudaStream_t stream) {
  constexpr std::int64_t points = sizeof(Vector) / sizeof(Complex<T>);
  std::vector<typename Copies<Vector>::Copy> all;
  for (const BlockCopy<T>& copy : copies) {
    const SlabBlock& b = copy.block;
    if (b.points() == 0) continue;
    const auto* const from = copy.from + b.from;
    auto* const to = copy.to + b.to;
    const auto addresses = reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to);
    if (addresses % sizeof(Vector) != 0 || (b.run | b.from_pitch | b.to_pitch) % points != 0) return false;
    all.push_back({reinterpret_cast<const Vector*>(from), reinterpret_cast<Vector*>(to), b.rows, b.run / points,
                   b.from_pitch / points, b.to_pitch / points});
  }
  launch_copies<Vector>(all, stream);
  return true;
}

/// Single precision has 8-byte points, which may be at odd multiples of 8; those of double precision fit uint4 always.
template <class T>
void copy_blocks(std::span<const BlockCopy<T>> copies, cudaStream_t stream) {
  if (copy_vectors<T, uint4>(copies, stream)) return;
  if constexpr (sizeof(Complex<T>) == sizeof(uint2)) copy_vectors<T, uint2>(copies, stream);
}

}  // namespace

template <class T>
struct SlabExchange<T>::Impl {
  Impl(const comm::Communicator& all, std::int64_t slab_points, comm::Transport chosen)
      : ranks(all), points(static_cast<std::size_t>(slab_points)), transport(chosen) {
    if (const auto reason = comm::transport_missing(ranks, transport))
      throw core::Unavailable("transport " + std::string(to_string(transport)) + ": " + *reason);
    if (transport == comm::Transport::peer) {
      window = comm::PeerMemory(ranks, points * sizeof(Complex<T>));
      flags.emplace(ranks, 2);
    } else {
      slab = core::DeviceBuffer<Complex<T>>(points);
      packed = core::DeviceBuffer<Complex<T>>(points);
      arrived = core::DeviceBuffer<Complex<T>>(points);
      if (transport == comm::Transport::staged) {
        host_sent = core::PinnedBuffer<Complex<T>>(points);
        host_received = core::PinnedBuffer<Complex<T>>(points);
      }
      if (transport == comm::Transport::nccl) nccl.emplace(ranks);
    }
    core::check(cudaDeviceSynchronize());
  }

  Complex<T>* slab_of(int rank) const { return reinterpret_cast<Complex<T>*>(window.of(rank)); }
  static constexpr int arrived_flags = 0, free_flags = 1;

  void begin(const core::Stream& stream) {
    ++number;  // the same on all ranks, because exchanges are collective
    if (transport != comm::Transport::peer) return;
    flags->tell(free_flags, number, stream.get());
    ready.record(stream);
    communication.wait_for(ready);
    flags->wait(free_flags, number, communication.get());
  }
  void store(std::span<const SlabBlock> blocks, const Complex<T>* from, const core::Stream& stream) {
    ready.record(stream);
    communication.wait_for(ready);
    std::int64_t bytes = 0;
    std::vector<BlockCopy<T>> copies;
    // Each rank begins with the next one, so that they do not all store to the same rank at a time.
    for (int k = 1; k <= ranks.size(); ++k) {
      const int rank = (ranks.rank() + k) % ranks.size();
      const SlabBlock& block = blocks[static_cast<std::size_t>(rank)];
      copies.push_back({from, slab_of(rank), block});
      if (rank != ranks.rank()) bytes += block.points() * static_cast<std::int64_t>(sizeof(Complex<T>));
    }
    const core::DeviceSpan span("store into the slabs of the others", core::TraceCategory::communication,
                                communication.get(), "communication", bytes);
    copy_blocks<T>(copies, communication.get());
  }
  void end_of_stores(const core::Stream& stream) {
    flags->tell(arrived_flags, number, communication.get());
    communication.record(done);
    // Afterwards the slab that was sent may be overwritten (done), and all blocks are in this rank's slab (arrived).
    exposed.measure(stream, [&] {
      core::check(cudaStreamWaitEvent(stream.get(), done.get()));
      flags->wait(arrived_flags, number, stream.get());
    });
  }

  /// Offsets, in points, of the blocks of all ranks in a packed buffer, one after the other, and the end.
  static std::vector<std::int64_t> offsets(const std::vector<SlabBlock>& blocks) {
    std::vector<std::int64_t> all{0};
    for (const SlabBlock& block : blocks) all.push_back(all.back() + block.points());
    return all;
  }
  void pack(const std::vector<SlabBlock>& blocks, const Complex<T>* from, const core::Stream& stream) {
    std::vector<BlockCopy<T>> copies;
    const auto at = offsets(blocks);
    for (std::size_t r = 0; r < blocks.size(); ++r) {
      SlabBlock block = blocks[r];
      block.to = at[r];
      block.to_pitch = block.run;
      copies.push_back({from, packed.data(), block});
    }
    copy_blocks<T>(copies, stream.get());
  }
  /// This rank's own block is copied from `packed`, without a message.
  void unpack(const SlabBlocks& all, const core::Stream& stream) {
    std::vector<BlockCopy<T>> copies;
    const auto at = offsets(all.received), at_sender = offsets(all.sent);
    for (std::size_t r = 0; r < all.received.size(); ++r) {
      SlabBlock block = all.received[r];
      const bool own = static_cast<int>(r) == ranks.rank();
      block.from = own ? at_sender[r] : at[r];
      block.from_pitch = block.run;
      copies.push_back({own ? packed.data() : arrived.data(), slab.data(), block});
    }
    copy_blocks<T>(copies, stream.get());
  }
  /// Calls message(rank, first point, points) for the blocks of other ranks that have points.
  template <class Message>
  void for_messages(const std::vector<SlabBlock>& blocks, const Message& message) const {
    const auto at = offsets(blocks);
    for (int r = 0; r < ranks.size(); ++r) {
      const std::int64_t count = blocks[static_cast<std::size_t>(r)].points();
      if (r != ranks.rank() && count > 0) message(r, at[static_cast<std::size_t>(r)], static_cast<std::size_t>(count));
    }
  }
  void through_nccl(const SlabBlocks& all, const core::Stream& stream) const {
    constexpr std::size_t bytes = sizeof(Complex<T>);
    nccl->begin_group();
    for_messages(all.sent, [&](int rank, std::int64_t at, std::size_t count) {
      nccl->send(packed.data() + at, count * bytes, rank, stream.get());
    });
    for_messages(all.received, [&](int rank, std::int64_t at, std::size_t count) {
      nccl->receive(const_cast<Complex<T>*>(arrived.data()) + at, count * bytes, rank, stream.get());
    });
    nccl->end_group();
  }
  void through_mpi(const SlabBlocks& all, const core::Stream& stream) {
    const bool staged = transport == comm::Transport::staged;
    const auto sent = static_cast<std::size_t>(offsets(all.sent).back());
    const auto received = static_cast<std::size_t>(offsets(all.received).back());
    if (staged) core::copy_async(host_sent.data(), static_cast<const Complex<T>*>(packed.data()), sent, stream);
    stream.synchronize();
    const comm::Timer timer(mpi_seconds);
    const Complex<T>* const from = staged ? host_sent.data() : packed.data();
    Complex<T>* const to = staged ? host_received.data() : arrived.data();
    comm::PendingRequests pending;
    for_messages(all.received, [&](int rank, std::int64_t at, std::size_t count) {
      pending.receive(ranks, std::span<Complex<T>>(to + at, count), rank, tag);
    });
    for_messages(all.sent, [&](int rank, std::int64_t at, std::size_t count) {
      pending.send(ranks, std::span<const Complex<T>>(from + at, count), rank, tag);
    });
    pending.wait_all();
    if (staged) core::copy_async(arrived.data(), static_cast<const Complex<T>*>(to), received, stream);
  }
  void end(const SlabBlocks& all, const Complex<T>* from, const core::Stream& stream) {
    if (transport == comm::Transport::peer) return end_of_stores(stream);
    pack(all.sent, from, stream);
    if (transport == comm::Transport::nccl)
      exposed.measure(stream, [&] { through_nccl(all, stream); });
    else
      through_mpi(all, stream);
    unpack(all, stream);
  }

  static constexpr int tag = 96;

  const comm::Communicator& ranks;
  std::size_t points;
  comm::Transport transport;
  comm::PeerMemory window;         // with Transport::peer: the slab of each rank
  std::optional<RankFlags> flags;  // with Transport::peer
  core::DeviceBuffer<Complex<T>> slab, packed, arrived;
  core::PinnedBuffer<Complex<T>> host_sent, host_received;
  std::optional<comm::NcclCommunicator> nccl;
  comm::UrgentStream communication;
  core::Event ready, done;
  comm::ExposedTime exposed;
  double mpi_seconds = 0;
  unsigned long long number = 0;
};

template <class T>
SlabExchange<T>::SlabExchange(const comm::Communicator& ranks, std::int64_t points, comm::Transport transport)
    : impl_(std::make_unique<Impl>(ranks, points, transport)) {}
template <class T>
SlabExchange<T>::~SlabExchange() = default;
template <class T>
comm::Transport SlabExchange<T>::transport() const {
  return impl_->transport;
}
template <class T>
Complex<T>* SlabExchange<T>::received() const {
  return impl_->transport == comm::Transport::peer ? impl_->slab_of(impl_->ranks.rank()) : impl_->slab.data();
}
template <class T>
double SlabExchange<T>::bytes() const {
  const double slabs = impl_->transport == comm::Transport::peer ? 1 : 3;
  return slabs * static_cast<double>(impl_->points * sizeof(Complex<T>));
}
template <class T>
void SlabExchange<T>::begin(const core::Stream& stream) {
  impl_->begin(stream);
}
template <class T>
void SlabExchange<T>::store(std::span<const SlabBlock> blocks, const Complex<T>* from, const core::Stream& stream) {
  impl_->store(blocks, from, stream);
}
template <class T>
void SlabExchange<T>::end(const SlabBlocks& all, const Complex<T>* from, const core::Stream& stream) {
  impl_->end(all, from, stream);
}
template <class T>
double SlabExchange<T>::seconds() const {
  return impl_->exposed.seconds() + impl_->mpi_seconds;
}
template <class T>
void SlabExchange<T>::check(const core::Stream& stream) const {
  if (impl_->flags) return impl_->flags->check(stream, "an exchange of a transform");
  stream.synchronize();
}

template class SlabExchange<float>;
template class SlabExchange<double>;

}  // namespace speedwell::fft::gpu
