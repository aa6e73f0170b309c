// Interface of the kernels for tiles of points, which are compiled for each instruction set (cpu_tiles.cpp).
#pragma once

#include "speedwell/core/simd/isa.hpp"

namespace speedwell::blast_wave {

struct Medium;
struct Weights;

/// A periodic mesh for the tile kernels: tile t has the points from `origin` + 32 t on. Of a part of a mesh with the
/// planes of its neighbours around it `origin` is the first point of the part. It has no functions, because files for
/// different instruction sets include this.
struct TileMesh {
  int extent[3];
  int points, stride;
  int origin = 0;
};

/// y = A x for tile t: at most 32 points in memory order. Entry e of a tile's 175 is a row of 32 at blocks[e * 32];
/// variable c of x and y begins at c * stride.
using MultiplyTile = void(const TileMesh& mesh, const double* blocks, const double* x, double* y, int t);
/// Dot products over 32 lanes of five variables: t.s, t.t, s.s, h.s, h.t. Pointers are to the first lane.
using DotTile = void(const double* t, const double* s, const double* h, int stride, int count, double sums[5]);
/// r = r - alpha v for `count` points, at most 32, of five variables. Pointers are to the first point, here and below.
using SubtractTile = void(double alpha, const double* v, double* r, int stride, int count);
/// What ends an iteration: x = x + alpha p + omega r, then r = r - omega t, then p = r + beta (p - omega v).
struct IterationVectors {
  const double *v, *t;
  double *x, *r, *p;
};
using EndIterationOfTile = void(double alpha, double omega, double beta, const IterationVectors& vectors, int stride,
                                int count);

/// Computes the blocks of a tile from the state and its Specific, five variables each, and the weights of a step. All
/// 175 rows of 32 are overwritten.
using BlocksOfTile = void(const TileMesh& mesh, const Medium& medium, const Weights& weights, const double* q,
                          const double* w, double* blocks, int t);
/// Computes the dissipation strengths of the faces after the points of a tile along x, y and z: three variables,
/// `stride` apart.
using StrengthsOfTile = void(const TileMesh& mesh, const Medium& medium, const double* q, const double* w,
                             double* strength, int t);
/// y = A x for a tile, matrix-free, from the state's Specific and the dissipation strengths of faces.
using ProductOfTile = void(const TileMesh& mesh, const Medium& medium, const Weights& weights, const double* w,
                           const double* strength, const double* x, double* y, int t);
/// b = -dt R for a tile.
using RightHandSideOfTile = void(const TileMesh& mesh, const Medium& medium, double dt, const double* q,
                                 const double* w, double* b, int t);

struct SystemKernels {
  BlocksOfTile* blocks;
  StrengthsOfTile* strengths;
  RightHandSideOfTile* right_hand_side;
};

struct TileKernels {
  MultiplyTile* multiply;
  DotTile* dots;
  SubtractTile* subtract;
  EndIterationOfTile* end_iteration;
};
/// The kernels for `isa`, which this processor must support; the baseline's if the build has no others.
TileKernels tile_kernels(core::Isa isa);
SystemKernels system_kernels(core::Isa isa);
ProductOfTile* product_kernel(core::Isa isa);

}  // namespace speedwell::blast_wave
