// The keys of cases with solver = "incompressible_flow". The units of length and time are the user's own.
#include <fmt/format.h>

#include "speedwell/apps/incompressible_flow/cases/case_file.hpp"
#include "speedwell/apps/incompressible_flow/method.hpp"

namespace speedwell::incompressible_flow {
namespace {

using Key = io::CaseKey;
using io::Range;
using enum Key::Kind;

// Adds the keys of one table.
void add(std::vector<Key>& keys, const std::string& table, std::vector<Key> more) {
  for (Key& key : more) {
    key.table = table;
    keys.push_back(std::move(key));
  }
}

void add_mesh(std::vector<Key>& keys) {
  add(keys, "mesh",
      {{.name = "cells",
        .kind = triple,
        .about = "cells along x, y and z",
        .default_value = "[1, 1, 1]",
        .range = Range::within(1, 65536),
        .example = "[32, 32, 32]"},
       {.name = "size",
        .kind = triple,
        .about = "lengths of the box along x, y and z",
        .unit = "length",
        .default_value = "[1, 1, 1]",
        .range = Range::above(0)}});
  for (const std::string axis : {"x", "y", "z"})
    add(keys, "mesh",
        {{.name = axis + "_spacing",
          .kind = word,
          .about = "widths of the cells along " + axis,
          .default_value = "\"uniform\"",
          .words = {"uniform", "two-sided", "one-sided", "wavy"}},
         {.name = axis + "_stretching",
          .about = "stretching parameter; two-sided and one-sided: above 0 and below 50, wavy: between -1 and 1",
          .otherwise = "2; wavy: 0.3",
          .example = "2"},
         {.name = axis + "_faces",
          .kind = increasing,
          .about = "faces of the cells, instead of cells and size",
          .unit = "length",
          .otherwise = "from cells, size and spacing",
          .example = "[0, 0.5, 1]"}});
}

void add_edges(std::vector<Key>& keys) {
  const std::vector<std::string> kinds = {"periodic", "wall", "slip"};
  for (const std::string axis : {"x", "y", "z"}) {
    add(keys, "edges",
        {{.name = axis,
          .kind = word,
          .about = "boundary condition on both sides of the box along " + axis,
          .default_value = "\"periodic\"",
          .words = kinds}});
    for (const std::string end : {"low", "high"})
      add(keys, "edges",
          {{.name = axis + "_" + end,
            .kind = word,
            .about = fmt::format("boundary condition on the {} side along {} only", end, axis),
            .words = kinds,
            .otherwise = "that of " + axis,
            .example = "\"periodic\""},
           {.name = fmt::format("{}_{}_velocity", axis, end),
            .kind = triple,
            .about = "tangential velocity of that side, a moving wall",
            .unit = "length/time",
            .default_value = "[0, 0, 0]"}});
  }
}

void add_fluid_and_start(std::vector<Key>& keys) {
  add(keys, "fluid",
      {{.name = "viscosity",
        .about = "kinematic viscosity",
        .unit = "length^2/time",
        .default_value = "0",
        .range = Range::from(0)},
       {.name = "acceleration",
        .kind = triple,
        .about = "uniform acceleration: minus a mean pressure gradient over density",
        .unit = "length/time^2",
        .default_value = "[0, 0, 0]"}});
  for (const std::string axis : {"x", "y", "z"})
    add(keys, "fluid",
        {{.name = "bulk_velocity_" + axis,
          .about = "mean velocity along " + axis + " that a uniform force maintains",
          .unit = "length/time",
          .otherwise = "none is kept",
          .example = "1"}});
  add(keys, "start",
      {{.name = "flow",
        .kind = word,
        .about = "initial flow",
        .default_value = "\"rest\"",
        .words = {"rest", "taylor-green", "taylor-green-2d", "channel"}},
       {.name = "noise",
        .about = "root mean square of random velocities that are added",
        .unit = "length/time",
        .default_value = "0",
        .range = Range::from(0)},
       {.name = "seed",
        .kind = whole,
        .about = "seed of the noise, and of the phases of spectrum",
        .default_value = "1"},
       {.name = "spectrum",
        .kind = rows,
        .about = "a random flow: points kappa, E of its energy spectrum, with power laws between them",
        .unit = "1/length, length^3/time^2",
        .otherwise = "none",
        .example = "[[10, 0.1], [100, 0.001]]",
        .columns = 2},
       {.name = "skewness",
        .about = "if below 0, the flow of spectrum develops before time 0 until its velocity derivatives have it",
        .default_value = "0",
        .range = Range::within(-1, 0)},
       {.name = "developments",
        .kind = count,
        .about = "how often it develops, and is then scaled back to the spectrum",
        .default_value = "2",
        .range = Range::from(1)}});
}

void add_time_and_pressure(std::vector<Key>& keys) {
  add(keys, "time",
      {{.name = "end",
        .about = "end time",
        .unit = "time",
        .range = Range::above(0),
        .example = "1",
        .required = true,
        .may_change = true},
       {.name = "steady",
        .about = "the run ends when max |du/dt| <= steady max |u|, of the last of every 10 steps; 0: never",
        .unit = "1/time",
        .default_value = "0",
        .range = Range::from(0),
        .may_change = true},
       {.name = "largest_step",
        .about = "maximum time step; 0: the largest stable one",
        .unit = "time",
        .default_value = "0",
        .range = Range::from(0)},
       {.name = "scheme",
        .kind = word,
        .about = "Runge-Kutta steps: third order, or second order with two registers",
        .default_value = "\"w3\"",
        .words = {"w3", "s3"}},
       {.name = "cfl",
        .about = "CFL number of a step (s3: below 2)",
        .default_value = "0.9",
        .range = {.min = 0, .max = max_cfl(Scheme::w3), .with_min = false, .with_max = false}},
       {.name = "diffusion",
        .kind = word,
        .about = "explicit or trapezoidal: half implicit",
        .default_value = "\"explicit\"",
        .words = {"explicit", "trapezoidal"}}});
  add(keys, "pressure",
      {{.name = "solver",
        .kind = word,
        .about = "solver of the pressure",
        .default_value = "\"auto\"",
        .words = {"auto", "direct", "cg"}},
       {.name = "tolerance",
        .about = "relative residual tolerance ||r|| / ||b|| of conjugate gradients; 0: the smallest safe one",
        .range = {.min = 1e-15, .max = 1, .with_max = false, .or_zero = true},
        .otherwise = "1e-8; f32: 1e-5",
        .example = "1e-8"}});
}

// The key of an output interval.
Key every(const std::string& what, const std::string& about, bool may_change = true) {
  return {.name = what + "_every",
          .about = about,
          .unit = "time",
          .default_value = "0",
          .range = Range::from(0),
          .may_change = may_change};
}
Key moments(const std::string& what) {
  return {.name = what + "_at",
          .kind = increasing,
          .about = "more times of " + what,
          .unit = "time",
          .range = Range::above(0),
          .otherwise = "none",
          .example = "[0.5, 0.75]",
          .may_change = true};
}

void add_output(std::vector<Key>& keys) {
  add(keys, "output",
      {every("history", "between lines of history.csv; 0: every step"),
       every("fields", "between files of fields; 0: none"),
       moments("fields"),
       every("checkpoint", "between checkpoints; 0: at the end alone"),
       every("spectra", "between spectra; 0: none, but with spectra_at that of time 0 and those"),
       moments("spectra"),
       every("profiles", "between samples of profiles.csv, between two walls; 0: none", false),
       {.name = "profiles_from",
        .about = "when profiles begin",
        .unit = "time",
        .default_value = "0",
        .range = Range::from(0)},
       {.name = "decay_from",
        .about = "from when on decay.csv has the exponent of the decay",
        .unit = "time",
        .range = Range::from(0),
        .otherwise = "no decay.csv",
        .example = "0",
        .may_change = true},
       {.name = "probes",
        .kind = rows,
        .about = "points x, y, z of probes.csv, a row of which is a sample",
        .unit = "length",
        .otherwise = "none",
        .example = "[[0.5, 0.5, 0.5], [0.25, 0.5, 0.5]]",
        .columns = 3},
       every("probes", "between samples of probes; 0: every step"),
       {.name = "lines",
        .kind = rows,
        .about = "lines x, y, z, x, y, z between two points, a file each in lines/",
        .unit = "length",
        .otherwise = "none",
        .example = "[[0, 0.5, 0.5, 1, 0.5, 0.5]]",
        .columns = 6},
       {.name = "lines_points",
        .kind = count,
        .about = "points of a line, its ends included (at most 10^6)",
        .default_value = "101",
        .range = Range::from(2)},
       every("lines", "between files of lines, the last of which is at the end; 0: at the end alone"),
       moments("lines")});
  for (const std::string axis : {"x", "y", "z"})
    add(keys, "output",
        {{.name = "slices_" + axis,
          .kind = increasing,
          .about = "planes across " + axis + ", a VTK file each in slices/",
          .unit = "length",
          .otherwise = "none",
          .example = "[0.25, 0.5]"}});
  add(keys, "output",
      {every("slices", "between files of slices, the last of which is at the end; 0: at the end alone"),
       moments("slices")});
}

void add_turbulence(std::vector<Key>& keys) {
  const Stirring s;
  const std::vector<std::string> axes = {"x", "y", "z"};
  add(keys, "cubes",
      {{.name = "count",
        .kind = count,
        .about = "number of cubes at random positions",
        .default_value = "0",
        .range = Range::from(0)},
       {.name = "edge",
        .kind = count,
        .about = "edge of a cube",
        .unit = "cells",
        .default_value = "2",
        .range = Range::from(1)},
       {.name = "seed", .kind = whole, .about = "seed of their positions", .default_value = "1"},
       {.name = "link",
        .kind = word,
        .about = "drag of solid neighbours: in full, or by the solid area",
        .default_value = "\"full\"",
        .words = {"full", "by-area"}}});
  add(keys, "stirring",
      {{.name = "acceleration",
        .about = "magnitude of the acceleration",
        .unit = "length/time^2",
        .default_value = "80",
        .range = Range::from(0)},
       {.name = "interval",
        .about = "between its directions",
        .unit = "time",
        .default_value = fmt::format("{}", s.interval),
        .range = Range::above(0)},
       {.name = "stop",
        .about = "when stirring ends",
        .unit = "time",
        .default_value = fmt::format("{}", s.stop),
        .range = Range::above(0)},
       {.name = "remove",
        .about = "when the cubes become fluid, after the stop",
        .unit = "time",
        .default_value = fmt::format("{}", s.remove)},
       {.name = "seed",
        .kind = whole,
        .about = "seed of the directions",
        .otherwise = "that of [cubes]",
        .example = "1"}});
  add(keys, "strain",
      {{.name = "rate",
        .about = "rate S of stretching and of compression",
        .unit = "1/time",
        .range = Range::above(0),
        .example = "1",
        .required = true},
       {.name = "stretched", .kind = word, .about = "axis that is stretched", .default_value = "\"x\"", .words = axes},
       {.name = "compressed",
        .kind = word,
        .about = "axis that is compressed",
        .default_value = "\"y\"",
        .words = axes},
       {.name = "begin",
        .about = "when it begins, once the cubes are gone",
        .unit = "time",
        .otherwise = "when the cubes are removed, or 0",
        .example = "0"},
       {.name = "end",
        .about = "when it ends, after it begins",
        .unit = "time",
        .otherwise = "that of the run",
        .example = "1"}});
}

io::CaseSchema make() {
  io::CaseSchema schema = {
      .solver = "incompressible_flow",
      .tables = {{"mesh", "The box and its cells"},
                 {"edges", "The sides of the box: both of an axis are periodic, or none"},
                 {"fluid", "The fluid, and what drives it"},
                 {"start", "Initial flow"},
                 {"time", "Duration and time steps"},
                 {"pressure", "Pressure solver"},
                 {"output", "Output files, written at multiples of a time"},
                 {"cubes", "Solid cubes at random positions"},
                 {"stirring", "An acceleration whose direction changes, and the removal of the cubes", true},
                 {"strain", "A mean strain, with which the box moves", true}},
      .keys = {{.table = "",
                .name = "precision",
                .kind = word,
                .about = "double or single precision",
                .default_value = "\"f64\"",
                .words = {"f64", "f32"}}}};
  schema.add(io::first_keys({"incompressible_flow"}));
  add_mesh(schema.keys);
  add_edges(schema.keys);
  add_fluid_and_start(schema.keys);
  add_time_and_pressure(schema.keys);
  add_output(schema.keys);
  add_turbulence(schema.keys);
  return schema;
}

}  // namespace

const io::CaseSchema& case_schema() {
  static const io::CaseSchema schema = make();
  return schema;
}

}  // namespace speedwell::incompressible_flow
