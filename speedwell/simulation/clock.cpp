#include "speedwell/simulation/clock.hpp"

namespace speedwell::simulation {
namespace {

double seconds(std::chrono::steady_clock::duration passed) { return std::chrono::duration<double>(passed).count(); }

}  // namespace

std::optional<StopReason> RunClock::stop_reason() const {
  if (options_.stop && *options_.stop) return StopReason::interrupted;
  if (seconds(Clock::now() - begin_) > options_.time_limit) return StopReason::time_limit;
  return std::nullopt;
}

void RunClock::report_progress(bool last, const std::function<std::string(double)>& text) {
  if (!options_.on_progress) return;
  const auto now = Clock::now();
  if (!last && seconds(now - reported_) < options_.progress_interval) return;
  reported_ = now;
  options_.on_progress({text(seconds(now - begin_)), last});
}

}  // namespace speedwell::simulation
