// The product and Jacobi's sweeps on slabs. With Transport::peer a small kernel stores the outer planes into the memory
// of the neighbours while the product has begun; the blocks of that which read planes of neighbours come last, and wait
// for them. With the other transports the halo travels on the exchange's stream; the rim is computed on a stream of its
// own as soon as it is there, beside the interior, whose blocks leave it room as they end.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "speedwell/apps/stencil/contract.hpp"
#include "speedwell/apps/stencil/gpu_distributed.hpp"
#include "speedwell/comm/gpu/device_halo_exchange.hpp"
#include "speedwell/comm/gpu/exposed_time.hpp"

namespace speedwell::stencil {

template <class T>
struct DistributedGpuOperator<T>::Impl {
  Impl(const comm::Communicator& all, const DistributedShape& given, comm::Transport transport, int of_halo)
      : ranks(all),
        shape(given),
        depth(of_halo),
        host(all, given, of_halo, {1, 1, all.size()}),
        exchange(all, host.division(), comm::HaloShape::faces, 1, transport) {
    const auto& layout = host.layout();
    own = {layout.own().ranges[0].begin, layout.own().ranges[0].end};
    interior = {layout.interior().ranges[0].begin, layout.interior().ranges[0].end};
    for (const auto& region : layout.rim()) rim.push_back({region.ranges[0].begin, region.ranges[0].end});
    core::check(cudaGetDevice(&device));
    core::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  }

  /// Whether kernels wait for the planes of the neighbours themselves.
  bool pushes() const { return exchange.transport() == comm::Transport::peer && ranks.size() > 1; }
  /// The operator of the slab without its halo; coefficients of neighbours precede its own.
  Operator<T> inner_operator() const {
    Operator<T> inner = a.op();
    inner.grid.nz = own.size();
    for (const T** along : {&inner.metric[2], &inner.inverse[2]})
      if (*along) *along += own.begin;
    for (const T*& cell : inner.cell)
      if (cell) cell += first_cell();
    return inner;
  }
  std::int64_t first_cell() const { return own.begin * a.op().grid.nx * a.op().grid.ny; }
  /// compute(inner operator, arrival from below, arrival from above) beside the transfer of the halo of x.
  template <class Compute>
  void pushed(T* x, const Compute& compute, const core::Stream& stream) {
    // One span for both kernels, which overlap: an event between them would keep the second waiting.
    const core::DeviceSpan span("halo and product", core::TraceCategory::compute, stream.get());
    exchange.push(std::span<T* const>(&x, 1), stream);
    compute(inner_operator(), exchange.arrival({-1, 0, 0}), exchange.arrival({1, 0, 0}));
  }
  /// compute(planes, stream) on the interior while the halo of x travels, then on the rim. The interior is enqueued
  /// first: the host takes longer to enqueue an exchange than for one kernel.
  template <class Compute>
  void overlapped(T* x, const Compute& compute, const core::Stream& stream) {
    const std::span<T* const> fields(&x, 1);
    begun.record(stream);  // what the exchange reads and the rim writes may be in use by what is before this
    if (interior.size() > 0) {
      const core::DeviceSpan span("interior", core::TraceCategory::compute, stream.get());
      compute(interior, stream);
    }
    core::check(cudaStreamWaitEvent(rim_stream.get(), begun.get()));
    exchange.start(fields, rim_stream);
    exchange.finish(fields, rim_stream);
    for (const Planes& planes : rim) {
      const core::DeviceSpan span("rim", core::TraceCategory::compute, rim_stream.get(), "rim");
      compute(planes, rim_stream);
    }
    ended.record(rim_stream);
    exposed.measure(stream, [&] { core::check(cudaStreamWaitEvent(stream.get(), ended.get())); });
  }
  void pass(const T* from, T* to, int sweeps, const Planes& planes, const core::Stream& stream) const {
    const Grid part{a.op().grid.nx, a.op().grid.ny, planes.size()};
    temporal_pass(a.op(), from, to, temporal_plan<T>(part, sweeps, multiprocessors), planes, stream);
  }

  void pushed_pass(T* from, T* to, int sweeps, const core::Stream& stream) {
    pushed(
        from,
        [&](const Operator<T>& inner, const auto& below, const auto& above) {
          slab_temporal_pass(inner, static_cast<const T*>(from) + first_cell(), below, above, depth, to + first_cell(),
                             temporal_plan<T>(inner.grid, sweeps, multiprocessors), stream);
        },
        stream);
  }

  const comm::Communicator& ranks;
  DistributedShape shape;
  int depth, device = 0, multiprocessors = 1;
  DistributedOperator<T> host;
  comm::DeviceHaloExchange<T> exchange;
  DeviceOperator<T> a;
  Planes own, interior;
  std::vector<Planes> rim;
  core::Stream rim_stream;
  core::Event begun, ended;
  comm::ExposedTime exposed;
};

template <class T>
DistributedGpuOperator<T>::DistributedGpuOperator(const comm::Communicator& ranks, const DistributedShape& shape,
                                                  comm::Transport transport, int depth)
    : impl_(std::make_unique<Impl>(ranks, shape, transport, depth)) {}
template <class T>
DistributedGpuOperator<T>::~DistributedGpuOperator() = default;
template <class T>
DistributedGpuOperator<T>::DistributedGpuOperator(DistributedGpuOperator&&) noexcept = default;

template <class T>
void DistributedGpuOperator<T>::set(const Operator<T>* whole, const core::Stream& stream) {
  impl_->host.set(whole);
  impl_->a = DeviceOperator<T>(impl_->host.local_operator(), stream);
}

template <class T>
const comm::Communicator& DistributedGpuOperator<T>::ranks() const {
  return impl_->ranks;
}
template <class T>
const DistributedOperator<T>& DistributedGpuOperator<T>::host() const {
  return impl_->host;
}
template <class T>
const Operator<T>& DistributedGpuOperator<T>::local_operator() const {
  return impl_->a.op();
}
template <class T>
Planes DistributedGpuOperator<T>::own_planes() const {
  return impl_->own;
}

template <class T>
core::DeviceBuffer<T> DistributedGpuOperator<T>::make_field() const {
  core::DeviceBuffer<T> field(static_cast<std::size_t>(size()));
  core::check(cudaMemset(field.data(), 0, field.bytes()));
  core::check(cudaDeviceSynchronize());
  return field;
}

template <class T>
void DistributedGpuOperator<T>::scatter(const T* whole, T* field, const core::Stream& stream) const {
  core::HostBuffer<T> slab = host().make_field();
  host().scatter(whole, slab.span());
  core::copy_async(field, static_cast<const T*>(slab.data()), slab.size(), stream);
  stream.synchronize();
}
template <class T>
void DistributedGpuOperator<T>::gather(const T* field, T* whole, const core::Stream& stream) const {
  core::HostBuffer<T> slab = host().make_field();
  core::copy_async(slab.data(), field, slab.size(), stream);
  stream.synchronize();
  host().gather(std::as_const(slab).span(), whole);
}

template <class T>
void DistributedGpuOperator<T>::fill_halo(T* field, const core::Stream& stream) {
  const std::span<T* const> fields(&field, 1);
  impl_->exposed.measure(stream, [&] { impl_->exchange.exchange(fields, stream); });
}

template <class T>
void DistributedGpuOperator<T>::multiply(T* x, T* y, const core::Stream& stream) {
  const auto product = [&](const Planes& planes, const core::Stream& on) {
    gpu_multiply(impl_->a.op(), static_cast<const T*>(x), y, planes, on);
  };
  if (ranks().size() == 1) return product(impl_->own, stream);
  if (!impl_->pushes()) return impl_->overlapped(x, product, stream);
  const std::int64_t first = impl_->first_cell();
  impl_->pushed(
      x,
      [&](const Operator<T>& inner, const auto& below, const auto& above) {
        slab_multiply(inner, static_cast<const T*>(x) + first, below, above, y + first, stream);
      },
      stream);
}

template <class T>
void DistributedGpuOperator<T>::exchange_and_multiply(T* x, T* y, const core::Stream& stream) {
  fill_halo(x, stream);
  gpu_multiply(impl_->a.op(), static_cast<const T*>(x), y, impl_->own, stream);
}

template <class T>
void DistributedGpuOperator<T>::sweep(T* x, T* y, T* scratch, int sweeps, const core::Stream& stream) {
  const DistributedShape& shape = impl_->shape;
  if (shape.form != Form::constant || shape.boundary != Boundary::periodic)
    throw std::invalid_argument("stencil: sweeps of another operator than e0 on a periodic box");
  if (sweeps < 1) throw std::invalid_argument("stencil: " + std::to_string(sweeps) + " sweeps; at least one");
  if (impl_->depth > GpuSweeps<T>::max_depth)
    throw std::invalid_argument("stencil: " + std::to_string(impl_->depth) + " sweeps for an exchange; at most " +
                                std::to_string(GpuSweeps<T>::max_depth));
  const int passes = (sweeps + impl_->depth - 1) / impl_->depth;
  T* from = x;
  for (int p = 0; p < passes; ++p) {
    T* const to = (passes - 1 - p) % 2 == 0 ? y : scratch;
    const int now = static_cast<int>(std::int64_t{sweeps} * (p + 1) / passes - std::int64_t{sweeps} * p / passes);
    const auto compute = [&](const Planes& planes, const core::Stream& on) {
      impl_->pass(static_cast<const T*>(from), to, now, planes, on);
    };
    if (ranks().size() == 1)
      compute(impl_->own, stream);
    else if (impl_->pushes())
      impl_->pushed_pass(from, to, now, stream);
    else
      impl_->overlapped(from, compute, stream);
    from = to;
  }
}

template <class T>
double DistributedGpuOperator<T>::exchange_seconds() const {
  return impl_->exposed.seconds() + (impl_->pushes() ? impl_->exchange.seconds() : 0);
}
template <class T>
void DistributedGpuOperator<T>::check(const core::Stream& stream) const {
  impl_->exchange.check(stream);
}

template class DistributedGpuOperator<float>;
template class DistributedGpuOperator<double>;

}  // namespace speedwell::stencil
