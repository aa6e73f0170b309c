#include "speedwell/apps/incompressible_flow/adapter_rows.hpp"

#include <initializer_list>
#include <string>

namespace speedwell::incompressible_flow {
namespace {

std::vector<harness::Value> words(std::initializer_list<const char*> values) {
  std::vector<harness::Value> all;
  for (const char* v : values) all.emplace_back(std::string(v));
  return all;
}
std::vector<harness::Value> counts(std::initializer_list<std::int64_t> values) {
  return {values.begin(), values.end()};
}

harness::Parameter extent(std::string key, std::string axis) {
  return {.key = std::move(key),
          .default_value = std::int64_t{0},
          .description = "cells along " + std::move(axis),
          .minimum = 0,
          .maximum = 65536};
}
harness::Parameter choice(std::string key, const char* default_value, std::string description,
                          std::vector<std::string> choices) {
  return {.key = std::move(key),
          .default_value = std::string(default_value),
          .description = std::move(description),
          .choices = std::move(choices)};
}

}  // namespace

std::vector<harness::Parameter> parameters() {
  return {
      choice("flow", "taylor-green", "what flows: vortices, a channel, a driven cavity, past random cubes, noise",
             {"taylor-green", "taylor-green-2d", "channel", "cavity", "cubes", "noise"}),
      {.key = "n",
       .default_value = std::int64_t{64},
       .description = "cells along each axis",
       .minimum = 1,
       .maximum = 65536},
      extent("nx", "x, which is contiguous; 0: n"),
      extent("ny", "y, from wall to wall of a channel; 0: n"),
      extent("nz", "z; 0: n, of a cavity 1"),
      {.key = "steps", .default_value = std::int64_t{5}, .description = "time steps", .minimum = 1, .maximum = 1e6},
      {.key = "cfl",
       .default_value = 0.5,
       .description = "of the first step, which all take: sum of |velocity| / width times the step",
       .minimum = 1e-6,
       .maximum = 2},
      {.key = "viscosity", .default_value = 0.000625, .description = "kinematic", .minimum = 0},
      choice("scheme", "w3", "Runge-Kutta scheme in three steps: of Wray, or with two registers", {"w3", "s3"}),
      choice("diffusion", "explicit", "as convection, or half of it at the end of each step",
             {"explicit", "trapezoidal"}),
      choice("pressure", "auto", "transforms, conjugate gradients, or transforms where they can",
             {"auto", "direct", "cg"}),
      choice("precision", "f64", "of the flow and all arithmetic", {"f64", "f32"}),
  };
}

std::vector<harness::Size> sizes() {
  const harness::Sweep both{"precision", words({"f64", "f32"})};
  return {
      {"test",
       "12^3 of every flow, both precisions",
       {{"n", std::int64_t{12}}, {"steps", std::int64_t{2}}},
       {{"flow", words({"taylor-green", "taylor-green-2d", "channel", "cavity", "cubes", "noise"})}, both}},
      {"headline", "vortices, 64^3, f64", {}, {}},
      {"small",
       "vortices and a channel of 64^3, both precisions",
       {},
       {{"flow", words({"taylor-green", "channel"})}, both}},
      {"standard", "vortices of 128^3 and 256^3, both precisions", {}, {{"n", counts({128, 256})}, both}},
      {"large", "vortices of 512^3, both precisions", {{"n", std::int64_t{512}}}, {both}},
      {"channel",
       "a channel of 192 x 128 x 160, as for direct simulation at friction Reynolds number 178",
       {{"flow", std::string("channel")},
        {"nx", std::int64_t{192}},
        {"ny", std::int64_t{128}},
        {"nz", std::int64_t{160}},
        {"viscosity", 1 / 178.12}},
       {}},
      {"crossover", "vortices of 8^3 to 128^3, f64", {}, {{"n", counts({8, 12, 16, 24, 32, 48, 64, 96, 128})}}},
      {"channel-large",
       "a channel of 512^3",
       {{"flow", std::string("channel")}, {"n", std::int64_t{512}}, {"viscosity", 1 / 590.0}},
       {}},
  };
}

}  // namespace speedwell::incompressible_flow
