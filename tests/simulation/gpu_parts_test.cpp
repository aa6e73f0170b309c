// Runs on several GPUs, as far as no GPU is needed: what is refused, how runs are described, and their memory.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "speedwell/apps/binary_fluid/case_file.hpp"
#include "speedwell/apps/binary_fluid/ladder.hpp"
#include "speedwell/apps/incompressible_flow/cases/case_file.hpp"
#include "speedwell/apps/incompressible_flow/gpu_refusals.hpp"
#include "speedwell/simulation/flow/flow_ranks.hpp"
#include "speedwell/simulation/fluid/fluid_part.hpp"
#include "speedwell/simulation/fluid/fluid_ranks.hpp"
#include "speedwell/simulation/simulation_case.hpp"

namespace speedwell::simulation {
namespace {

namespace bf = binary_fluid;
namespace flow = incompressible_flow;

// A case of a flow in a box of 7 x 6 x 5 cells; `more` are further tables.
std::string flow_text(const std::string& of_mesh, const std::string& of_fluid, const std::string& of_time,
                      const std::string& more) {
  return "schema = 1\n[mesh]\ncells = [7, 6, 5]\n" + of_mesh + "[fluid]\nviscosity = 0.02\n" + of_fluid +
         "[time]\nend = 1\n" + of_time + more;
}

flow::FlowCase flow_case(const std::string& of_fluid = "", const std::string& of_time = "",
                         const std::string& more = "") {
  return flow::read_case("case.toml", flow_text("", of_fluid, of_time, more));
}

TEST(FlowOnGpus, NamesWhatIsRefused) {
  const auto refusal = [](const flow::FlowCase& c) {
    return flow::refuses_on_gpus(c.problem, c.options).value_or("nothing");
  };
  EXPECT_EQ(refusal(flow_case()), "nothing");
  EXPECT_EQ(refusal(flow_case("bulk_velocity_x = 1\n")), "nothing");
  EXPECT_EQ(refusal(flow_case("", "diffusion = \"trapezoidal\"\n")), "nothing");
  EXPECT_EQ(refusal(flow_case("", "", "[pressure]\nsolver = \"cg\"\n")), "conjugate gradients for the pressure");
  flow::FlowCase strained = flow_case();
  strained.problem.strain = flow::Strain{{1, 0, -1}, 0, 1};
  EXPECT_EQ(refusal(strained), "nothing");
}

// The message of the std::invalid_argument that `act` throws; "none" without one.
template <class Act>
std::string refused(const Act& act) {
  try {
    act();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "none";
}

TEST(FlowOnGpus, IsDescribedOrRefusedByItsCase) {
  const auto on = [](const std::string& text, int ranks, bool on_gpus) {
    return read_flow_case("case.toml", text)->on_ranks(ranks, on_gpus);
  };
  const std::string plain = flow_text("", "", "", "");
  EXPECT_EQ(on(plain, 2, true), "2 GPUs (slabs along z)");
  EXPECT_EQ(on(plain, 2, false), "2 ranks (slabs along z)");
  EXPECT_EQ(refused([&] { on(plain, 6, true); }), "6 GPUs, and the box has 5 planes to divide: each GPU needs one");
  EXPECT_EQ(refused([&] { on(plain, 6, false); }), "6 ranks, and the box has 5 planes to divide: each rank needs one");
  const std::string strained =
      "schema = 1\n[mesh]\ncells = [8, 8, 8]\n[fluid]\nviscosity = 0.02\n[strain]\n"
      "stretched = \"x\"\ncompressed = \"z\"\nrate = 1\nbegin = 0\nend = 0.5\n[time]\nend = 1\n";
  EXPECT_EQ(on(strained, 2, true), "2 GPUs (slabs along z)");
  EXPECT_EQ(on(strained, 2, false), "2 ranks (slabs along z)");
}

TEST(BlastOnGpus, RunsOnOne) {
  const auto blast = read_blast_case("case.toml",
                                     "schema = 1\nsolver = \"blast_wave\"\n[mesh]\npoints = [7, 6, 8]\n"
                                     "[time]\nsteps = 4\n");
  EXPECT_EQ(refused([&] { blast->on_ranks(2, true); }),
            "2 GPUs, and blast_wave runs on one; incompressible_flow and binary_fluid run on several");
}

bf::FluidCase fluid_case(const std::string& more = "") {
  return bf::read_case(
      "case.toml", "schema = 1\nsolver = \"binary_fluid\"\n[lattice]\nsites = [8, 6, 10]\n[time]\nsteps = 4\n" + more);
}

TEST(FluidOnGpus, IsDividedAlongZ) {
  const bf::Problem problem = fluid_case().problem;
  EXPECT_EQ(gpus_text(problem, 10), "10 GPUs (slabs along z)");
  EXPECT_EQ(refused([&] { gpus_text(problem, 11); }),
            "11 GPUs, and the box has 10 planes along z to divide: each GPU needs one");
}

TEST(FluidOnGpus, NeedsTheMemoryOfItsSlabAndTwoPlanesMore) {
  for (const char* scheme : {"", "[scheme]\ncollision = \"bgk\"\n"}) {
    const bf::FluidCase c = fluid_case(scheme);
    const double whole = bf::gpu_bytes(c.problem, bf::choose(c.problem), c.precision);
    EXPECT_EQ(fluid_bytes_of_gpu(c.problem, c.precision, 1), whole);
    // Ten planes on three GPUs: four on the first, and one of each neighbour.
    EXPECT_DOUBLE_EQ(fluid_bytes_of_gpu(c.problem, c.precision, 3), whole * 6 / 10);
  }
}

}  // namespace
}  // namespace speedwell::simulation
