// The parameters of stencil's problems, and those that have names.
#include "speedwell/apps/stencil/adapter_sizes.hpp"

#include <initializer_list>
#include <string>
#include <utility>

namespace speedwell::stencil {
namespace {

using Words = std::initializer_list<const char*>;
harness::Sweep words(std::string key, Words values) {
  harness::Sweep sweep{std::move(key), {}};
  for (const char* value : values) sweep.values.push_back(std::string(value));
  return sweep;
}

harness::Sweep counts(std::string key, std::initializer_list<std::int64_t> values) {
  return {std::move(key), {values.begin(), values.end()}};
}

constexpr std::initializer_list<std::int64_t> curve = {32, 64, 96, 128, 160, 192, 256, 288};

harness::Size cube(std::string name, std::string summary, std::int64_t n, std::int64_t steps, Words kernels) {
  return {std::move(name),
          std::move(summary),
          {{"nx", n}, {"ny", n}, {"nz", n}, {"steps", steps}},
          {words("kernel", kernels), words("precision", {"f64"})}};
}

}  // namespace

std::vector<harness::Size> sizes() {
  const Words all = {"e", "e0", "l", "v", "g", "jacobi", "spmv", "cg", "sum"};
  harness::Size odd = cube("odd", "extents that are no multiples of a tile: 65, 127, 130", 0, 8, {"e", "e0", "jacobi"});
  odd.settings = {{"ny", 130}, {"nz", 127}, {"steps", 8}};
  odd.sweeps.push_back({"nx", {65, 127, 130}});
  std::vector<harness::Size> sizes = {
      {"test",
       "17 x 9 x 12 cells, every kernel in both precisions",
       {{"nx", 17}, {"ny", 9}, {"nz", 12}, {"steps", 4}},
       {words("kernel", all), words("precision", {"f64", "f32"})}},
      cube("headline", "7-point, 256^3", 256, 36, {"e"}),
      cube("small", "64^3 cells, every kernel", 64, 8, all),
      cube("standard", "256^3 cells, every kernel; 36 sweeps and iterations", 256, 36, all),
      cube("large", "512^3 cells, products and sweeps", 512, 12, {"e", "e0", "l", "v", "jacobi"}),
      cube("128", "128^3 cells, every kernel", 128, 60, all),
      cube("huge", "1024^3 cells of the constant operator: 17 GB", 1024, 12, {"e0", "jacobi"}),
      std::move(odd),
      {"cg-curve",
       "conjugate gradients on 32^3 to 288^3 cells in both precisions: the study's figures 7.6 to 7.9",
       {{"kernel", "cg"}, {"steps", 24}},
       {counts("n", curve), words("precision", {"f64", "f32"})}},
  };
  // Sums of random values: dyadic ones are exact in whatever order.
  sizes.push_back({"sum",
                   "sums of 64^3 to 512^3 squares in both precisions: the errors of the study's stages",
                   {{"kernel", "sum"}, {"values", "random"}},
                   {counts("n", {64, 128, 256, 512}), words("precision", {"f64", "f32"})}});
  sizes.push_back({"sparse",
                   "128^3 rows without what wraps round: 7 and 27 diagonals",
                   {{"kernel", "spmv"}, {"n", 128}, {"boundary", "zero"}},
                   {words("matrix", {"7-point", "27-point"}), words("precision", {"f64", "f32"})}});
  sizes.push_back({"solve",
                   "conjugate gradients to 1e-10 on 64^3 to 256^3 cells",
                   {{"kernel", "cg"}, {"tolerance", 1e-10}, {"steps", 10000}},
                   {counts("n", {64, 128, 256})}});
  sizes.push_back({"parts-curve",
                   "a product and a sum on 32^3 to 288^3 cells in both precisions: the study's figure 7.5",
                   {{"values", "random"}},
                   {counts("n", curve), words("kernel", {"e", "sum"}), words("precision", {"f64", "f32"})}});
  sizes.push_back({"study",
                   "the study's operator on 128^3 and 256^3 cells, for so many threads: its figure 5.6",
                   {{"kernel", "e"}, {"values", "random"}},
                   {counts("n", {128, 256})}});
  sizes.push_back({"crossover",
                   "the study's operator on 8^3 to 384^3 cells, f64",
                   {{"kernel", "e"}, {"precision", "f64"}},
                   {counts("n", {8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384})}});
  return sizes;
}

std::vector<harness::Parameter> parameters() {
  const auto extent = [](const char* key, const char* of) {
    return harness::integer(key, 64, std::string("cells along ") + of, {.minimum = 1});
  };
  return {
      harness::choice("kernel", "e",
                      "a product with the operator of form e, e0, l, v or g; jacobi: sweeps of e0; spmv: a sparse "
                      "matrix; cg: conjugate gradients on the model problem or a matrix; sum: of squares",
                      {"e", "e0", "l", "v", "g", "jacobi", "spmv", "cg", "sum"}),
      harness::integer("n", 0, "cells along every axis, in place of nx, ny, nz", {.minimum = 0}),
      extent("nx", "x"),
      extent("ny", "y"),
      extent("nz", "z"),
      harness::choice("boundary", "default",
                      "what is beyond the box: its other side, zeros, or nothing (l and v); default: periodic, cg zero",
                      {"default", "periodic", "zero", "none"}),
      harness::choice("precision", "f64", "of fields and coefficients; sums of products are f64", {"f64", "f32"}),
      harness::choice("values", "dyadic", "dyadic: the study's test data, whose products are exact; random: uniform",
                      {"dyadic", "random"}),
      harness::integer("steps", 8, "sweeps of jacobi, iterations of cg (with a tolerance: at most)",
                       {.minimum = 1, .maximum = 1e6}),
      harness::real("tolerance", 0.0,
                    "of cg: until ||b - A x|| <= tolerance ||b||; 0: `steps` iterations, whatever they reach",
                    {.minimum = 0, .maximum = 0.5}),
      harness::choice("preconditioner", "none", "of cg", {"none", "jacobi", "polynomial"}),
      harness::real("omega", 0.8, "of the polynomial preconditioner", {.minimum = 0, .maximum = 1}),
      harness::text("matrix", "7-point", "of spmv and cg: 7-point or 27-point on the box, or a Matrix Market file"),
  };
}

}  // namespace speedwell::stencil
