#include "speedwell/apps/blast_wave/block_matvec/adapter.hpp"

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "speedwell/apps/blast_wave/adapter.hpp"
#include "speedwell/apps/blast_wave/block_matvec/adapter_workload.hpp"
#include "speedwell/harness/adapter.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::blast_wave::block_matvec {
namespace {

using harness::Backend;

Problem problem_of(const harness::Problem& p) { return {extents_of(p, 3), p.seed()}; }

double points_of(const harness::Problem& p) {
  const Problem problem = problem_of(p);
  require_valid(problem);
  return static_cast<double>(problem.extents.points());
}

constexpr double matrix_bytes = 8 * entries_of_point, vector_bytes = 8 * block;  // of a point

harness::Work work(const harness::Problem& p) {
  const double points = points_of(p);
  return {.operations = 2 * entries_of_point * points,
          .arithmetic = harness::Arithmetic::f64,
          .bytes_read = (matrix_bytes + vector_bytes) * points,
          .bytes_written = vector_bytes * points,
          .updates = points,
          .working_set = (matrix_bytes + 2 * vector_bytes) * points};
}

// Block rows of a general matrix: the columns of a point's blocks, and where they begin.
constexpr double index_bytes = 4 * (neighbours + 1);
harness::Work indexed_work(const harness::Problem& p) {
  harness::Work all = work(p);
  all.bytes_read += index_bytes * points_of(p);
  all.working_set += index_bytes * points_of(p);
  return all;
}

class HostProduct {
 public:
  HostProduct(const BlockWorkload& workload, const harness::Context& context, bool all_cores)
      : workload_(workload), threads_(all_cores ? context.threads : 1) {}

  void execute(std::vector<double>& y) { workload_.matrix().multiply(workload_.x(), y, threads_); }
  harness::Choices choices() const { return {harness::instruction_set()}; }

 private:
  const BlockWorkload& workload_;
  int threads_;
};

std::vector<harness::Variant> variants() {
  const auto host = [](const harness::Problem& p) {
    return harness::Footprint{.host_bytes = vector_bytes * points_of(p)};
  };
  const auto device = [](double host_bytes_of_point, double device_bytes_of_point) {
    return [=](const harness::Problem& p) {
      const double points = points_of(p);
      return harness::Footprint{.host_bytes = host_bytes_of_point * points,
                                .device_bytes = device_bytes_of_point * points};
    };
  };
  constexpr double system_bytes = matrix_bytes + 2 * vector_bytes;
  return {
      {.name = "serial",
       .backend = Backend::serial,
       .description = "one core: blocks in tiles of 32 points, vectors across points",
       .make = harness::host_solver<BlockWorkload, HostProduct>(false),
       .footprint = host},
      {.name = "openmp",
       .backend = Backend::openmp,
       .description = "all cores: the same, tiles shared out among them",
       .make = harness::host_solver<BlockWorkload, HostProduct>(true),
       .footprint = host},
      {.name = "cuda",
       .backend = Backend::cuda,
       .role = harness::Role::best,
       .description = "a thread for a point: the blocks of 32 points stream past, rows of 32 entries",
       .footprint = device(vector_bytes, system_bytes)},
      {.name = "cusparse",
       .backend = Backend::cuda,
       .role = harness::Role::peer,
       .description = "cuSPARSE's product of block rows, blocks of 5 x 5, the five variables of a point side by side",
       .work = indexed_work,
       .footprint = device(system_bytes + index_bytes, system_bytes + index_bytes)},
  };
}

std::vector<harness::Size> sizes() {
  const auto mesh = [](std::string name, std::string summary, std::int64_t nx, std::int64_t ny, std::int64_t nz) {
    return harness::Size{std::move(name), std::move(summary), harness::box(nx, ny, nz), {}};
  };
  constexpr std::array<std::int64_t, 9> extents = {6, 8, 12, 16, 24, 32, 48, 64, 96};
  return {mesh("test", "17 x 17 x 16 points", 17, 17, 16),
          mesh("headline", "65x65x64 points", 65, 65, 64),
          mesh("small", "33 x 33 x 32 points", 33, 33, 32),
          mesh("standard", "65 x 65 x 64 points: the mesh of SPEC CPU2006's BWAVES", 65, 65, 64),
          mesh("large", "128^3 points: 2.9 GB of blocks", 128, 128, 128),
          {"crossover", "6^3 to 96^3 points", {}, {{"n", {extents.begin(), extents.end()}}}}};
}

std::vector<harness::Parameter> parameters() {
  const auto extent = [](std::string key, std::int64_t points, std::string axis) {
    return harness::integer(std::move(key), points, "points along " + std::move(axis), {3, 1 << 28});
  };
  return {edge_parameter(1 << 28), extent("nx", 65, "x, which is contiguous in memory"), extent("ny", 65, "y"),
          extent("nz", 64, "z")};
}

harness::Footprint inputs_footprint(const harness::Problem& p) {
  // The blocks and x, and what the oracle expects and allows.
  return harness::Footprint{.host_bytes = (matrix_bytes + 3 * vector_bytes) * points_of(p)};
}

}  // namespace

harness::Application application() {
  return {
      .name = "block_matvec",
      .title = "Block matrix-vector product",
      .summary = "A periodic mesh of seven 5x5 blocks a point times a vector: the product inside blast_wave, alone.",
      .source = "PGI Insider, September 2010: BWAVES, the product in BiCGSTAB",
      .update = "point",
      .rate_name = "Gpoint/s",
      .parameters = parameters(),
      .sizes = sizes(),
      .variants = variants(),
      .footprint = inputs_footprint,
      .work = work,
      .prepare = harness::make_workload<BlockWorkload>(problem_of)};
}

}  // namespace speedwell::blast_wave::block_matvec
