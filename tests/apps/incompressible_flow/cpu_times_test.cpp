// Times of the parts of a step on all cores, beside what their bytes take; with --gtest_also_run_disabled_tests.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "speedwell/apps/incompressible_flow/cpu/cpu_parts.hpp"
#include "tests/apps/incompressible_flow/cases.hpp"

namespace speedwell::incompressible_flow {
namespace {

template <class Body>
double seconds_of(const Body& body) {
  body();
  constexpr int repeats = 5;
  const auto begin = std::chrono::steady_clock::now();
  for (int n = 0; n < repeats; ++n) body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / repeats;
}

template <class T>
void time_parts(const std::string& name, const Problem& p) {
  typename Solver<T>::Parts s(p, {});
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t n = 0; n < s.layout.size; ++n)
      s.u[c].data()[n] = static_cast<T>(0.01 * static_cast<double>((n * 2654435761u) % 1000) / 1000);
    fill_edges(s.problem, s.layout, s.team, static_cast<int>(c), s.u[c]);
  }
  const double cells = static_cast<double>(p.extents().cells());
  const auto say = [&](const char* part, double words, double seconds) {
    std::printf("%-20s %s %-22s %9.3f ms %7.1f GB/s\n", name.c_str(), sizeof(T) == 8 ? "f64" : "f32", part,
                seconds * 1e3, words * sizeof(T) * cells / seconds * 1e-9);
  };
  const auto parts = runge_kutta_coefficients(Scheme::w3);
  constexpr double dt = 1e-3;
  say("copy", 6, seconds_of([&] {
        s.team.for_each([&](int j, int k) {
          for (std::size_t c = 0; c < 3; ++c)
            std::copy_n(s.u[c].at(s.layout, j, k), s.extents.nx, s.next[c].at(s.layout, j, k));
        });
      }));
  say("momentum, second part", 12, seconds_of([&] { s.momentum(parts[1], dt, {1, 1, 1}); }));
  say("edges", 0, seconds_of([&] {
        for (int c = 0; c < 3; ++c) fill_edges(s.problem, s.layout, s.team, c, s.next[static_cast<std::size_t>(c)]);
      }));
  if (s.direct) say("direct solver", 10, seconds_of([&] { s.direct->solve(); }));
  say("divergence and that", 14, seconds_of([&] { s.solve_pressure(dt); }));
  say("projection", 7, seconds_of([&] { s.project(dt); }));
  say("convection rate", 3, seconds_of([&] { (void)s.convection_rate(); }));
  say("statistics", 3, seconds_of([&] { (void)s.statistics(); }));
  say("step", 93, seconds_of([&] { s.step(dt); }));
}

TEST(FlowTimes, DISABLED_PartsOnAllCores) {
  for (const int n : {128, 256}) {
    time_parts<double>("periodic " + std::to_string(n), box(n, n, n, 1e-3));
    time_parts<float>("periodic " + std::to_string(n), box(n, n, n, 1e-3));
  }
  Problem p = box(192, 128, 160, 1e-3);
  p.faces[1] = two_sided_faces(128, 2, 2);
  close(p, 1);
  time_parts<double>("channel 192 x 128 x 160", p);
}

}  // namespace
}  // namespace speedwell::incompressible_flow
