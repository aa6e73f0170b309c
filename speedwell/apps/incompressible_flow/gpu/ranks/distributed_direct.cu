#include <complex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/incompressible_flow/gpu/copied.hpp"
#include "speedwell/apps/incompressible_flow/gpu/ranks/distributed_direct.hpp"
#include "speedwell/apps/incompressible_flow/mesh/metrics.hpp"
#include "speedwell/apps/incompressible_flow/statistics/spectrum.hpp"
#include "speedwell/comm/gpu/timeout.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::incompressible_flow::gpu {
namespace {

enum Counter { tickets, waited, timed_out, counters };

bool has_slab_above(const comm::Communicator& ranks, const Problem& problem) {
  return ranks.size() > 1 && (problem.periodic(2) || ranks.rank() < ranks.size() - 1);
}

fft::Shape planes_shape(const Problem& problem, std::int64_t planes) {
  return {.extents = {problem.extents().ny, problem.extents().nx}, .batch = planes};
}

}  // namespace

template <class T>
DistributedDirect<T>::DistributedDirect(const comm::Communicator& ranks, const Problem& problem, bool by_modes,
                                        comm::Transport transport, const core::Stream& stream)
    : ranks_(ranks),
      e_(problem.extents()),
      planes_(comm::part_of(e_.nz, ranks.size(), ranks.rank())),
      has_above_(has_slab_above(ranks, problem)),
      is_periodic_(problem.periodic(2)),
      counters_(counters) {
  core::fill_bytes_async(counters_, 0, stream);
  const std::int64_t solved = planes_.size() + (has_above_ ? 1 : 0);
  if (by_modes) {
    products_.emplace(problem, static_cast<int>(solved), stream);
  } else {
    forward_.emplace(planes_shape(problem, planes_.size()));
    backward_.emplace(planes_shape(problem, solved));
    spectrum_ = core::DeviceBuffer<Point>(static_cast<std::size_t>(backward_->spectrum_points()));
  }
  allocate_lines(problem, stream);
  if (ranks.size() > 1) {
    allocate_coupling();
    update(stream);
    begin_exchange(transport);
  }
  stream.synchronize();
  if (!problem.strain) coupling_work_ = core::DeviceBuffer<double>();
}

template <class T>
void DistributedDirect<T>::allocate_lines(const Problem& problem, const core::Stream& stream) {
  const bool is_divided = ranks_.size() > 1;
  slab_.rank = ranks_.rank();
  slab_.ranks = ranks_.size();
  slab_.has_first = planes_.begin == 0;
  slab_.has_above = has_above_;
  Lines<T>& lines = slab_.lines;
  lines = Lines<T>{.nx = e_.nx,
                   .ny = e_.ny,
                   .nz = static_cast<int>(planes_.size()),
                   .cosine_x = !products_ && !problem.periodic(0),
                   .cosine_y = !products_ && !problem.periodic(1),
                   .pairs_of_modes = products_.has_value(),
                   .periodic_z = is_periodic_,
                   .scale = static_cast<T>(products_ ? 1 : 1 / (static_cast<double>(e_.nx) * e_.ny))};
  work_ = core::DeviceBuffer<T>(static_cast<std::size_t>(is_divided ? slab_line_work(slab_) : line_work(lines)));
  const LineCoefficients<T> z(problem, 2);
  low = copied(z.low, stream);
  high = copied(z.high, stream);
  lambda_x = copied(products_ ? products_->row_eigenvalues() : row_eigenvalues<T>(problem), stream);
  lambda_y = copied(products_ ? products_->column_eigenvalues() : column_eigenvalues<T>(problem), stream);
  const auto reals = [&](const std::vector<Complex>& twiddles) {
    std::vector<T> all;
    for (const Complex& t : twiddles) all.insert(all.end(), {t.real(), t.imag()});
    return copied(all, stream);
  };
  twiddles_x_ = reals(cosine_twiddles<T>(e_.nx));
  twiddles_y_ = reals(cosine_twiddles<T>(e_.ny));
  lines.low = low.data() + planes_.begin;
  lines.high = high.data() + planes_.begin;
  lines.lambda_x = lambda_x.data();
  lines.lambda_y = lambda_y.data();
  lines.twiddles_x = reinterpret_cast<const ComplexOf<T>*>(twiddles_x_.data());
  lines.twiddles_y = reinterpret_cast<const ComplexOf<T>*>(twiddles_y_.data());
  lines.spectrum = products_ ? reinterpret_cast<ComplexOf<T>*>(products_->modes())
                             : reinterpret_cast<ComplexOf<T>*>(spectrum_.data());
  lines.work = work_.data();
}

template <class T>
void DistributedDirect<T>::allocate_coupling() {
  coupling_ = core::DeviceBuffer<T>(
      static_cast<std::size_t>(std::int64_t{4} * ranks_.size() * slab_.matrices() * slab_.all_lines()));
  slab_.coupling = coupling_.data();
  coupling_work_ = core::DeviceBuffer<double>(static_cast<std::size_t>(coupling_work(slab_)));
}

template <class T>
void DistributedDirect<T>::update(const core::Stream& stream) {
  if (ranks_.size() == 1) return;
  enqueue_coupling(slab_, SlabRows<T>{e_.nz, low.data(), high.data(), is_periodic_}, coupling_work_.data(), stream);
}

template <class T>
void DistributedDirect<T>::begin_exchange(comm::Transport transport) {
  const std::int64_t values = slab_.ends_count();
  slab_.has_messages = transport == comm::Transport::peer;
  if (!slab_.has_messages) {
    ends_ = core::DeviceBuffer<Point>(static_cast<std::size_t>(values / 2));
    exchange_ = std::make_unique<fft::gpu::SlabExchange<T>>(ranks_, ranks_.size() * values / 2, transport);
    slab_.ends = reinterpret_cast<T*>(ends_.data());
    slab_.all_ends = reinterpret_cast<const T*>(exchange_->received());
    return;
  }
  if (ranks_.size() > SlabMessages::max_ranks)
    throw core::Unavailable("incompressible_flow: " + std::to_string(ranks_.size()) +
                            " GPUs with transport peer; at most " + std::to_string(SlabMessages::max_ranks));
  words_ = comm::PeerMemory(ranks_, static_cast<std::size_t>(2 * ranks_.size() * values * words_of<T>) * 8);
  SlabMessages& messages = slab_.messages;
  for (int r = 0; r < ranks_.size(); ++r) messages.words[r] = reinterpret_cast<unsigned long long*>(words_.of(r));
  messages.tickets = counters_.data() + tickets;
  messages.waited = counters_.data() + waited;
  messages.timed_out = reinterpret_cast<int*>(counters_.data() + timed_out);
}

/// What rank `from` sends to each rank: all its ends.
template <class T>
fft::gpu::SlabBlock DistributedDirect<T>::block(int from) const {
  const std::int64_t points = slab_.ends_count() / 2;
  return fft::gpu::SlabBlock{
      .rows = 1, .run = points, .from = 0, .from_pitch = points, .to = from * points, .to_pitch = points};
}

template <class T>
void DistributedDirect<T>::solve(T* values, PartNumber number, const core::Stream& stream) {
  const std::span<Complex> modes(reinterpret_cast<Complex*>(spectrum_.data()), spectrum_.size());
  if (products_)
    products_->to_modes(values, static_cast<int>(planes_.size()), stream);
  else
    forward_->forward(std::span<const T>(values, static_cast<std::size_t>(forward_->real_points())),
                      modes.first(static_cast<std::size_t>(forward_->spectrum_points())), stream);
  if (ranks_.size() == 1) {
    enqueue(slab_.lines, stream);
  } else {
    slab_.messages.number = number;
    if (exchange_) exchange_->begin(stream);
    enqueue_ends(slab_, stream);
    if (exchange_) {
      fft::gpu::SlabBlocks all;
      for (int r = 0; r < ranks_.size(); ++r) {
        all.sent.push_back(block(ranks_.rank()));
        all.received.push_back(block(r));
      }
      exchange_->end(all, ends_.data(), stream);
    }
    enqueue_solution(slab_, stream);
  }
  if (products_)
    products_->from_modes(values, static_cast<int>(planes_.size()) + (has_above_ ? 1 : 0), stream);
  else
    backward_->backward(modes, std::span<T>(values, static_cast<std::size_t>(backward_->real_points())), stream);
}

template <class T>
double DistributedDirect<T>::exchange_seconds() const {
  if (exchange_) return exchange_->seconds();
  if (!slab_.has_messages) return 0;
  unsigned long long read[counters] = {};
  core::check(cudaDeviceSynchronize());
  core::check(cudaMemcpy(read, counters_.data(), sizeof(read), cudaMemcpyDeviceToHost));
  return 1e-9 * static_cast<double>(read[waited]) / static_cast<double>(waiting_blocks(slab_));
}

template <class T>
void DistributedDirect<T>::check(const core::Stream& stream) const {
  if (exchange_) exchange_->check(stream);
  comm::throw_if_late(counters_.data() + timed_out, "a rank", "an exchange of a pressure solver", stream);
}

template class DistributedDirect<float>;
template class DistributedDirect<double>;

}  // namespace speedwell::incompressible_flow::gpu
