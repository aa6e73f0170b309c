#include "speedwell/apps/spmv/problem.hpp"

#include <cstddef>
#include <utility>

#include "speedwell/apps/stencil/assemble.hpp"
#include "speedwell/core/random.hpp"
#include "speedwell/io/matrix_market.hpp"
#include "speedwell/io/sparse_matrix.hpp"

namespace speedwell::spmv {

template <class T>
System<T> make_system(const Problem& problem) {
  if (problem.matrix == "7-point") {
    stencil::Fields<T> fields({.form = stencil::Form::general,
                               .boundary = problem.boundary,
                               .grid = problem.grid,
                               .values = problem.values,
                               .seed = problem.seed});
    sparse::Csr<T> matrix = stencil::assemble(fields.op());
    return {std::move(matrix), std::move(fields.x()), problem.values == stencil::Values::dyadic};
  }
  System<T> system{.matrix = problem.is_file() ? io::to_csr<T>(io::read_matrix_market(problem.matrix).matrix)
                                               : stencil::assemble_27_point<T>(problem.grid),
                   .x = {}};
  system.x = core::HostBuffer<T>(static_cast<std::size_t>(system.matrix.columns));
  for (std::size_t i = 0; i < system.x.size(); ++i)
    system.x[i] = static_cast<T>(2 * core::random_uniform(problem.seed, i) - 1);
  return system;
}

template System<float> make_system(const Problem&);
template System<double> make_system(const Problem&);

}  // namespace speedwell::spmv
