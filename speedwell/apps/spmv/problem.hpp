// The matrix of a problem and the vector that it is applied to.
#pragma once

#include <cstdint>
#include <string>

#include "speedwell/apps/stencil/fields.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/numerics/sparse/sparse.hpp"

namespace speedwell::spmv {

struct Problem {
  /// "7-point": the general form of the operator of stencil, assembled on the box. "27-point": 26 on the diagonal and
  /// -1 for each neighbour, without those outside of the box. Otherwise the path of a Matrix Market file.
  std::string matrix = "7-point";
  stencil::Grid grid;                                        // of generated matrices
  stencil::Boundary boundary = stencil::Boundary::periodic;  // of 7-point
  stencil::Values values = stencil::Values::dyadic;          // of 7-point; other problems have random x
  std::uint64_t seed = 1;

  bool is_file() const { return matrix != "7-point" && matrix != "27-point"; }
};

template <class T>
struct System {
  sparse::Csr<T> matrix;
  core::HostBuffer<T> x;
  bool exact = false;  // no product or sum of these data is ever rounded
};

/// Throws std::invalid_argument as stencil::require_grid(), and io::InputError for a file that cannot be read.
template <class T>
System<T> make_system(const Problem& problem);

}  // namespace speedwell::spmv
