#include "speedwell/apps/binary_fluid/ranks/population_exchange.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "speedwell/apps/binary_fluid/lattice/lattice.hpp"
#include "speedwell/comm/timer.hpp"

namespace speedwell::binary_fluid {
namespace {

using Offset = std::array<int, 3>;  // x, y, z

int tag_of(const Offset& to) { return ((to[2] + 1) * 3 + to[1] + 1) * 3 + to[0] + 1; }

/// The sites beside the neighbour in direction `to`, own ones or those of its halo here, whose population p arrives
/// within the tile on the other side: along the axes on which the two tiles lie side by side, not those that p takes
/// out of it.
Sites crossing_sites(const TileBox& box, const Problem& problem, const Offset& to, int p, bool own) {
  Sites sites;
  for (int d = 0; d < 3; ++d) {
    const auto axis = static_cast<std::size_t>(d);
    sites.high[d] = box.n[d];
    if (to[axis] != 0) {
      const int layer = to[axis] > 0 ? box.n[d] - (own ? 1 : 0) : own ? 0 : -1;
      sites.low[d] = layer;
      sites.high[d] = layer + 1;
    } else if (box.divided(d) || problem.axes[axis].walls) {
      const int step = lattice::c(p, d);
      if (step < 0) sites.low[d] = 1;
      if (step > 0) --sites.high[d];
    }
  }
  return sites;
}

}  // namespace

template <class S>
PopulationExchange<S>::PopulationExchange(const comm::Communicator& ranks, const Problem& problem,
                                          const comm::Decomposition& division, std::int64_t stride, int tag)
    : ranks_(ranks), box_(division, ranks.rank()), stride_(stride) {
  std::size_t own_at = 0, halo_at = 0;
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        const Offset to{x, y, z};
        const int axes = std::abs(x) + std::abs(y) + std::abs(z);
        bool divided = axes == 1 || axes == 2;
        for (int d = 0; d < 3; ++d) divided = divided && (to[static_cast<std::size_t>(d)] == 0 || box_.divided(d));
        if (!divided) continue;
        const std::optional<int> neighbor = division.neighbor(ranks.rank(), {z, y, x});
        if (!neighbor) continue;
        Message message{.rank = *neighbor, .tag = tag + tag_of(to), .opposite_tag = tag + tag_of({-x, -y, -z})};
        const auto parts = [&](int sign, bool own) {
          std::vector<Part> all;
          for (int p = 1; p < velocities; ++p) {
            bool crosses = true;
            for (int d = 0; d < 3; ++d) {
              const int along = to[static_cast<std::size_t>(d)];
              crosses = crosses && (along == 0 || lattice::c(p, d) == sign * along);
            }
            const Sites sites = crossing_sites(box_, problem, to, p, own);
            if (crosses && !sites.empty()) all.push_back({lattice::opposite(p), sites});
          }
          return all;
        };
        message.own = parts(1, true);
        message.halo = parts(-1, false);
        message.own_at = own_at;
        message.halo_at = halo_at;
        own_at += message.own_size = static_cast<std::size_t>(2 * sites_in(message.own));
        halo_at += message.halo_size = static_cast<std::size_t>(2 * sites_in(message.halo));
        messages_.push_back(std::move(message));
      }
  outgoing_.resize(std::max(own_at, halo_at));
  arriving_.resize(outgoing_.size());
}

template <class S>
template <class Act>
void PopulationExchange<S>::for_rows(const std::vector<Part>& parts, const Act& act) const {
  for (const auto& [slot, sites] : parts)
    for (int k = sites.low[2]; k < sites.high[2]; ++k)
      for (int j = sites.low[1]; j < sites.high[1]; ++j)
        act(slot * stride_ + box_.site(j, k) + sites.low[0], sites.extent(0));
}

template <class S>
std::int64_t PopulationExchange<S>::sites_in(const std::vector<Part>& parts) const {
  std::int64_t sum = 0;
  for_rows(parts, [&](std::int64_t, int count) { sum += count; });
  return sum;
}

template <class S>
void PopulationExchange<S>::start(Direction direction, const S* f, const S* g) {
  const comm::Timer timer(seconds_);
  direction_ = direction;
  const bool to_halo = direction == Direction::to_halo;
  const auto part = [](std::vector<S>& buffer, std::size_t at, std::size_t count) {
    return std::span<S>(buffer).subspan(at, count);
  };
  for (const Message& m : messages_) {
    const std::span<S> buffer =
        to_halo ? part(arriving_, m.halo_at, m.halo_size) : part(arriving_, m.own_at, m.own_size);
    if (!buffer.empty()) pending_.receive(ranks_, buffer, m.rank, m.opposite_tag);
  }
  for (const Message& m : messages_) {
    const std::span<S> buffer =
        to_halo ? part(outgoing_, m.own_at, m.own_size) : part(outgoing_, m.halo_at, m.halo_size);
    if (buffer.empty()) continue;
    S* to = buffer.data();
    for (const S* const lattice : {f, g})
      for_rows(to_halo ? m.own : m.halo,
               [&](std::int64_t at, int count) { to = std::copy_n(lattice + at, count, to); });
    pending_.send(ranks_, std::span<const S>(buffer), m.rank, m.tag);
  }
}

template <class S>
void PopulationExchange<S>::progress() {
  if (pending_.empty()) return;
  const comm::Timer timer(seconds_);
  pending_.progress();
}

template <class S>
void PopulationExchange<S>::finish(S* f, S* g) {
  if (pending_.empty()) return;
  const comm::Timer timer(seconds_);
  pending_.wait_all();
  const bool to_halo = direction_ == Direction::to_halo;
  for (const Message& m : messages_) {
    const S* from = arriving_.data() + (to_halo ? m.halo_at : m.own_at);
    for (S* const lattice : {f, g})
      for_rows(to_halo ? m.halo : m.own, [&](std::int64_t at, int count) {
        std::copy_n(from, count, lattice + at);
        from += count;
      });
  }
}

template class PopulationExchange<float>;
template class PopulationExchange<double>;

}  // namespace speedwell::binary_fluid
