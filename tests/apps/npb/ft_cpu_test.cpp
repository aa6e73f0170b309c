// FT on one core and on all: the oracle's answers for grids of every kind, and the official ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "speedwell/apps/npb/ft/field.hpp"
#include "speedwell/apps/npb/ft/verify.hpp"
#include "speedwell/apps/npb/random.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/numerics/fft/fft.hpp"

namespace speedwell::npb::ft {
namespace {

// One point, lines and planes, sides of one, odd ones, primes, more than 1024 along an axis (so that not all lines have
// a term), fewer lines than a vector has lanes, and enough points for a team.
const Problem grids[] = {{1, 1, 1, 2},    {2, 2, 2, 2},    {8, 1, 1, 2},    {1, 8, 1, 2},    {1, 1, 8, 2},
                         {4, 8, 16, 3},   {16, 8, 4, 3},   {3, 5, 7, 3},    {13, 6, 10, 2},  {17, 19, 3, 2},
                         {2048, 2, 2, 1}, {2, 2048, 2, 1}, {2, 2, 2048, 1}, {31, 30, 29, 1}, {32, 32, 32, 2}};

TEST(FtSolvers, GiveTheReferencesAnswer) {
  for (const Problem& p : grids) {
    const Expected expected = expect(p);
    const std::string grid = std::to_string(p.nx) + " x " + std::to_string(p.ny) + " x " + std::to_string(p.nz);
    const core::Verdict serial = verify(expected, SerialSolver(p).run());
    EXPECT_TRUE(serial.passed) << grid << ", serial: " << serial.error;
    for (const int threads : {1, 2, 5}) {
      const core::Verdict verdict = verify(expected, Solver(p, {.threads = threads}).run());
      EXPECT_TRUE(verdict.passed) << grid << ", " << threads << " threads: " << verdict.error;
    }
  }
}

TEST(FtSolvers, GiveTheOfficialAnswers) {
  for (const Class c : {Class::S, Class::W, Class::A}) {
    const Expected expected = expect(problem_of(c));
    const core::Verdict serial = verify(expected, SerialSolver(problem_of(c)).run());
    EXPECT_TRUE(serial.passed) << letter(c) << ", serial: " << serial.error;
    const core::Verdict verdict = verify(expected, Solver(problem_of(c)).run());
    EXPECT_TRUE(verdict.passed) << letter(c) << ": " << verdict.error;
  }
}

TEST(FtSolvers, GiveTheSameBitsOnAnyNumberOfThreadsAndEveryTime) {
  Solver one(problem_of(Class::S), {.threads = 1});
  const Checksums bits = one.run();
  EXPECT_EQ(one.run(), bits);
  for (const int threads : {2, 3, 7, 64}) EXPECT_EQ(Solver(problem_of(Class::S), {.threads = threads}).run(), bits);
}

TEST(FtSolvers, RefuseWhatTheyCannotDo) {
  EXPECT_THROW(Solver({0, 1, 1, 1}), std::invalid_argument);
  EXPECT_THROW(SerialSolver({1, 1, 1, 0}), std::invalid_argument);
  EXPECT_THROW(Solver({8, 8, 8, 1}, {.threads = -1}), std::invalid_argument);
}

TEST(FtSolvers, SayHowManyBytesAClassTakesThatTheMemoryDoesNotHold) {
  try {
    const Solver solver(problem_of(Class::F));
    FAIL() << "two fields of 2 TiB";
  } catch (const core::Unavailable& error) {
    EXPECT_NE(std::string(error.what()).find("4 TiB"), std::string::npos) << error.what();
  }
  EXPECT_EQ(Solver::bytes(problem_of(Class::F)), 4 * 0x1p40);
  EXPECT_THROW(SerialSolver{problem_of(Class::F)}, core::Unavailable);
}

// The states at the start of the second plane were computed elsewhere, one step after another.
TEST(FtField, PlanesBeginWithTheirStates) {
  const std::pair<Class, std::uint64_t> golden[] = {{Class::S, 39744808628385}, {Class::W, 37540239224993},
                                                    {Class::A, 36738518069409}, {Class::B, 5581878964385},
                                                    {Class::C, 21059048419489}, {Class::D, 10140513841313}};
  for (const auto& [c, state] : golden) {
    Random random(state);
    std::complex<double> first[2];
    fill_initial(problem_of(c).nx * problem_of(c).ny, first);
    for (const std::complex<double> z : first) {
      EXPECT_EQ(z.real(), random.next()) << letter(c);
      EXPECT_EQ(z.imag(), random.next()) << letter(c);
    }
  }
}

// exp(-4 alpha pi^2 k^2 t) of wave numbers 0, 1, -1 and 0, 1, -2, -1 by hand, and their decay.
TEST(FtDecay, IsThatOfTheWaveNumbers) {
  const double once = std::exp(-4e-6 * std::acos(-1.0) * std::acos(-1.0));
  const auto near = [](double a, double b) { EXPECT_NEAR(a, b, 1e-15); };
  const std::vector<double> three = decay(3, 1), four = decay(4, 2), one = decay(1, 9);
  ASSERT_EQ(three.size(), 3u);
  near(three[0], 1), near(three[1], once), near(three[2], once);
  ASSERT_EQ(four.size(), 4u);
  near(four[0], 1), near(four[1], std::pow(once, 2)), near(four[2], std::pow(once, 8)), near(four[3], four[1]);
  EXPECT_EQ(one, std::vector<double>{1});
}

// Milliseconds, the middle one of some, on all cores.
template <class Work>
void print_time(const char* what, Class c, int samples, const Work& work) {
  std::vector<double> times;
  for (int sample = -1; sample < samples; ++sample) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    if (sample >= 0)
      times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  std::printf("class %c, %-15s %8.1f ms\n", letter(c), what, times[times.size() / 2]);
  std::fflush(stdout);
}

// A step as it is and without what is fused in it.
TEST(DISABLED_FtTimes, OneStep) {
  for (const Class c : {Class::B, Class::C}) {
    const Problem p = problem_of(c);
    fft::Plan<double> plan({.extents = {p.nz, p.ny, p.nx}});
    Field modes(p), field(p);
    fill_initial(0, modes.span());
    const auto x = decay(p.nx, 1), y = decay(p.ny, 1), z = decay(p.nz, 1);
    const std::array<std::span<const double>, 3> factors = {z, y, x};
    const fft::Visit<double> visit = [](const fft::ResultLines<double>&) {};
    const auto back = fft::Direction::backward;
    print_time("transform", c, 3, [&] { plan.backward(modes.span(), field.span()); });
    print_time("with factors", c, 3, [&] { plan.transform(back, modes.span(), factors, field.span()); });
    print_time("and not stored", c, 3, [&] { plan.transform(back, modes.span(), factors, field.span(), visit); });
  }
}

TEST(DISABLED_FtTimes, AllSteps) {
  for (const Class c : {Class::B, Class::C}) {
    Solver solver(problem_of(c));
    print_time("all", c, 1, [&] { solver.run(); });
  }
}

}  // namespace
}  // namespace speedwell::npb::ft
