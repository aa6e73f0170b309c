#include <string>

#include "speedwell/apps/incompressible_flow/adapter.hpp"

namespace speedwell::incompressible_flow {
namespace {

harness::Parameter extent(std::string key, std::string axis) {
  return harness::integer(std::move(key), 0, "cells along " + std::move(axis), {.minimum = 0, .maximum = 65536});
}
}  // namespace

std::vector<harness::Parameter> parameters() {
  return {
      harness::choice("flow", "taylor-green",
                      "what flows: vortices, a channel, a driven cavity, past random cubes, noise",
                      {"taylor-green", "taylor-green-2d", "channel", "cavity", "cubes", "noise"}),
      harness::integer("n", 64, "cells along each axis", {.minimum = 1, .maximum = 65536}),
      extent("nx", "x, which is contiguous; 0: n"),
      extent("ny", "y, from wall to wall of a channel; 0: n"),
      extent("nz", "z; 0: n, of a cavity 1"),
      harness::integer("steps", 5, "time steps", {.minimum = 1, .maximum = 1e6}),
      harness::real("cfl", 0.5, "of the first step, which all take: sum of |velocity| / width times the step",
                    {.minimum = 1e-6, .maximum = 2}),
      harness::real("viscosity", 0.000625, "kinematic", {.minimum = 0}),
      harness::choice("scheme", "w3", "Runge-Kutta scheme in three steps: of Wray, or with two registers",
                      {"w3", "s3"}),
      harness::choice("diffusion", "explicit", "as convection, or half of it at the end of each step",
                      {"explicit", "trapezoidal"}),
      harness::choice("pressure", "auto", "transforms, conjugate gradients, or transforms where they can",
                      {"auto", "direct", "cg"}),
      harness::choice("precision", "f64", "of the flow and all arithmetic", {"f64", "f32"}),
  };
}

std::vector<harness::Size> sizes() {
  const harness::Sweep both{"precision", {"f64", "f32"}};
  return {
      {"test",
       "12^3 of every flow, both precisions",
       {{"n", 12}, {"steps", 2}},
       {{"flow", {"taylor-green", "taylor-green-2d", "channel", "cavity", "cubes", "noise"}}, both}},
      {"headline", "vortices, 64^3, f64", {}, {}},
      {"small", "vortices and a channel of 64^3, both precisions", {}, {{"flow", {"taylor-green", "channel"}}, both}},
      {"standard", "vortices of 128^3 and 256^3, both precisions", {}, {{"n", {128, 256}}, both}},
      {"large", "vortices of 512^3, both precisions", {{"n", 512}}, {both}},
      {"channel",
       "a channel of 192 x 128 x 160, as for direct simulation at friction Reynolds number 178",
       {{"flow", "channel"}, {"nx", 192}, {"ny", 128}, {"nz", 160}, {"viscosity", 1 / 178.12}},
       {}},
      {"crossover", "vortices of 8^3 to 128^3, f64", {}, {{"n", {8, 12, 16, 24, 32, 48, 64, 96, 128}}}},
      {"channel-large", "a channel of 512^3", {{"flow", "channel"}, {"n", 512}, {"viscosity", 1 / 590.0}}, {}},
  };
}

}  // namespace speedwell::incompressible_flow
