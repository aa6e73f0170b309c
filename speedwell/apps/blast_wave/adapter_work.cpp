#include "speedwell/apps/blast_wave/adapter_work.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "speedwell/apps/blast_wave/adapter_workload.hpp"
#include "speedwell/apps/blast_wave/distributed.hpp"
#include "speedwell/apps/blast_wave/point.hpp"
#include "speedwell/apps/blast_wave/ranks/planes.hpp"

namespace speedwell::blast_wave {
namespace {

// Iterations of a step in the published history of the standard size, 2091 in 100 steps, and of blocks in f32, which
// need 1915. What work there is cannot be known before it is done: larger meshes need more, other problems other
// numbers.
constexpr double iterations_of_a_step = 20.91, iterations_with_f32_blocks = 19.15;
// Operations per point: a matrix-free product (apply_blocks()), a product with stored blocks, the reductions and vector
// updates of an iteration, and the part of a time step before the iterations.
constexpr double product_operations = 9 * 60 + 6 * 10, block_operations = 2 * entries;
constexpr double vector_operations = 5 * 22, step_operations = 2600;

bool has_published_iterations(const Problem& p) {
  const Problem published{};
  const Gas &gas = p.gas, &its_gas = published.gas;
  const Blast &blast = p.blast, &its_blast = published.blast;
  return p.extents.nx >= 65 && p.extents.ny >= 65 && p.extents.nz >= 64 && p.cfl == published.cfl &&
         p.theta == published.theta && p.max_squared_residual == published.max_squared_residual &&
         p.kappa2 == published.kappa2 && p.kappa4 == published.kappa4 && gas.gamma == its_gas.gamma &&
         gas.reynolds == its_gas.reynolds && gas.prandtl == its_gas.prandtl && gas.viscous == its_gas.viscous &&
         blast.pressure == its_blast.pressure && blast.density == its_blast.density &&
         blast.radius == its_blast.radius && blast.width == its_blast.width;
}

// Bytes and operations per point and iteration, in which there are two products and the updates of vectors of five
// numbers: README.md, section Limits.
struct Traffic {
  double iterations, operations, read, written, step_written, kept;
};
constexpr double vector_bytes = 40, vectors_kept = 7;
Traffic traffic_of(BlockSource blocks) {
  if (blocks == BlockSource::recomputed)
    return {iterations_of_a_step,       product_operations, 12 * vector_bytes, 5 * vector_bytes, 0,
            vectors_kept * vector_bytes};
  const bool f64 = blocks == BlockSource::f64;
  const double stored = entries * (f64 ? 8.0 : 4.0);
  return {f64 ? iterations_of_a_step : iterations_with_f32_blocks,
          block_operations,
          2 * stored + 10 * vector_bytes,
          5 * vector_bytes,
          stored,
          vectors_kept * vector_bytes + stored};
}

harness::Work work_of(const harness::Problem& p, const Traffic& t) {
  const Problem problem = problem_of(p);
  const double points = static_cast<double>(problem.extents.points()), updates = points * problem.steps;
  harness::Work all{
      .operations = updates * (t.iterations * (2 * t.operations + vector_operations) + step_operations),
      .arithmetic = harness::Arithmetic::f64,
      .bytes_read = std::max(updates * t.iterations * t.read, vector_bytes * points),
      .bytes_written = std::max(updates * (t.iterations * t.written + t.step_written), vector_bytes * points),
      .updates = updates,
      .working_set = t.kept * points};
  if (!has_published_iterations(problem))
    all.no_limit = "how many iterations a step takes is known of the published problem alone";
  return all;
}

}  // namespace

harness::Work work(const harness::Problem& p) {
  return work_of(p, {iterations_with_f32_blocks, product_operations, 0, 0, 0, vectors_kept * vector_bytes});
}

std::function<harness::Work(const harness::Problem&)> with(BlockSource blocks) {
  return [blocks](const harness::Problem& p) { return work_of(p, traffic_of(blocks)); };
}

// What a rank or GPU computes and sends: per step two planes of the state to each neighbour, per product one of a
// vector. Between ranks these are five messages each. Kernels store them into the memory of other GPUs, where the sums
// tell that they have arrived; a sum of five numbers takes two, and the maxima of a step one for each four GPUs.
harness::Division divide(const harness::Problem& p, const harness::Variant& variant, int parts) {
  const Problem problem = problem_of(p);
  const Extents& e = problem.extents;
  const bool on_gpus = variant.backend == harness::Backend::multi;
  on_gpus ? require_planes(e, parts) : DistributedSolver::require_ranks(e, parts);
  if (!has_published_iterations(problem))
    throw std::invalid_argument("how many iterations a step takes is known of the published problem alone");
  harness::Division d = on_gpus ? harness::division_of_items(e.nz, parts)
                                : harness::division_of_items((e.points() + tile - 1) / tile, parts);
  if (parts == 1) return d;
  const double steps_ = problem.steps, products = steps_ * (2 * iterations_of_a_step + 1);
  const double plane = static_cast<double>(e.nx * e.ny);
  d.hiding = std::max(0.0, 1 - 2 * plane / (d.share * static_cast<double>(e.points())));
  d.messages = on_gpus ? 0 : 10 * (products + steps_);
  d.bytes = 2 * vector_bytes * plane * (products + 2 * steps_);
  d.sums = on_gpus ? steps_ * (3 * iterations_of_a_step + 3 + 2 * std::ceil(parts / 4.0))
                   : steps_ * (2 * iterations_of_a_step + 4);
  return d;
}

}  // namespace speedwell::blast_wave
