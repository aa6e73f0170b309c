// The keys of cases with solver = "binary_fluid". Defaults are those of Problem, Beginning and FluidCase. All
// quantities are in lattice units: sites and steps are 1 apart, the reference density is 1.
#include <fmt/format.h>

#include "speedwell/apps/binary_fluid/case_file.hpp"

namespace speedwell::binary_fluid {
namespace {

using Key = io::CaseKey;
using io::Range;

std::string number(double x) { return fmt::format("{}", x); }

void add_fluid(std::vector<Key>& keys) {
  using enum Key::Kind;
  const Fluid f;
  const FreeEnergy& e = f.energy;
  for (Key& key : std::vector<Key>{
           {.name = "energy",
     .kind = word,
     .about = "free energy",
     .default_value = "\"symmetric\"",
     .words = {"symmetric", "brazovskii"}},
           {.name = "a", .about = "a of the free energy; below 0 the phases separate", .default_value = number(e.a)},
           {.name = "b", .about = "b of the free energy", .default_value = number(e.b), .range = Range::above(0)},
           {.name = "kappa",
           .about = "kappa of the free energy (brazovskii: any finite number)",
           .default_value = number(e.kappa),
           .range = Range::above(0)},
           {.name = "c",
           .about = "c of the free energy (brazovskii: above 0)",
           .default_value = number(e.c),
           .range = Range::within(0, 0)},
           {.name = "mobility",
           .about = "mobility M of the order parameter: d phi/dt + div(phi u) = M lap mu",
           .default_value = number(f.mobility),
           .range = Range::above(0)},
           {.name = "viscosity",
           .about = "shear viscosity",
           .default_value = number(f.viscosity),
           .range = Range::above(0)},
           {.name = "bulk_viscosity",
           .about = "bulk viscosity; 0: equal to the shear viscosity",
           .default_value = number(f.bulk_viscosity),
           .range = Range::from(0)},
           {.name = "force", .kind = triple, .about = "force on every site", .default_value = "[0, 0, 0]"},
       }) {
    key.table = "fluid";
    keys.push_back(key);
  }
}

void add_walls(std::vector<Key>& keys) {
  using enum Key::Kind;
  keys.push_back({.table = "walls",
                  .name = "axes",
                  .kind = word,
                  .about = "axes with walls at both ends",
                  .default_value = "\"none\"",
                  .words = {"none", "x", "y", "z", "xy", "xz", "yz", "xyz"}});
  for (const std::string axis : {"x", "y", "z"})
    for (const std::string end : {"low", "high"})
      keys.push_back({.table = "walls",
                      .name = fmt::format("{}_{}_velocity", axis, end),
                      .kind = triple,
                      .about = fmt::format("tangential velocity of the wall at the {} end of {}", end, axis),
                      .default_value = "[0, 0, 0]"});
}

void add_scheme(std::vector<Key>& keys) {
  using enum Key::Kind;
  keys.push_back({.table = "scheme",
                  .name = "collision",
                  .kind = word,
                  .about = "relaxation: ten moments, two relaxation times, or one",
                  .default_value = "\"m10\"",
                  .words = {"m10", "trt", "bgk"}});
  keys.push_back({.table = "scheme",
                  .name = "order_parameter",
                  .kind = word,
                  .about = "flux of the order parameter: relaxed, or set to phi u; the same mobility",
                  .default_value = "\"relaxed\"",
                  .words = {"relaxed", "projected"}});
  keys.push_back({.table = "scheme",
                  .name = "stencil",
                  .kind = whole,
                  .about = "points of the stencil for differences of phi, 7 or 27",
                  .default_value = "27"});
  keys.push_back({.table = "scheme",
                  .name = "precision",
                  .kind = word,
                  .about = "precision of storage and arithmetic",
                  .default_value = "\"f64\"",
                  .words = {"f64", "f32", "mixed"}});
}

void add_start(std::vector<Key>& keys) {
  using enum Key::Kind;
  const Beginning b;
  for (Key& key : std::vector<Key>{
           {.name = "kind",
     .kind = word,
     .about = "initial state",
     .default_value = "\"spinodal\"",
     .words = {"spinodal", "droplet", "flat", "wave", "rest"}},
           {.name = "phi0",
           .about = "mean of the order parameter (spinodal, wave, rest)",
           .default_value = number(b.phi0)},
           {.name = "noise",
           .about = "amplitude of the order parameter (spinodal, wave)",
           .default_value = number(b.noise)},
           {.name = "radius",
           .about = "radius of the droplet",
           .unit = "sites",
           .default_value = number(b.radius),
           .range = Range::above(0)},
           {.name = "axis",
           .kind = word,
           .about = "axis of a flat interface or a wave",
           .default_value = "\"z\"",
           .words = {"x", "y", "z"}},
           {.name = "stirring",
           .about = "amplitude of the initial velocity",
           .default_value = number(b.stirring),
           .range = Range::within(-0.1, 0.1)},
           {.name = "seed",
           .kind = count,
           .about = "seed of the random numbers",
           .default_value = fmt::format("{}", b.seed),
           .range = Range::from(0)},
           {.name = "file",
           .kind = Key::Kind::text,
           .about = "file with phi of all sites (f64, little-endian, x fastest), or both distributions; empty: none",
           .default_value = "\"\""},
       }) {
    key.table = "start";
    keys.push_back(key);
  }
}

io::CaseSchema make() {
  using enum Key::Kind;
  const FluidCase c;
  const Extents& e = c.problem.extents;
  io::CaseSchema schema = {
      .solver = "binary_fluid",
      .tables = {{"lattice", "Sites of the lattice"},
                 {"fluid", "The fluids, in lattice units: sites and steps are 1 apart, the density is about 1"},
                 {"walls", "Walls half a site outside of the last sites; axes without them are periodic"},
                 {"scheme", "Collision scheme"},
                 {"start", "Initial state"},
                 {"time", "Duration"},
                 {"output", "Output files, written at multiples of a number of steps"}},
      .keys = {
          {.table = "lattice",
           .name = "sites",
           .kind = counts,
           .about = "sites along x, y and z",
           .default_value = fmt::format("[{}, {}, {}]", e.nx, e.ny, e.nz),
           .range = Range::within(1, 32768)},
      }};
  schema.add(io::first_keys({"binary_fluid"}));
  constexpr std::int64_t steps = 1000;
  schema.add(io::keys_by_steps(steps, c.history_every, c.fields_every, c.checkpoint_every));
  add_fluid(schema.keys);
  add_walls(schema.keys);
  add_scheme(schema.keys);
  add_start(schema.keys);
  return schema;
}

}  // namespace

const io::CaseSchema& case_schema() {
  static const io::CaseSchema schema = make();
  return schema;
}

}  // namespace speedwell::binary_fluid
