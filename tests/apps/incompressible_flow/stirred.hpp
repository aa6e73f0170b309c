// Stirred turbulence as several tests have it, and what a run that continues from a checkpoint must give.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "speedwell/apps/incompressible_flow/cases/cubes.hpp"
#include "speedwell/apps/incompressible_flow/simulation.hpp"
#include "tests/apps/incompressible_flow/cases.hpp"

namespace speedwell::incompressible_flow {

inline FlowCase stirred() {
  FlowCase c;
  c.problem = box(32, 32, 32, 0.5, 48);
  add_cubes(c.problem, 1, 12, 4);
  c.stirring = Stirring{.acceleration = 80};
  c.options.method.scheme = Scheme::s3;
  c.options.tolerance = 1e-6;
  c.cfl = 0.8;
  c.largest_step = 0.1;
  c.end = 12;
  return c;
}

// A quick scenario: stirred until 0.2, brought to rest until 0.4, then free.
inline FlowCase quick() {
  FlowCase c = stirred();
  c.problem = box(16, 16, 16, 0.5, 24);
  add_cubes(c.problem, 1, 3, 4);
  c.stirring = Stirring{.acceleration = 80, .interval = 0.06, .stop = 0.2, .remove = 0.4};
  c.largest_step = 0.02;
  c.end = 0.6;
  return c;
}

template <class T>
void expect_same_bits_after_resuming(const FlowCase& c, double at, bool on_gpu = false) {
  Simulation<T> whole(c, 2, on_gpu);
  while (whole.moment().time < at) ASSERT_TRUE(whole.step(at));
  State<T> kept(c.problem.extents());
  whole.get(kept);
  while (whole.moment().time < c.end) ASSERT_TRUE(whole.step(c.end));
  Simulation<T> resumed(c, 1, on_gpu);
  resumed.resume(kept);
  while (resumed.moment().time < c.end) ASSERT_TRUE(resumed.step(c.end));
  State<T> a(c.problem.extents()), b(c.problem.extents());
  whole.get(a);
  resumed.get(b);
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.time, b.time);
  for (std::size_t d = 0; d < 3; ++d)
    EXPECT_EQ(std::memcmp(a.velocity[d].data(), b.velocity[d].data(), a.velocity[d].bytes()), 0);
  EXPECT_EQ(std::memcmp(a.pressure.data(), b.pressure.data(), a.pressure.bytes()), 0);
}

}  // namespace speedwell::incompressible_flow
