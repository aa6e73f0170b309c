// Statistics of a flow: energy, dissipation, stresses and scales; and its convection rate. <> is the mean over the
// box's volume, in which solids count as fluid at rest; u' = u - <u>.
#pragma once

#include <array>
#include <vector>

#include "speedwell/apps/incompressible_flow/problem.hpp"

namespace speedwell::incompressible_flow {

struct Statistics {
  std::array<double, 3> mean{};      // <u>
  std::array<double, 6> stresses{};  // <u'_i u'_j>: xx, yy, zz on their faces, xy, xz, yz between cell centres
  double turbulent_energy = 0;       // half of xx + yy + zz
  double energy = 0;                 // <u u> / 2
  /// nu times the mean over volumes of (difference / distance)^2 over all links: the loss by discrete diffusion, so
  /// that in free decay d energy / dt = -dissipation up to the error of time steps. The work of moving walls is not
  /// included.
  double dissipation = 0;
  double skewness = 0;    // mean over axes of <(du/dx)^3> / <(du/dx)^2>^(3/2)
  double divergence = 0;  // maximum over cells, times the cell's minimum width, over the largest velocity
  double fastest = 0;     // the largest velocity component

  // Scales of isotropic turbulence; NaN where they have no meaning.
  double reynolds(double viscosity) const;         // k^2 / (nu eps)
  double taylor_reynolds(double viscosity) const;  // sqrt(20 / 3 k^2 / (nu eps))
  double eddy_length() const;                      // k^(3/2) / eps
  double taylor_length(double viscosity) const;    // sqrt(10 nu k / eps)
  double kolmogorov_length(double viscosity) const;
  std::array<double, 6> anisotropy() const;  // R_ij / 2k - delta_ij / 3, in the order of stresses
};

/// Sums are over rows and then pairwise, independently of the number of threads.
template <class T>
Statistics statistics_of(const Problem& problem, const State<T>& state);

/// The maximum over the cells of the sum over the axes of |velocity| / width, in 1 / time, for stable_step(): the
/// faster of the velocities through the two faces of a cell along each axis, over its width. NaN if a velocity is not
/// finite. The same as Solver::convection_rate() of the state but for rounding, with the same bits for any number of
/// threads of OpenMP, 0: its default. For a moving mesh the problem is at_time() of the state. Throws
/// std::invalid_argument for a negative number of threads.
template <class T>
double convection_rate_of(const Problem& problem, const State<T>& state, int threads = 0);

extern template Statistics statistics_of(const Problem&, const State<float>&);
extern template Statistics statistics_of(const Problem&, const State<double>&);
extern template double convection_rate_of(const Problem&, const State<float>&, int);
extern template double convection_rate_of(const Problem&, const State<double>&, int);

}  // namespace speedwell::incompressible_flow
