// The fields of a flow for checkpoints and for ParaView.
#pragma once

#include <vector>

#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/io/checkpoint.hpp"
#include "speedwell/simulation/field_series.hpp"

namespace speedwell::simulation {

/// The units of fields, in those of the case. The pressure is divided by the density.
inline constexpr const char *velocity_unit = "length/time", *pressure_unit = "length^2/time^2";

/// Velocity and pressure in the state's own memory.
template <class T>
std::vector<io::CheckpointField> checkpoint_fields(const incompressible_flow::State<T>& state);

/// Writes velocities at cell centres, pressure and, if there are any, solids. Throws io::OutputError.
template <class T>
void write_flow_fields(const incompressible_flow::Problem& problem, const incompressible_flow::State<T>& state,
                       FieldSeries& series);

}  // namespace speedwell::simulation
