#include "speedwell/simulation/restart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/io/error.hpp"
#include "speedwell/io/escape.hpp"

namespace speedwell::simulation {
namespace {

using Settings = std::map<std::string, std::string>;

// Both directions: a case without one of its optional tables has fewer settings than the run that it would continue.
void require_same_settings(const io::Checkpoint& checkpoint, const Settings& made_with, const Settings& settings) {
  const auto refuse = [&](const std::string& what) {
    throw io::InputError("input.checkpoint.case", checkpoint.path(), 0, 0, what);
  };
  for (const auto& [key, value] : settings) {
    const auto made = made_with.find(key);
    const std::string old = made == made_with.end() ? "" : made->second;
    if (old != value) refuse(fmt::format("it was made with {} = '{}', and the case says '{}'", key, old, value));
  }
  for (const auto& [key, old] : made_with)
    if (!settings.contains(key) && !old.empty())
      refuse(fmt::format("it was made with {} = '{}', and the case has no such setting", key, old));
}

}  // namespace

void resume_from_checkpoint(RunFolder& folder, TimeDependentSolver& solver, const SimulationOptions& options) {
  const std::string dir = folder.path("checkpoints");
  const auto settings = solver.settings();
  const io::CheckpointListing all = io::list_checkpoints(dir);
  if (!folder.run()) {
    std::int64_t latest = 0;
    for (const io::Checkpoint& c : all.readable) latest = std::max(latest, c.run());
    folder.set_run(latest);
  }
  std::vector<io::InputError> faults;
  const auto step_back = [&](const io::InputError& fault) { faults.push_back(fault); };
  // Faults are warnings if there is a previous checkpoint; without one the last fault is the error.
  const auto warn = [&] {
    for (const io::InputError& fault : faults)
      report(options, Message::Kind::warning, io::escape(fault.what()) + "; going back to the checkpoint before");
  };
  auto unreadable = all.unreadable;
  std::sort(unreadable.begin(), unreadable.end(), [](const auto& a, const auto& b) { return a.step > b.step; });
  auto next = unreadable.begin();
  std::int64_t others = 0;
  for (const io::Checkpoint& checkpoint : all.readable) {
    if (checkpoint.run() != *folder.run()) {
      ++others;
      continue;
    }
    for (; next != unreadable.end() && next->step > checkpoint.step(); ++next) step_back(next->why);
    try {
      const CheckpointDetails details(checkpoint);
      require_same_settings(checkpoint, details.settings(), settings);
      solver.load(checkpoint, details);
      return warn();
    } catch (const io::InputError& e) {
      if (e.id() == "input.checkpoint.case") throw;
      step_back(e);
    } catch (const std::invalid_argument& e) {
      step_back(io::InputError("input.checkpoint.manifest", checkpoint.manifest_path(), 0, 0, e.what()));
    }
  }
  for (; next != unreadable.end(); ++next) step_back(next->why);
  if (!faults.empty()) {
    const io::InputError last = faults.back();
    faults.pop_back();
    warn();
    throw last;
  }
  throw io::InputError(
      "input.checkpoint.none", dir, 0, 0,
      others == 0
          ? "there is no checkpoint to resume from"
          : fmt::format(
                "run {} of this folder has no checkpoint to resume from; the existing ones belong to an earlier run",
                *folder.run()));
}

}  // namespace speedwell::simulation
