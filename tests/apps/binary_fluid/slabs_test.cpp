// The kernels on slabs, played on the host for ranks in one process, between which the test copies what travels: the
// bits of one box, and faults in what travels are found.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/binary_fluid/gpu/crossing.hpp"
#include "speedwell/apps/binary_fluid/initial.hpp"
#include "tests/apps/binary_fluid/distributed_problems.hpp"
#include "tests/apps/binary_fluid/play_march.hpp"
#include "tests/apps/binary_fluid/played_slabs.hpp"

namespace speedwell::binary_fluid {
namespace {

using device::Crossing;

/// How steps are played, and which of the exchanges of a step is faulty.
struct Plan {
  int ranks = 1;
  Order order = Order::interior_first;
  Fault fault = Fault::none;
  int faulty_exchange = 0;
  Fault fault_of(int exchange) const { return exchange == faulty_exchange ? fault : Fault::none; }
};

/// Steps of distributed_in_place.cu.
State in_place(const Problem& p, State state, const Plan& plan) {
  const Slabs slabs(p, plan.ranks);
  const Coefficients<double> c(p);
  const comm::Decomposition crossing_division =
      plan.ranks > 1 ? device::crossing_division(p, plan.ranks) : slabs.division();
  Exchange crossing(crossing_division, plan.fault_of(0)), phi_halo(slabs.division(), plan.fault_of(1)),
      laplacian_halo(slabs.division(), plan.fault_of(2));
  std::vector<Field> lattice = slabs.fields(38), phi = slabs.fields(), laplacian = slabs.fields(), start = lattice,
                     crossing_fields(slabs.size(), Field(static_cast<std::size_t>(40 * slabs[0].plane)));
  bool odd = false, left_in_halo = false;
  const auto populations = [&](std::size_t r) {
    double* const f = slabs.in_box(lattice, r);
    const std::int64_t stride = slabs[r].layout.size();
    return device::Populations<double>{f, f + velocities * stride, stride, odd};
  };
  const auto faces = [&](const auto& body) {
    for (std::size_t r = 0; r < slabs.size(); ++r)
      for (int side = 0; side < 2; ++side) slabs.sites(r, {0, 1}, [&](int i, int j, int) { body(r, i, j, side); });
  };
  /// body(r, i, j, k) for all sites, with what crosses before those of the rim.
  const auto with_crossing = [&](const auto& body) {
    const Crossing direction = odd ? Crossing::to_halo : Crossing::to_owner;
    const bool needed = plan.ranks > 1 && (odd || left_in_halo);
    slabs.with_halo(
        plan.order, &Slab::sweep,
        [&] {
          if (!needed) return;
          faces([&](std::size_t r, int i, int j, int side) {
            device::pack_crossing(slabs[r].box, device::CrossingFaces(slabs[r]), direction, populations(r),
                                  crossing_fields[r].data(), i, j, side);
          });
          crossing.start(crossing_fields);
        },
        [&] {
          if (!needed) return;
          crossing.finish(crossing_fields);
          faces([&](std::size_t r, int i, int j, int side) {
            device::unpack_crossing<double>(slabs[r].box, device::CrossingFaces(slabs[r]), direction,
                                            crossing_fields[r].data(), populations(r), i, j, side);
          });
        },
        [&](std::size_t r, const Planes& planes) {
          slabs.sites(r, planes, [&](int i, int j, int k) { body(r, i, j, k); });
        });
    left_in_halo = false;
  };
  const auto with_halo = [&](Exchange& exchange, std::vector<Field>& fields, const auto& body) {
    slabs.with_halo(
        plan.order, &Slab::sweep, [&] { exchange.start(fields); }, [&] { exchange.finish(fields); },
        [&](std::size_t r, const Planes& planes) {
          slabs.sites(r, planes, [&](int i, int j, int k) { body(r, i, j, k); });
        });
  };
  for (std::size_t r = 0; r < slabs.size(); ++r) {
    slabs.each_own(r, state, start[r], [](double whole, double& own) { own = whole; });
    slabs.sites(r, slabs[r].own, [&](int i, int j, int k) {
      device::copy_site(slabs[r].box, slabs.natural(r, start[r]), populations(r), i, j, k);
    });
  }
  for (int step = 0; step < p.steps; ++step) {
    with_crossing([&](std::size_t r, int i, int j, int k) {
      device::phi_site(slabs[r].box, populations(r), slabs.in_box(phi, r), i, j, k);
    });
    if (c.brazovskii)
      with_halo(phi_halo, phi, [&](std::size_t r, int i, int j, int k) {
        device::laplacian_site(slabs[r].box, c.stencil(), slabs.in_box(phi, r), slabs.in_box(laplacian, r), i, j, k);
      });
    with_halo(c.brazovskii ? laplacian_halo : phi_halo, c.brazovskii ? laplacian : phi,
              [&](std::size_t r, int i, int j, int k) {
                device::collide_site<true>(slabs[r].box, c, populations(r), slabs.in_box(phi, r),
                                           slabs.in_box(laplacian, r), i, j, k);
              });
    left_in_halo = odd;
    odd = !odd;
  }
  with_crossing([&](std::size_t r, int i, int j, int k) {
    device::copy_site(slabs[r].box, populations(r), slabs.natural(r, start[r]), i, j, k);
  });
  for (std::size_t r = 0; r < slabs.size(); ++r)
    slabs.each_own(r, state, start[r], [](double& whole, double own) { whole = own; });
  return state;
}

/// Steps of distributed_moments.cu.
State in_moments(const Problem& p, State state, const Plan& plan) {
  using T = Tile<8, 4>;
  const Slabs slabs(p, plan.ranks);
  const Coefficients<double> c(p);
  Exchange phi_halo(slabs.division(), plan.fault_of(1));
  std::vector<Exchange> collided_halo(collided_fields, Exchange(slabs.division(), plan.fault_of(0)));
  std::vector<std::vector<Field>> now(collided_fields, slabs.fields());
  std::vector<Field> phi = slabs.fields(), start = slabs.fields(38), joined = slabs.fields(collided_fields),
                     next = joined;
  const auto stride = [&](std::size_t r) { return slabs[r].layout.size(); };
  /// The fields that a step reads, one after the other.
  const auto join = [&] {
    for (std::size_t r = 0; r < slabs.size(); ++r)
      for (std::size_t q = 0; q < collided_fields; ++q)
        std::copy(now[q][r].begin(), now[q][r].end(), joined[r].begin() + static_cast<std::int64_t>(q) * stride(r));
  };
  const auto divide = [&](const std::vector<Field>& from) {
    for (std::size_t r = 0; r < slabs.size(); ++r)
      for (std::size_t q = 0; q < collided_fields; ++q) {
        const auto begin = from[r].begin() + static_cast<std::int64_t>(q) * stride(r);
        now[q][r].assign(begin, begin + stride(r));
      }
  };
  const auto with_phi = [&](const auto& compute) {
    slabs.with_halo(
        plan.order, &Slab::sweep, [&] { phi_halo.start(phi); }, [&] { phi_halo.finish(phi); }, compute);
  };
  const auto with_collided = [&](PartsOf parts, const auto& compute) {
    slabs.with_halo(
        plan.order, parts,
        [&] {
          for (std::size_t q = 0; q < collided_fields; ++q) collided_halo[q].start(now[q]);
          join();
        },
        [&] {
          for (std::size_t q = 0; q < collided_fields; ++q) collided_halo[q].finish(now[q]);
          join();
        },
        compute);
  };
  for (std::size_t r = 0; r < slabs.size(); ++r) {
    slabs.each_own(r, state, start[r], [](double whole, double& own) { own = whole; });
    slabs.sites(r, slabs[r].own, [&](int i, int j, int k) {
      device::phi_site(slabs[r].box, slabs.natural(r, start[r]), phi[r].data(), i, j, k);
    });
  }
  with_phi([&](std::size_t r, const Planes& planes) {
    slabs.sites(r, planes, [&](int i, int j, int k) {
      device::enter_site(slabs[r].box, c, slabs.natural(r, start[r]), phi[r].data(), next[r].data(), stride(r), i, j,
                         k);
    });
  });
  divide(next);
  for (int step = 1; step < p.steps; ++step) {
    with_collided(&Slab::sweep, [&](std::size_t r, const Planes& planes) {
      play<T>(PhiMarch<double, double, T>{slabs[r].box, c, joined[r].data(), phi[r].data(), stride(r)}, planes, 3);
    });
    with_phi([&](std::size_t r, const Planes& planes) {
      play<T>(StepMarch<double, double, T>{slabs[r].box, c, joined[r].data(), next[r].data(), phi[r].data(), stride(r)},
              planes, 3);
    });
    divide(next);
  }
  with_collided(&Slab::from_all, [&](std::size_t r, const Planes& planes) {
    slabs.sites(r, planes, [&](int i, int j, int k) {
      device::leave_site(slabs[r].box, c, joined[r].data(), stride(r), slabs.natural(r, start[r]), i, j, k);
    });
  });
  for (std::size_t r = 0; r < slabs.size(); ++r)
    slabs.each_own(r, state, start[r], [](double& whole, double own) { whole = own; });
  return state;
}

State initial_of(const Problem& p) { return initial(p, {.phi0 = 0.1, .noise = 0.5, .stirring = 0.02}); }

/// 1 rank is one box; as many ranks as planes have slabs of one plane.
template <class Steps>
void expect_the_bits_of_one_box(const Problem& p, const Steps& steps) {
  const State start = initial_of(p), expected = steps(p, start, Plan{});
  for (const double value : expected.f) ASSERT_TRUE(std::isfinite(value));
  for (int ranks = 2; ranks <= p.extents.nz; ++ranks)
    for (const Order order : {Order::interior_first, Order::rim_first}) {
      const State got = steps(p, start, Plan{.ranks = ranks, .order = order});
      EXPECT_TRUE(got.f == expected.f && got.g == expected.g)
          << ranks << " slabs, " << coordinates(p.extents, p.extents.sites() - 1);
    }
}

TEST(BinaryFluidSlabs, OfMomentsHaveTheBitsOfOneBox) {
  for (const Extents& e : {Extents{9, 5, 7}, Extents{3, 3, 3}, Extents{1, 4, 3}})
    for (const int steps : {1, 4})
      for (const Stencil stencil : {Stencil::seven, Stencil::twenty_seven}) {
        Problem p{.extents = e, .steps = steps};
        p.scheme.stencil = stencil;
        p.fluid.force = {1e-3, -2e-3, 5e-4};
        expect_the_bits_of_one_box(p, in_moments);
      }
}

TEST(BinaryFluidSlabs, InPlaceHaveTheBitsOfOneBox) {
  for (const Extents& e : {Extents{9, 5, 7}, Extents{3, 3, 3}})
    for (const int steps : {1, 2, 5})
      for (unsigned walls = 0; walls < 8; ++walls) {
        expect_the_bits_of_one_box(
            between_moving_walls(e, steps, walls, walls % 2 == 0 ? Collision::trt : Collision::bgk), in_place);
      }
}

TEST(BinaryFluidSlabs, WithLayersHaveTheBitsOfOneBox) {
  for (const bool walls : {false, true}) {
    Problem p = with_layers({5, 4, 6}, 5);
    p.axes[0].walls = p.axes[2].walls = walls;
    expect_the_bits_of_one_box(p, in_place);
  }
}

TEST(BinaryFluidSlabs, DependOnEachExchange) {
  const auto expect_faults_to_be_found = [](const Problem& p, const auto& steps, int exchanges) {
    const State start = initial_of(p), right = steps(p, start, Plan{});
    for (int exchange = 0; exchange < exchanges; ++exchange)
      for (const Fault fault : {Fault::missing, Fault::stale, Fault::sign}) {
        const State got = steps(p, start, Plan{.ranks = 3, .fault = fault, .faulty_exchange = exchange});
        EXPECT_FALSE(got.f == right.f && got.g == right.g)
            << "exchange " << exchange << ", fault " << static_cast<int>(fault);
      }
  };
  Problem p{.extents = {5, 4, 7}, .steps = 5};
  expect_faults_to_be_found(p, in_moments, 2);
  p.scheme.collision = Collision::trt;
  expect_faults_to_be_found(p, in_place, 2);
  p.axes[2].walls = true;
  expect_faults_to_be_found(p, in_place, 2);
  p.fluid.energy = layers;
  expect_faults_to_be_found(p, in_place, 3);
}

TEST(BinaryFluidSlabs, AreRefusedIfThereAreFewerPlanes) {
  for (const bool walls : {false, true}) {
    Problem p{.extents = {5, 4, 3}};
    p.axes[2].walls = walls;
    EXPECT_NO_THROW(Slabs(p, 3));
    EXPECT_THROW(Slabs(p, 4), std::invalid_argument);
  }
}

}  // namespace
}  // namespace speedwell::binary_fluid
