#include <algorithm>
#include <span>

#include "speedwell/apps/incompressible_flow/gpu/copied.hpp"
#include "speedwell/apps/incompressible_flow/gpu/distributed_direct.hpp"
#include "speedwell/apps/incompressible_flow/metrics.hpp"
#include "speedwell/apps/incompressible_flow/spectrum.hpp"

namespace speedwell::incompressible_flow::gpu {
namespace {

constexpr std::int64_t min_piece_bytes = std::int64_t{4} << 20, max_pieces = 4;

/// Only stores into the memory of others go on beside transforms, and a piece begins where a complex number may.
template <class T>
int pieces_of(const Extents& e, int ranks, comm::Transport transport) {
  const std::int64_t plane = std::int64_t{e.nx} * e.ny;
  if (transport != comm::Transport::peer || plane % 2 != 0) return 1;
  const std::int64_t bytes = e.cells() / ranks * static_cast<std::int64_t>(sizeof(T));
  return static_cast<int>(
      std::clamp<std::int64_t>(bytes / min_piece_bytes, 1, std::min<std::int64_t>(e.nz / ranks, max_pieces)));
}

}  // namespace

template <class T>
DistributedDirect<T>::DistributedDirect(const comm::Communicator& ranks, const Problem& problem,
                                        comm::Transport transport, const core::Stream& stream)
    : ranks_(ranks), e_(problem.extents()), pieces_(pieces_of<T>(e_, ranks.size(), transport)) {
  const std::int64_t row = e_.nx / 2 + 1, plane = row * e_.ny;
  const bool several = ranks.size() > 1, peer = transport == comm::Transport::peer;
  // The first rank has the largest parts. Transports other than peer also pack what they send.
  const std::int64_t of_lines = e_.nz * e_.ny * modes_of(0).size(), of_planes = planes_of(0).size() * plane;
  const std::int64_t packed = std::max(of_lines, of_planes);
  spectrum_ = core::DeviceBuffer<Point>(static_cast<std::size_t>(planes_of(ranks.rank()).size() * plane));
  if (several)
    forward_.push_back(std::make_unique<fft::gpu::SlabExchange<T>>(ranks, peer ? of_lines : packed, transport));
  for (int p = 0; p < pieces_; ++p) {
    Piece piece;
    piece.plan = std::make_unique<fft::GpuRealPlan<T>>(
        fft::Shape{.extents = {e_.ny, e_.nx}, .batch = piece_of(ranks.rank(), p).size()});
    if (several)
      piece.back =
          std::make_unique<fft::gpu::SlabExchange<T>>(ranks, peer ? piece_of(0, p).size() * plane : packed, transport);
    piece_.push_back(std::move(piece));
  }
  allocate_lines(problem, stream);
}

template <class T>
void DistributedDirect<T>::allocate_lines(const Problem& problem, const core::Stream& stream) {
  const comm::Range modes = modes_of(ranks_.rank());
  if (modes.size() == 0) return;  // fewer modes than ranks
  // The systems of a range of modes are those of all modes of a shorter row.
  lines_ = Lines<T>{.nx = static_cast<int>(2 * (modes.size() - 1)),
                    .ny = e_.ny,
                    .nz = e_.nz,
                    .cosine_x = !problem.periodic(0),
                    .cosine_y = !problem.periodic(1),
                    .periodic_z = problem.periodic(2),
                    .scale = static_cast<T>(1 / (static_cast<double>(e_.nx) * e_.ny))};
  work_ = core::DeviceBuffer<T>(static_cast<std::size_t>(line_work(lines_)));
  const LineCoefficients<T> z(problem, 2);
  low_ = copied(z.low, stream);
  high_ = copied(z.high, stream);
  const std::vector<T> lambda_x = row_eigenvalues<T>(problem);
  lambda_x_ = copied(std::vector<T>(lambda_x.begin() + 2 * modes.begin, lambda_x.begin() + 2 * modes.end), stream);
  lambda_y_ = copied(column_eigenvalues<T>(problem), stream);
  const auto reals = [&](const std::vector<Complex>& twiddles, std::int64_t begin, std::int64_t end) {
    std::vector<T> all;
    for (std::int64_t i = begin; i < end; ++i) {
      const Complex& t = twiddles[static_cast<std::size_t>(i)];
      all.insert(all.end(), {t.real(), t.imag()});
    }
    return copied(all, stream);
  };
  twiddles_x_ = reals(cosine_twiddles<T>(e_.nx), modes.begin, modes.end);
  twiddles_y_ = reals(cosine_twiddles<T>(e_.ny), 0, e_.ny);
  lines_.low = low_.data();
  lines_.high = high_.data();
  lines_.lambda_x = lambda_x_.data();
  lines_.lambda_y = lambda_y_.data();
  lines_.twiddles_x = reinterpret_cast<const ComplexOf<T>*>(twiddles_x_.data());
  lines_.twiddles_y = reinterpret_cast<const ComplexOf<T>*>(twiddles_y_.data());
  lines_.work = work_.data();
}

template <class T>
comm::Range DistributedDirect<T>::piece_of(int rank, int piece) const {
  return comm::part_of(planes_of(rank).size(), pieces_, piece);
}

template <class T>
fft::gpu::SlabBlock DistributedDirect<T>::to_lines(int planes, int lines, int piece) const {
  const std::int64_t row = e_.nx / 2 + 1;
  const comm::Range modes = modes_of(lines), of_piece = piece_of(planes, piece);
  return fft::gpu::SlabBlock{.rows = of_piece.size() * e_.ny,
                             .run = modes.size(),
                             .from = of_piece.begin * e_.ny * row + modes.begin,
                             .from_pitch = row,
                             .to = (planes_of(planes).begin + of_piece.begin) * e_.ny * modes.size(),
                             .to_pitch = modes.size()};
}
template <class T>
fft::gpu::SlabBlock DistributedDirect<T>::to_planes(int lines, int planes, int piece) const {
  const comm::Range modes = modes_of(lines), of_piece = piece_of(planes, piece);
  return fft::gpu::SlabBlock{.rows = of_piece.size() * e_.ny,
                             .run = modes.size(),
                             .from = (planes_of(planes).begin + of_piece.begin) * e_.ny * modes.size(),
                             .from_pitch = modes.size(),
                             .to = modes.begin,
                             .to_pitch = e_.nx / 2 + 1};
}
template <class T>
std::vector<fft::gpu::SlabBlock> DistributedDirect<T>::blocks_to_lines(int piece) const {
  std::vector<fft::gpu::SlabBlock> blocks;
  for (int r = 0; r < ranks_.size(); ++r) blocks.push_back(to_lines(ranks_.rank(), r, piece));
  return blocks;
}

template <class T>
void DistributedDirect<T>::transform(int piece, T* values, const core::Stream& stream) {
  const comm::Range planes = piece_of(ranks_.rank(), piece);
  const std::int64_t reals = std::int64_t{e_.nx} * e_.ny, modes = std::int64_t{e_.nx / 2 + 1} * e_.ny;
  piece_[static_cast<std::size_t>(piece)].plan->forward(
      std::span<const T>(values + planes.begin * reals, static_cast<std::size_t>(planes.size() * reals)),
      std::span<Complex>(reinterpret_cast<Complex*>(spectrum_.data() + planes.begin * modes),
                         static_cast<std::size_t>(planes.size() * modes)),
      stream);
}
template <class T>
void DistributedDirect<T>::transform_back(int piece, const Point* from, T* values, const core::Stream& stream) {
  const comm::Range planes = piece_of(ranks_.rank(), piece);
  const std::int64_t reals = std::int64_t{e_.nx} * e_.ny, modes = std::int64_t{e_.nx / 2 + 1} * e_.ny;
  piece_[static_cast<std::size_t>(piece)].plan->backward(
      std::span<const Complex>(reinterpret_cast<const Complex*>(from), static_cast<std::size_t>(planes.size() * modes)),
      std::span<T>(values + planes.begin * reals, static_cast<std::size_t>(planes.size() * reals)), stream);
}

template <class T>
void DistributedDirect<T>::solve_lines(Point* spectrum, const core::Stream& stream) {
  if (modes_of(ranks_.rank()).size() == 0) return;
  lines_.spectrum = reinterpret_cast<ComplexOf<T>*>(spectrum);
  enqueue(lines_, stream);
}

// Each piece travels while the next one is transformed.
template <class T>
void DistributedDirect<T>::move_to_lines(T* values, const core::Stream& stream) {
  fft::gpu::SlabExchange<T>& exchange = *forward_.front();
  exchange.begin(stream);
  for (int p = 0; p < pieces_; ++p) {
    transform(p, values, stream);
    if (exchange.transport() == comm::Transport::peer) exchange.store(blocks_to_lines(p), spectrum_.data(), stream);
  }
  fft::gpu::SlabBlocks all;
  all.sent = blocks_to_lines(0);
  for (int r = 0; r < ranks_.size(); ++r) all.received.push_back(to_lines(r, ranks_.rank(), 0));
  exchange.end(all, spectrum_.data(), stream);
}

// The first piece is transformed back while the others travel.
template <class T>
void DistributedDirect<T>::move_to_planes(T* values, const core::Stream& stream) {
  const Point* const lines = forward_.front()->received();
  const auto sent = [&](int piece) {
    std::vector<fft::gpu::SlabBlock> blocks;
    for (int r = 0; r < ranks_.size(); ++r) blocks.push_back(to_planes(ranks_.rank(), r, piece));
    return blocks;
  };
  for (int p = 0; p < pieces_; ++p) {
    fft::gpu::SlabExchange<T>& exchange = *piece_[static_cast<std::size_t>(p)].back;
    exchange.begin(stream);
    if (exchange.transport() == comm::Transport::peer) exchange.store(sent(p), lines, stream);
  }
  for (int p = 0; p < pieces_; ++p) {
    fft::gpu::SlabExchange<T>& exchange = *piece_[static_cast<std::size_t>(p)].back;
    fft::gpu::SlabBlocks all;
    all.sent = sent(p);
    for (int r = 0; r < ranks_.size(); ++r) all.received.push_back(to_planes(r, ranks_.rank(), p));
    exchange.end(all, lines, stream);
    transform_back(p, exchange.received(), values, stream);
  }
}

template <class T>
void DistributedDirect<T>::solve(T* values, const core::Stream& stream) {
  if (forward_.empty()) {
    for (int p = 0; p < pieces_; ++p) transform(p, values, stream);
    solve_lines(spectrum_.data(), stream);
    const std::int64_t plane = std::int64_t{e_.nx / 2 + 1} * e_.ny;
    for (int p = 0; p < pieces_; ++p)
      transform_back(p, spectrum_.data() + piece_of(ranks_.rank(), p).begin * plane, values, stream);
    return;
  }
  move_to_lines(values, stream);
  solve_lines(forward_.front()->received(), stream);
  move_to_planes(values, stream);
}

template <class T>
double DistributedDirect<T>::exchange_seconds() const {
  double all = 0;
  for (const auto& exchange : forward_) all += exchange->seconds();
  for (const Piece& piece : piece_)
    if (piece.back) all += piece.back->seconds();
  return all;
}

template <class T>
void DistributedDirect<T>::check(const core::Stream& stream) const {
  for (const auto& exchange : forward_) exchange->check(stream);
  for (const Piece& piece : piece_)
    if (piece.back) piece.back->check(stream);
}

template class DistributedDirect<float>;
template class DistributedDirect<double>;

}  // namespace speedwell::incompressible_flow::gpu
