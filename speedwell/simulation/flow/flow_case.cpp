// Cases of incompressible flows for the driver.
#include <fmt/format.h>

#include "speedwell/apps/incompressible_flow/gpu_refusals.hpp"
#include "speedwell/apps/incompressible_flow/stepper.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/simulation/flow/flow_plan.hpp"
#include "speedwell/simulation/flow/flow_ranks.hpp"
#include "speedwell/simulation/flow/flow_simulation.hpp"

namespace speedwell::simulation {
namespace {

namespace flow = incompressible_flow;

class FlowCase : public SimulationCase {
 public:
  explicit FlowCase(flow::FlowCase flow_case) : case_(std::move(flow_case)) {}

  std::vector<Message> messages(bool resumes) const override;
  std::optional<std::string> lacks_gpu() const override;
  std::string on_ranks(int ranks, bool on_gpus) const override;
  double host_bytes(const Device& device) const override { return flow_bytes(case_, device); }
  RunPlan plan(const SimulationOptions& options, const Device& device) const override {
    return plan_of_flow(options, case_, device);
  }
  std::unique_ptr<TimeDependentSolver> make_solver(const Device& device, const RunFolder& folder) const override {
    return make_flow_solver(case_, device, folder);
  }

 private:
  flow::FlowCase case_;
};

std::vector<Message> FlowCase::messages(bool resumes) const {
  std::vector<Message> all;
  if (case_.pockets > 0)
    all.push_back(
        {Message::Kind::warning, fmt::format("{} of enclosed fluid {} treated as solid",
                                             core::counted(case_.pockets, "cell"), case_.pockets == 1 ? "is" : "are")});
  if (case_.problem.viscosity == 0)
    all.push_back({Message::Kind::note, "fluid.viscosity is 0: the flow has no viscosity"});
  if (case_.spectrum && case_.spectrum->skewness < 0 && !resumes)
    all.push_back({Message::Kind::note, "the initial flow develops before time 0, in steps that are not counted"});
  return all;
}

std::optional<std::string> FlowCase::lacks_gpu() const {
  if (auto lacks = flow::lacks_gpu()) return lacks;
  if (auto refusal = flow::refuses_on_gpu(case_.problem, case_.options)) return "a GPU does not do " + *refusal;
  return std::nullopt;
}

// After the removal of the cubes the choice may be another. A mesh without solids moves if the case strains it.
std::string FlowCase::on_ranks(int ranks, bool on_gpus) const {
  flow::Problem without = case_.problem;
  without.solid.clear();
  without.strain = case_.strain;
  if (case_.problem.solid.empty()) return ranks_text(without, case_.options, ranks, on_gpus);
  if (case_.stirring) (void)ranks_text(without, case_.options, ranks, on_gpus);
  return ranks_text(case_.problem, case_.options, ranks, on_gpus);
}

}  // namespace

std::unique_ptr<SimulationCase> read_flow_case(const std::string& file, const std::string& text) {
  return std::make_unique<FlowCase>(flow::read_case(file, text));
}

}  // namespace speedwell::simulation
