// Statistics of velocities as a solver on cores has them: in fields with ghost cells, of a whole box or of one slab of
// it.
#pragma once

#include <array>
#include <vector>

#include "speedwell/apps/incompressible_flow/cpu/measure_rows.hpp"
#include "speedwell/apps/incompressible_flow/fields.hpp"
#include "speedwell/apps/incompressible_flow/statistics/statistics.hpp"

namespace speedwell::incompressible_flow {

/// The statistics of velocities whose ghost cells are filled. Axis d of the fields, the metrics and the problem is axis
/// order[d] of the result. `wall_drag` is as wall_drag() has it for the planes of the fields, and empty without solids.
/// Collective where the fields are one of several slabs: every rank gets the result, with the same bits for any number
/// of ranks and of threads, as sums are RowTeam's.
template <class T>
Statistics statistics_of_fields(const Problem& problem, const std::array<int, 3>& order, const Layout& layout,
                                RowTeam& team, const MeshMetrics<double>& metrics, const Fields<T>& velocity,
                                const std::array<std::vector<T>, 3>& wall_drag,
                                const MeasureRows<T>& kernels = measure_rows<T>());

extern template Statistics statistics_of_fields(const Problem&, const std::array<int, 3>&, const Layout&, RowTeam&,
                                                const MeshMetrics<double>&, const Fields<float>&,
                                                const std::array<std::vector<float>, 3>&, const MeasureRows<float>&);
extern template Statistics statistics_of_fields(const Problem&, const std::array<int, 3>&, const Layout&, RowTeam&,
                                                const MeshMetrics<double>&, const Fields<double>&,
                                                const std::array<std::vector<double>, 3>&, const MeasureRows<double>&);

}  // namespace speedwell::incompressible_flow
