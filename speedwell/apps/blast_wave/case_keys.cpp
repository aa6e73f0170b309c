// The keys of cases with solver = "blast_wave". Defaults are those of Problem and BlastCase.
#include <fmt/format.h>

#include "speedwell/apps/blast_wave/case_file.hpp"

namespace speedwell::blast_wave {
namespace {

using Key = io::CaseKey;
using io::Range;

std::string number(double x) { return fmt::format("{}", x); }

io::CaseSchema make() {
  const BlastCase c;
  const Problem& p = c.problem;
  using enum Key::Kind;
  io::CaseSchema schema = {
      .solver = "blast_wave",
      .tables = {{"mesh", "Points of the periodic unit box"},
                 {"gas",
                  "A calorically perfect gas; lengths in edges of the box, velocities in ambient speeds of sound"},
                 {"blast", "High pressure and density in the middle of the box"},
                 {"scheme", "The implicit step and its solver"},
                 {"time", "How long"},
                 {"output", "What is written, at multiples of a number of steps"}},
      .keys = {
          {.table = "mesh",
           .name = "points",
           .kind = counts,
           .about = "points along x, y and z",
           .default_value = fmt::format("[{}, {}, {}]", p.extents.nx, p.extents.ny, p.extents.nz),
           .range = Range::within(5, 4096)},
          {.table = "gas",
           .name = "gamma",
           .about = "ratio of specific heats",
           .default_value = number(p.gas.gamma),
           .range = Range::above(1)},
          {.table = "gas",
           .name = "reynolds",
           .about = "Reynolds number of the box's edge and the ambient speed of sound",
           .default_value = number(p.gas.reynolds),
           .range = Range::above(0)},
          {.table = "gas",
           .name = "prandtl",
           .about = "Prandtl number",
           .default_value = number(p.gas.prandtl),
           .range = Range::above(0)},
          {.table = "gas",
           .name = "viscous",
           .kind = flag,
           .about = "whether there is viscosity",
           .default_value = p.gas.viscous ? "true" : "false"},
          {.table = "blast",
           .name = "pressure",
           .about = "pressure inside over that outside",
           .default_value = number(p.blast.pressure),
           .range = Range::above(0)},
          {.table = "blast",
           .name = "density",
           .about = "density inside over that outside",
           .default_value = number(p.blast.density),
           .range = Range::above(0)},
          {.table = "blast",
           .name = "radius",
           .about = "radius of the inside",
           .unit = "edges of the box",
           .default_value = number(p.blast.radius),
           .range = Range::within(0, 0.5)},
          {.table = "blast",
           .name = "width",
           .about = "width of the transition",
           .unit = "edges of the box",
           .default_value = number(p.blast.width),
           .range = Range::above(0)},
          {.table = "blast",
           .name = "start_file",
           .kind = Key::Kind::text,
           .about = "file with five variables of all points (f64, little-endian, one after the other) to begin with; "
                    "empty: the blast",
           .default_value = "\"\""},
          {.table = "scheme",
           .name = "cfl",
           .about = "CFL number of a step",
           .default_value = number(p.cfl),
           .range = {.min = 0, .max = 20, .with_min = false}},
          {.table = "scheme",
           .name = "theta",
           .about = "1: Euler backward; 0.5: trapezoidal",
           .default_value = number(p.theta),
           .range = Range::within(0.5, 1)},
          {.table = "scheme",
           .name = "kappa2",
           .about = "dissipation of second differences",
           .default_value = number(p.kappa2),
           .range = Range::from(0)},
          {.table = "scheme",
           .name = "kappa4",
           .about = "dissipation of fourth differences",
           .default_value = number(p.kappa4),
           .range = Range::from(0)},
          {.table = "scheme",
           .name = "tolerance",
           .about = "sum of squares of the residual at which BiCGSTAB stops",
           .default_value = number(p.max_squared_residual),
           .range = Range::above(0)},
          {.table = "scheme",
           .name = "iterations",
           .kind = count,
           .about = "iterations of BiCGSTAB in a step, at most",
           .default_value = fmt::format("{}", p.max_iterations),
           .range = Range::from(1)},
      }};
  schema.add(io::first_keys({"blast_wave", "blast"}));
  schema.add(io::keys_by_steps(p.steps, c.history_every, c.fields_every, c.checkpoint_every));
  return schema;
}

}  // namespace

const io::CaseSchema& case_schema() {
  static const io::CaseSchema schema = make();
  return schema;
}

}  // namespace speedwell::blast_wave
