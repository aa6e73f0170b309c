// The 7-point operator on the host: the public interface. gpu_stencil.hpp has that of the GPU.
#pragma once

#include <cstdint>
#include <span>

#include "speedwell/apps/stencil/cg.hpp"
#include "speedwell/apps/stencil/fields.hpp"
#include "speedwell/apps/stencil/operator.hpp"

namespace speedwell::stencil {

/// Traversal of the box by threads. planes and blocks are those of the study: whole xy-planes, or columns of 8 x 8
/// cells from bottom to top. strips: planes cut along y so that three of them fit in a core's second-level cache.
enum class Traversal { strips, planes, blocks };

struct HostOptions {
  int threads = 0;  // 0: the OpenMP default
  Traversal traversal = Traversal::strips;
};

/// y = A x for x and y of grid.size() values that do not overlap. The bits depend neither on `threads` nor on
/// `traversal`. Throws std::invalid_argument as require_operator(), and for other sizes, overlap, and threads < 0.
template <class T>
void multiply(const Operator<T>& a, std::span<const T> x, std::span<T> y, const HostOptions& options = {});

/// y = A x on one thread, cell by cell, without SIMD.
template <class T>
void multiply_serially(const Operator<T>& a, std::span<const T> x, std::span<T> y);

/// y = A x as multiply(); returns x . A x, accumulated in double and in stages: along rows, over the rows of a plane,
/// over planes.
template <class T>
double multiply_and_dot(const Operator<T>& a, std::span<const T> x, std::span<T> y, const HostOptions& options = {});

/// y = A^sweeps x for form E0. Each pass over memory advances `depth` sweeps in strips that stay in a core's cache
/// (depth 0: automatic). y and `scratch` have grid.size() values and are overwritten. The bits depend neither on
/// `depth` nor on `threads`. Throws std::invalid_argument also for another form, sweeps < 1, and depth < 0.
template <class T>
void sweep(const Operator<T>& a, std::span<const T> x, std::span<T> y, std::span<T> scratch, int sweeps, int depth = 0,
           const HostOptions& options = {});

/// Pairwise sum of n values with blocks of 128: the error is at most gamma_(128 + log2 n) sum |v|, compared with
/// gamma_n for recursive summation.
double staged_sum(std::span<const double> values);

/// The sum of the squares of v in double: blocks of 2048 values in 16 lanes, then staged_sum(). The bits do not depend
/// on `threads`.
template <class T>
double sum_of_squares(std::span<const T> v, int threads = 0);

/// The sum of the squares of v in the study's stages (dissertation 2012, section 6.3.2), in T: along z, then y, then x,
/// so that at most nz + ny + nx additions contribute to any path to the result. v has grid.size() values.
template <class T>
double sum_of_squares_in_stages(const Grid& grid, std::span<const T> v, int threads = 0);

/// The last two of those stages. of_columns has nx ny values, x contiguous.
template <class T>
double sum_of_plane(const Grid& grid, std::span<const T> of_columns);

}  // namespace speedwell::stencil
