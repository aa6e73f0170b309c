#include <span>
#include <vector>

#include "speedwell/apps/incompressible_flow/gpu/copied.hpp"
#include "speedwell/apps/incompressible_flow/gpu/direct/direct.hpp"
#include "speedwell/apps/incompressible_flow/mesh/metrics.hpp"
#include "speedwell/apps/incompressible_flow/statistics/spectrum.hpp"

namespace speedwell::incompressible_flow::gpu {

template <class T>
Direct<T>::Direct(const Problem& problem, const core::Stream& stream)
    : points_(static_cast<std::size_t>(problem.extents().cells())),
      plan_(fft::Shape{.extents = {problem.extents().ny, problem.extents().nx}, .batch = problem.extents().nz}) {
  const Extents e = problem.extents();
  spectrum_ = core::DeviceBuffer<T>(2 * static_cast<std::size_t>(plan_.spectrum_points()));
  // The type is named because nvcc 13.0 otherwise mixes up designated initialisers in templates.
  lines_ = Lines<T>{.nx = e.nx,
                    .ny = e.ny,
                    .nz = e.nz,
                    .cosine_x = !problem.periodic(0),
                    .cosine_y = !problem.periodic(1),
                    .periodic_z = problem.periodic(2),
                    .scale = static_cast<T>(1 / (static_cast<double>(e.nx) * e.ny))};
  work_ = core::DeviceBuffer<T>(static_cast<std::size_t>(line_work(lines_)));
  const LineCoefficients<T> z(problem, 2);
  low = copied(z.low, stream);
  high = copied(z.high, stream);
  lambda_x = copied(row_eigenvalues<T>(problem), stream);
  lambda_y = copied(column_eigenvalues<T>(problem), stream);
  const auto reals = [&](const std::vector<Complex>& turns) {
    std::vector<T> all;
    for (const Complex& t : turns) all.insert(all.end(), {t.real(), t.imag()});
    return copied(all, stream);
  };
  twiddles_x_ = reals(cosine_twiddles<T>(e.nx));
  twiddles_y_ = reals(cosine_twiddles<T>(e.ny));
  lines_.low = low.data();
  lines_.high = high.data();
  lines_.lambda_x = lambda_x.data();
  lines_.lambda_y = lambda_y.data();
  lines_.twiddles_x = reinterpret_cast<const ComplexOf<T>*>(twiddles_x_.data());
  lines_.twiddles_y = reinterpret_cast<const ComplexOf<T>*>(twiddles_y_.data());
  lines_.spectrum = reinterpret_cast<ComplexOf<T>*>(spectrum_.data());
  lines_.work = work_.data();
}

template <class T>
void Direct<T>::solve(const T* in, T* out, const core::Stream& stream) {
  const std::span<Complex> modes(reinterpret_cast<Complex*>(spectrum_.data()), spectrum_.size() / 2);
  plan_.forward(std::span<const T>(in, points_), modes, stream);
  enqueue(lines_, stream);
  plan_.backward(modes, std::span<T>(out, points_), stream);
}

template class Direct<float>;
template class Direct<double>;

}  // namespace speedwell::incompressible_flow::gpu
