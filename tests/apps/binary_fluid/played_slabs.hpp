// Slabs of ranks in one process, between which the test copies what travels, in the order of a step on GPUs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "speedwell/apps/binary_fluid/distributed.hpp"
#include "speedwell/apps/binary_fluid/gpu/planes.hpp"
#include "speedwell/apps/binary_fluid/gpu/site.hpp"

namespace speedwell::binary_fluid {

using device::Planes;
using device::Slab;
using Field = std::vector<double>;

enum class Fault { none, missing, stale, sign };

/// Copies the planes that neighbours need from field to field, as an exchange of halos does. From the exchange
/// `faulty` on of this kind of field, what rank 0 sends upwards has the fault.
class Exchange {
 public:
  Exchange(const comm::Decomposition& division, Fault fault = Fault::none) : division_(division), fault_(fault) {
    for (int rank = 0; rank < division.ranks(); ++rank) layouts_.emplace_back(division, rank, comm::HaloShape::faces);
  }
  void start(const std::vector<Field>& of_rank) {
    const bool is_faulty = ++count_ >= faulty;
    sent_.clear();
    for (int rank = 0; rank < division_.ranks(); ++rank)
      for (const auto& message : layout(rank).messages()) {
        const auto from = of_rank[static_cast<std::size_t>(rank)].begin() + offset(rank, message.sent);
        Field values(from, from + message.sent.size());
        if (rank == 0 && message.direction[0] > 0) {
          const Field right = values;
          if (is_faulty && fault_ == Fault::missing) values.clear();
          if (is_faulty && fault_ == Fault::stale) values = previous_;
          for (double& value : values)
            if (is_faulty && fault_ == Fault::sign) value = -value;
          previous_ = right;
        }
        sent_.push_back(std::move(values));
      }
  }
  void finish(std::vector<Field>& of_rank) {
    auto next = sent_.begin();
    for (int rank = 0; rank < division_.ranks(); ++rank)
      for (const auto& message : layout(rank).messages()) {
        for (const auto& back : layout(message.rank).messages())
          if (back.direction[0] == -message.direction[0])
            std::copy(next->begin(), next->end(),
                      of_rank[static_cast<std::size_t>(message.rank)].begin() + offset(message.rank, back.received));
        ++next;
      }
  }

 private:
  static constexpr int faulty = 3;
  const comm::HaloLayout& layout(int rank) const { return layouts_[static_cast<std::size_t>(rank)]; }
  std::int64_t offset(int rank, const comm::HaloLayout::Region& region) const {
    const auto& extents = layout(rank).extents();
    return region.ranges[0].begin * extents[1] * extents[2];
  }

  const comm::Decomposition& division_;
  Fault fault_;
  std::vector<comm::HaloLayout> layouts_;
  std::vector<Field> sent_;
  Field previous_;
  int count_ = 0;
};

enum class Order { interior_first, rim_first };
using PartsOf = device::Parts Slab::*;

/// The slabs of all ranks.
class Slabs {
 public:
  Slabs(const Problem& problem, int ranks) : problem_(problem), division_(division_of(problem, ranks, {1, 1, ranks})) {
    for (int rank = 0; rank < ranks; ++rank) slabs_.emplace_back(problem, division_, rank);
  }
  const comm::Decomposition& division() const { return division_; }
  const Slab& operator[](std::size_t rank) const { return slabs_[rank]; }
  std::size_t size() const { return slabs_.size(); }
  /// What has not been set is not a number.
  std::vector<Field> fields(std::int64_t per_site = 1) const {
    std::vector<Field> all;
    for (const Slab& slab : slabs_)
      all.emplace_back(static_cast<std::size_t>(per_site * slab.layout.size()),
                       std::numeric_limits<double>::quiet_NaN());
    return all;
  }
  double* in_box(std::vector<Field>& fields, std::size_t rank) const {
    return fields[rank].data() + slabs_[rank].skipped();
  }
  /// Calls body(i, j, k) for the sites of some planes.
  template <class Body>
  void sites(std::size_t rank, const Planes& planes, const Body& body) const {
    const Domain& box = slabs_[rank].box;
    for (int k = planes.begin; k < planes.end; ++k)
      for (int j = 0; j < box.n[1]; ++j)
        for (int i = 0; i < box.n[0]; ++i) body(i, j, k);
  }
  /// Calls compute(rank, planes) for the parts of all slabs as a step does: the planes that need no halo between
  /// start() and finish(), or after the others, between which the order does not matter.
  template <class Start, class Finish, class Compute>
  void with_halo(Order order, const PartsOf& parts_of, const Start& start, const Finish& finish,
                 const Compute& compute) const {
    const auto before = [&] {
      for (std::size_t r = 0; r < slabs_.size(); ++r) {
        const device::Parts& parts = slabs_[r].*parts_of;
        if (parts.before.size() > 0) compute(r, parts.before);
      }
    };
    start();
    if (order == Order::interior_first) before();
    finish();
    for (std::size_t r = 0; r < slabs_.size(); ++r) {
      const device::Parts& parts = slabs_[r].*parts_of;
      int planes = parts.before.size();
      for (const Planes& part : parts.after) {
        planes += part.size();
        compute(r, part);
      }
      EXPECT_EQ(planes, parts.all.size());
    }
    if (order == Order::rim_first) before();
  }
  /// Copies between a whole state and the own planes of populations in natural order.
  template <class Copy>
  void each_own(std::size_t rank, State& whole, Field& own, const Copy& copy) const {
    const Slab& slab = slabs_[rank];
    const auto sites_of_whole = static_cast<std::size_t>(problem_.extents.sites());
    for (std::size_t q = 0; q < 2 * velocities; ++q)
      for (std::size_t s = 0; s < static_cast<std::size_t>(slab.own_sites()); ++s) {
        core::LargeVector<double>& values = q < velocities ? whole.f : whole.g;
        copy(values[q % velocities * sites_of_whole + static_cast<std::size_t>(slab.first_plane * slab.plane) + s],
             own[q * static_cast<std::size_t>(slab.box.sites()) +
                 static_cast<std::size_t>(slab.own.begin * slab.plane) + s]);
      }
  }
  device::Populations<double> natural(std::size_t rank, Field& own) const {
    const std::int64_t sites = slabs_[rank].box.sites();
    return {own.data(), own.data() + velocities * sites, sites, false};
  }

 private:
  Problem problem_;
  comm::Decomposition division_;
  std::vector<Slab> slabs_;
};

}  // namespace speedwell::binary_fluid
