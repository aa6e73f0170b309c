// DeviceHaloExchange: HaloExchange for fields in the memory of GPUs, one GPU per rank. For CUDA sources only. A sweep
// hides the transfer behind the points that do not read the halo:
//   exchange.start(fields, stream);  sweep(interior, stream);  exchange.finish(fields, stream);  sweep(rim, stream);
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "speedwell/comm/gpu/halo_arrival.hpp"
#include "speedwell/comm/gpu/transport.hpp"
#include "speedwell/comm/halo_layout.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::comm {

/// Element is float or double.
template <class Element>
class DeviceHaloExchange {
 public:
  /// The maximum number of fields of an exchange.
  static constexpr int max_fields = 40;

  /// Collective. For `fields` fields at a time on the current device, as HaloExchange; with Transport::staged and
  /// gpu_aware, tags of messages are `tag` to tag + 26. `ranks` must outlive the exchange. Throws std::invalid_argument
  /// as HaloExchange and for too many fields, and core::Unavailable if the transport is missing.
  DeviceHaloExchange(const Communicator& ranks, const Decomposition& decomposition, HaloShape shape, int fields,
                     Transport transport, int tag = 0);
  /// The same for fields of several adjacent elements per point.
  DeviceHaloExchange(const Communicator& ranks, const Decomposition& decomposition, HaloShape shape,
                     std::vector<int> elements, Transport transport, int tag = 0);
  ~DeviceHaloExchange();
  DeviceHaloExchange(DeviceHaloExchange&&) noexcept;
  DeviceHaloExchange& operator=(DeviceHaloExchange&&) = delete;

  const HaloLayout& layout() const;
  Transport transport() const;
  /// Collective among neighbours. Begins to send what the neighbours need of the fields in device memory, each
  /// layout().size() points, when the work that is on `stream` has been done. The host does not wait. The fields may
  /// be read meanwhile; own points that travel may be overwritten after finish() only.
  void start(std::span<Element* const> fields, const core::Stream& stream);
  /// Work enqueued on `stream` after it finds the halo filled. The host waits with Transport::staged and gpu_aware
  /// only. Throws core::DeviceError if MPI or NCCL fails. A neighbour that does not come within 20 s leaves the halo
  /// undefined with Transport::peer, and check() throws.
  void finish(std::span<Element* const> fields, const core::Stream& stream);
  /// start() and finish().
  void exchange(std::span<Element* const> fields, const core::Stream& stream) {
    start(fields, stream);
    finish(fields, stream);
  }
  /// Transport::peer only, instead of start() and finish(): enqueues a kernel that stores what the neighbours need into
  /// their memory, and lets the next kernel on `stream` begin meanwhile if it was launched to overlap (programmatic
  /// dependent launch). That kernel reads what arrival() says where it is, not in the fields, before the next push().
  /// Throws std::logic_error with another transport.
  void push(std::span<Element* const> fields, const core::Stream& stream);
  /// What the neighbour in this direction stores in the last push(); empty without one.
  HaloArrival<Element> arrival(const std::array<int, 3>& direction) const;
  /// Waits for `stream`. Throws core::DeviceError if a neighbour did not come.
  void check(const core::Stream& stream) const;

  /// The time that work after finish() waited for the halo, of all exchanges so far: the transfer that is not hidden.
  /// One exchange of eight is measured, and stands for them. After push(), the time that the blocks of a kernel waited,
  /// in the mean. Waits for the last that was measured.
  double seconds() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class DeviceHaloExchange<float>;
extern template class DeviceHaloExchange<double>;

}  // namespace speedwell::comm
