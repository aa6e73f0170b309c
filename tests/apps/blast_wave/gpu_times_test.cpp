// Times of steps and products on this GPU: printed, not verified. Disabled unless asked for by name.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "speedwell/apps/blast_wave/gpu_solver.hpp"

namespace speedwell::blast_wave {
namespace {

void time_runs(const Problem& problem) {
  const core::Stream stream;
  const Step* const last = steps + std::size(steps);
  for (const Step* step = steps; step != last; ++step) {
    if (step->article != PublishedVariant::none) continue;
    State state = blast(problem);
    GpuSolver solver(problem, step->blocks, problem.steps, stream);
    solver.upload(state, stream);
    core::Event begin, end;
    double seconds = 1e9;
    History h;
    for (int repeat = 0; repeat < 3; ++repeat) {
      solver.restore(stream);
      stream.synchronize();
      begin.record(stream);
      solver.run(problem.steps, stream);
      end.record(stream);
      stream.synchronize();
      seconds = std::min(seconds, end.seconds_since(begin));
      h = solver.finish(state, stream);
    }
    core::DeviceBuffer<double> x(5 * solver.stride()), y(5 * solver.stride());
    core::fill_bytes_async(x, 0, stream);
    double product = 1e9;
    for (int repeat = 0; repeat < 10; ++repeat) {
      begin.record(stream);
      for (int i = 0; i < 10; ++i) solver.multiply(x.data(), y.data(), stream);
      end.record(stream);
      stream.synchronize();
      product = std::min(product, end.seconds_since(begin) / 10);
    }
    std::printf(
        "%3lld x %3lld x %3lld, %d steps, %-16s %9.4f s, %5lld iterations, %8.2f us each, product %8.2f us, %s, "
        "time %.12g, change %.13g\n",
        static_cast<long long>(problem.extents.nx), static_cast<long long>(problem.extents.ny),
        static_cast<long long>(problem.extents.nz), problem.steps, std::string(step->name).c_str(), seconds,
        static_cast<long long>(h.iterations()), seconds / static_cast<double>(h.iterations()) * 1e6, product * 1e6,
        to_string(h.stop_reason).c_str(), state.time, h.steps.back().change);
    std::fflush(stdout);
  }
}

TEST(BlastWaveTimes, DISABLED_StandardProblem) { time_runs({}); }
TEST(BlastWaveTimes, DISABLED_CubeOf128Points) { time_runs({.extents = {128, 128, 128}, .steps = 10}); }

}  // namespace
}  // namespace speedwell::blast_wave
