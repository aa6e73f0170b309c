// Shared code of the tests of matvec: a problem with its data, and the awkward shapes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "speedwell/apps/matvec/matvec.hpp"
#include "speedwell/apps/matvec/problem.hpp"

namespace speedwell::matvec {

template <class T>
struct Data {
  explicit Data(const Problem& p) : problem(p), a(p.rows * p.columns), b(p.columns), c(p.rows) { fill<T>(p, a, b); }
  Matrix<T> matrix() const { return {a.data(), problem.rows, problem.columns, problem.columns}; }
  std::span<const T> vector() const { return b; }
  Expected expected() const { return expect<T>(problem, a, b); }
  core::Verdict verify_result() const { return verify<T>(problem, expected(), c); }

  Problem problem;
  std::vector<T> a, b, c;
};

/// Single elements, rows and columns; one short of, at, and one past vectors, warps, blocks and stages; thin and flat.
inline const std::vector<std::pair<std::int64_t, std::int64_t>> awkward_shapes = {
    {1, 1},   {1, 2},    {2, 1},    {3, 3},    {1, 5000},  {5000, 1},  {33, 4097}, {1000, 37}, {64, 4096},
    {7, 31},  {31, 32},  {32, 33},  {5, 63},   {4, 64},    {129, 65},  {257, 127}, {6, 511},   {513, 513},
    {2, 515}, {3, 1025}, {17, 257}, {260, 15}, {1, 20000}, {3, 40001}, {4, 70000}, {2000, 3},  {2049, 1030}};

}  // namespace speedwell::matvec
