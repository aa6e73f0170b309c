// Products of a tile of points with their seven blocks each, for vectors as wide as the processor has: cpu_tiles.cpp.
#pragma once

#include "speedwell/core/isa.hpp"

namespace speedwell::blast_wave {

struct Medium;
struct Weights;

/// A periodic mesh as the tiles see it. No function stands here: files for different processors read this.
struct TileMesh {
  int extent[3];
  int points, stride;
};

/// For tile number t, of 32 points in the order of memory: y = A x for those of them that there are. Entry e of a
/// tile's 175 is a row of 32 at blocks[e * 32]; variable c of x and y begins at c * stride.
using MultiplyTile = void(const TileMesh& mesh, const double* blocks, const double* x, double* y, int t);
/// The sums of products of 32 lanes of five variables: t.s, t.t, s.s, h.s, h.t for pointers to the first.
using DotTile = void(const double* t, const double* s, const double* h, int stride, int count, double sums[5]);

/// The blocks of a tile from the state and its Specific, five variables each, and the weights of a step: all of its 175
/// rows of 32 are overwritten.
using BlocksOfTile = void(const TileMesh& mesh, const Medium& medium, const Weights& weights, const double* q,
                          const double* w, double* blocks, int t);
/// The strengths of the faces after the points of a tile along x, y and z: three variables, `stride` apart.
using StrengthsOfTile = void(const TileMesh& mesh, const Medium& medium, const double* q, const double* w,
                             double* strength, int t);
/// y = A x for a tile without blocks, from the state's Specific and the strengths of faces.
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
};
/// For `isa`, which this processor must have; the baseline's where the build has no others.
TileKernels tile_kernels(core::Isa isa);
SystemKernels system_kernels(core::Isa isa);
ProductOfTile* product_kernel(core::Isa isa);

}  // namespace speedwell::blast_wave
