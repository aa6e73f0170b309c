#include "speedwell/apps/binary_fluid/adapter.hpp"
#include "speedwell/apps/binary_fluid/lattice/lattice.hpp"

namespace speedwell::binary_fluid {
namespace {

// Counted in collision.hpp: moments 90, differences over 27 sites 50, collision 100, 38 populations 160.
constexpr double operations_of_a_site = 400;
constexpr double populations = 2 * velocities, moments = 15;

// Bytes of a site: of a run, and of the arrays that steps go over.
struct Bytes {
  double read = 0, written = 0, kept = 0;
};

harness::Work work_of(const Problem& problem, Precision precision, const Bytes& bytes) {
  const auto sites = static_cast<double>(problem.extents.sites());
  return {.operations = sites * problem.steps * operations_of_a_site,
          .arithmetic = precision == Precision::f32 ? harness::Arithmetic::f32 : harness::Arithmetic::f64,
          .bytes_read = sites * bytes.read,
          .bytes_written = sites * bytes.written,
          .updates = sites * problem.steps,
          .working_set = sites * bytes.kept};
}

// Numbers that are kept, and those of phi, which is computed.
double kept_bytes(Precision precision) { return precision == Precision::f64 ? 8 : 4; }
double phi_bytes(Precision precision) { return precision == Precision::f32 ? 4 : 8; }

// phi from g; collision in place, to the sites that populations go to or not; what Brazovskii's energy needs beside.
Bytes in_place(const Problem& problem, Precision precision) {
  const double word = kept_bytes(precision), phi = phi_bytes(precision);
  const double layered = problem.fluid.energy.kind == FreeEnergy::Kind::brazovskii ? phi : 0, steps = problem.steps;
  return {.read = steps * ((velocities + populations) * word + phi + 2 * layered),
          .written = steps * (populations * word + phi + layered),
          .kept = populations * word + phi + layered};
}

// The same, and a pass from one lattice to the other.
Bytes resident(const Problem& problem, Precision precision) {
  const double word = kept_bytes(precision), steps = problem.steps;
  Bytes bytes = in_place(problem, precision);
  bytes.read += steps * populations * word;
  bytes.written += steps * populations * word;
  bytes.kept += populations * word;
  return bytes;
}

// phi and moments from populations in f64; between these and the last step phi from nine of the fifteen numbers, and
// the step; populations.
Bytes in_moments(const Problem& problem, Precision precision) {
  const double word = kept_bytes(precision), phi = phi_bytes(precision), between = problem.steps - 1;
  return {.read = (velocities + populations) * 8 + phi + between * ((9 + moments) * word + phi) + moments * word,
          .written = phi + moments * word + between * (phi + moments * word) + populations * 8,
          .kept = 2 * moments * word + phi};
}

// The same on all cores, where the last step's moments stay what they are: populations are made outside the steps.
Bytes moments_on_host(const Problem& problem, Precision precision) {
  const double word = kept_bytes(precision), phi = phi_bytes(precision), steps = problem.steps;
  return {.read = (velocities + populations) * word + steps * phi + (steps - 1) * (9 + moments) * word,
          .written = steps * (phi + moments * word),
          .kept = 2 * moments * word + phi};
}

// Each step sends all sites, with their halo and side by side until the last of the study's steps, and gets them back.
harness::Work study_work(const Study& study, const Problem& problem, Precision precision) {
  const Extents& e = problem.extents;
  const double with_halo = static_cast<double>((e.nx + 2) * (e.ny + 2) * (e.nz + 2));
  const double padded = static_cast<double>((e.nx + 15) / 16 * 16 * e.ny * e.nz);
  const double sent = study.coalesced ? padded : with_halo, word = kept_bytes(precision), steps = problem.steps;
  constexpr double differences = 4, velocity = 3;
  const double velocities_sent = study.coalesced ? 0 : study.fewer_transfers ? 1 : steps;
  harness::Work all = work_of(problem, precision, {.kept = populations * word});
  all.bytes_read = sent * word * (steps * (populations + differences) + velocities_sent * velocity);
  all.bytes_written = sent * word * steps * (populations + velocity);
  all.over_link = true;
  return all;
}

}  // namespace

harness::Work best_work(const Problem& problem, Precision precision) {
  if (choose(problem) != Method::moments) return host_work(Method::in_place, problem, precision);
  const double each = problem.steps * moments * kept_bytes(precision);
  return work_of(problem, precision, {each, each, 2 * moments * kept_bytes(precision)});
}

harness::Work host_work(Method method, const Problem& problem, Precision precision) {
  if (method == Method::moments && choose(problem) == Method::moments)
    return work_of(problem, precision, moments_on_host(problem, precision));
  const double word = kept_bytes(precision), each = problem.steps * populations * word;
  return work_of(problem, precision, {each, each, populations * word});
}

harness::Work gpu_work(const Step& step, Method method, const Problem& problem, Precision precision) {
  switch (method) {
    case Method::study:
      return study_work(step.study, problem, precision);
    case Method::resident:
      return work_of(problem, precision, resident(problem, precision));
    case Method::in_place:
      return work_of(problem, precision, in_place(problem, precision));
    case Method::moments:
      break;
  }
  return work_of(problem, precision, in_moments(problem, precision));
}

}  // namespace speedwell::binary_fluid
