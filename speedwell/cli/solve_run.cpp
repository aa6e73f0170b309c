#include "speedwell/cli/solve_run.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "speedwell/cli/errors.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::cli {
namespace {

double seconds(std::chrono::steady_clock::duration passed) { return std::chrono::duration<double>(passed).count(); }

}  // namespace

void prepare_folder(const SolveOptions& options, const std::string& case_text) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error) throw io::OutputError("output.open", options.folder, "the folder could not be made: " + error.message());
  const bool empty = fs::is_empty(options.folder, error);
  if (!empty && !options.force && !options.resume)
    throw UsageError(fmt::format("'{}' is not empty", options.folder),
                     "--force writes into it, --resume goes on with it");
  if (!options.resume || !options.file.empty()) io::write_file(options.folder + "/case.toml", case_text);
}

std::optional<SolveEnd> SolveClock::ends_early() const {
  if (options_.stop && *options_.stop) return SolveEnd::stopped;
  if (seconds(Clock::now() - begin_) > options_.time_limit) return SolveEnd::out_of_time;
  return std::nullopt;
}

void SolveClock::show_progress(bool last, const std::function<std::string(double)>& text) {
  if (!options_.progress) return;
  const auto now = Clock::now();
  if (!last && seconds(now - shown_) < (options_.terminal ? 0.1 : 60)) return;
  shown_ = now;
  const std::string line = text(seconds(now - begin_));
  if (options_.terminal)
    err_ << "\r\033[K" << line << (last ? "\n" : "") << std::flush;
  else
    err_ << line << "\n";
}

}  // namespace speedwell::cli
