// The 7-point operator on the host: the public interface. The GPU's is in gpu_stencil.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "speedwell/apps/stencil/cg.hpp"
#include "speedwell/apps/stencil/fields.hpp"
#include "speedwell/apps/stencil/operator.hpp"
#include "speedwell/apps/stencil/sparse.hpp"

namespace speedwell::stencil {

/// Who computes which cells, as the study has it: whole xy-planes, or columns of 8 x 8 cells from the bottom to the
/// top. strips: planes cut along y so that three of them stay in a core's second-level cache.
enum class Marching { strips, planes, blocks };

struct HostOptions {
  int threads = 0;  // 0: OpenMP's default
  Marching marching = Marching::strips;
};

/// y = A x. x, y: grid.size() values, apart from each other; y is overwritten. The bits depend on neither `threads` nor
/// `marching`. Throws std::invalid_argument as require_operator(), for other sizes, overlap, and threads < 0.
template <class T>
void multiply(const Operator<T>& a, std::span<const T> x, std::span<T> y, const HostOptions& options = {});

/// The same on one thread, cell by cell, without vectors.
template <class T>
void multiply_serially(const Operator<T>& a, std::span<const T> x, std::span<T> y);

/// The same as multiply(); returns x . A x, its products added up in double and in stages: along rows, then the rows of
/// a plane, then the planes.
template <class T>
double multiply_and_dot(const Operator<T>& a, std::span<const T> x, std::span<T> y, const HostOptions& options = {});

/// y = A^sweeps x for form E0. Passes over memory advance `depth` sweeps each, in strips that stay in a core's cache
/// (depth 0: chosen here). y and `scratch`: grid.size() values, overwritten. The bits do not depend on `depth` or
/// `threads`. Throws std::invalid_argument also for another form, sweeps < 1, depth < 0.
template <class T>
void sweep(const Operator<T>& a, std::span<const T> x, std::span<T> y, std::span<T> scratch, int sweeps, int depth = 0,
           const HostOptions& options = {});

/// The sum of n values by halves of pieces of 128 values: an error of at most gamma_(128 + log2 n) sum |v|, where one
/// running sum has gamma_n.
double staged_sum(std::span<const double> values);

/// The sum of the squares of v in double: pieces of 2048 values in 16 lanes, then staged_sum(). The bits do not depend
/// on `threads`.
template <class T>
double sum_of_squares(std::span<const T> v, int threads = 0);

/// The same in the study's stages (dissertation 2012, section 6.3.2), in T: along z, then along y, then along x: nz +
/// ny + nx additions on any way to the result. v: grid.size() values.
template <class T>
double sum_of_squares_in_stages(const Grid& grid, std::span<const T> v, int threads = 0);

/// The last two of those stages. of_columns: nx ny values, x contiguous.
template <class T>
double sum_of_plane(const Grid& grid, std::span<const T> of_columns);

}  // namespace speedwell::stencil
