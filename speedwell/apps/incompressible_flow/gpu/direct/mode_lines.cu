// The direct solver with eigenvectors of a box on one GPU: the lines between the products.
#include "speedwell/apps/incompressible_flow/gpu/copied.hpp"
#include "speedwell/apps/incompressible_flow/gpu/direct/modes.hpp"
#include "speedwell/apps/incompressible_flow/mesh/metrics.hpp"

namespace speedwell::incompressible_flow::gpu {

template <class T>
Modes<T>::Modes(const Problem& problem, const core::Stream& stream)
    : planes_(problem.extents().nz), products_(problem, planes_, stream) {
  const Extents e = problem.extents();
  lines_ = Lines<T>{.nx = e.nx, .ny = e.ny, .nz = e.nz, .pairs_of_modes = true, .periodic_z = problem.periodic(2)};
  work_ = core::DeviceBuffer<T>(static_cast<std::size_t>(line_work(lines_)));
  const LineCoefficients<T> z(problem, 2);
  lambda_x_ = copied(products_.row_eigenvalues(), stream);
  lambda_y_ = copied(products_.column_eigenvalues(), stream);
  low_ = copied(z.low, stream);
  high_ = copied(z.high, stream);
  lines_.low = low_.data();
  lines_.high = high_.data();
  lines_.lambda_x = lambda_x_.data();
  lines_.lambda_y = lambda_y_.data();
  lines_.spectrum = reinterpret_cast<ComplexOf<T>*>(products_.modes());
  lines_.work = work_.data();
}

template <class T>
void Modes<T>::solve(const T* in, T* out, const core::Stream& stream) {
  products_.to_modes(in, planes_, stream);
  enqueue(lines_, stream);
  products_.from_modes(out, planes_, stream);
}

template class Modes<float>;
template class Modes<double>;

}  // namespace speedwell::incompressible_flow::gpu
