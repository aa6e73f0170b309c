// The slab of a binary fluid that one rank has on its GPU.
#include <cstddef>

#include "speedwell/apps/binary_fluid/gpu_distributed.hpp"
#include "speedwell/comm/gpu/transport.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/simulation/fluid/fluid_part.hpp"

namespace speedwell::simulation {
namespace {

namespace bf = binary_fluid;

// On all ranks or on none, since the others would wait. What ranks that share a GPU need together is not known here.
void require_free_memory(const comm::Communicator& ranks, const bf::Problem& problem, bf::Precision precision) {
  const double needed = fluid_bytes_of_gpu(problem, precision, ranks.size());
  std::size_t available = 0, all = 0;
  core::check(cudaMemGetInfo(&available, &all));
  const double least = ranks.reduce(static_cast<double>(available), comm::Reduction::minimum);
  if (needed > least)
    throw core::Unavailable("a slab of a binary fluid of " + core::format_bytes(needed) + " on a GPU with " +
                            core::format_bytes(least) + " free");
}

class FluidOnGpu final : public FluidPart {
 public:
  FluidOnGpu(const comm::Communicator& ranks, const bf::Problem& problem, bf::Precision precision)
      : is_first_(ranks.rank() == 0),
        problem_(problem),
        fluid_(ranks, problem, precision, comm::fastest_transport(ranks)) {}

  void set(const bf::State* whole) override { fluid_.scatter(whole, stream_); }
  void run(int steps) override {
    fluid_.run(steps, stream_);
    fluid_.check(stream_);
  }
  void get(bf::State* whole) override { fluid_.gather(whole, stream_); }
  void save() override { fluid_.save(stream_); }
  void restore() override { fluid_.restore(stream_); }
  bf::Statistics statistics() override { return fluid_.statistics(stream_); }
  bf::Fields fields() override {
    bf::State whole;
    fluid_.gather(is_first_ ? &whole : nullptr, stream_);
    return is_first_ ? bf::fields(problem_, whole) : bf::Fields{};
  }

 private:
  const bool is_first_;
  const bf::Problem problem_;
  core::Stream stream_;
  bf::DistributedGpuFluid fluid_;
};

}  // namespace

std::unique_ptr<FluidPart> fluid_part_on_gpu(const comm::Communicator& ranks, const bf::Problem& problem,
                                             bf::Precision precision) {
  bf::require_valid(problem);
  require_free_memory(ranks, problem, precision);
  return std::make_unique<FluidOnGpu>(ranks, problem, precision);
}

}  // namespace speedwell::simulation
