#include "speedwell/cli/solve_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>

#include "speedwell/cli/errors.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/checkpoint.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/escape.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* run_file = "run.json";
constexpr const char* run_schema = "speedwell-run/1";
constexpr std::size_t run_bytes = 4096;

[[noreturn]] void refuse_folder(const std::string& folder) {
  throw UsageError(fmt::format("'{}' is not empty", folder), "--force writes into it, --resume goes on with it");
}

// The number of the run that was begun last in a folder.
std::int64_t read_run(const std::string& file) {
  const auto said = nlohmann::json::parse(io::read_file(file, run_bytes), nullptr, false);
  if (said.is_object() && said.contains("schema") && said["schema"] == run_schema && said.contains("run") &&
      said["run"].is_number_unsigned() && said["run"].get<std::uint64_t>() < std::uint64_t{INT64_MAX})
    return said["run"].get<std::int64_t>();
  throw io::InputError("input.checkpoint.run", file, 0, 0, "does not say which run the folder has",
                       "without this file the newest checkpoint's run goes on");
}

// A path as one word for a shell.
std::string as_word(const std::string& path) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("/._-+,:@%").find(c) != std::string_view::npos;
  };
  if (!path.empty() && path[0] != '-' && std::all_of(path.begin(), path.end(), plain)) return path;
  std::string word = "'";
  for (const char c : path) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return io::escape(word + "'");
}

double seconds(std::chrono::steady_clock::duration passed) { return std::chrono::duration<double>(passed).count(); }

}  // namespace

RunFolder::RunFolder(const SolveOptions& options, std::ostream& err) : options_(options), err_(err) {
  std::error_code error;
  const auto status = fs::status(options.folder, error);
  const bool there = status.type() == fs::file_type::directory;
  if (options.resume && !there)
    throw io::InputError("input.open", options.folder, 0, 0,
                         fs::exists(status) ? "is not a folder" : "there is no such folder to go on in");
  if (!there && status.type() != fs::file_type::not_found)
    throw io::OutputError("output.open", options.folder, fs::exists(status) ? "is not a folder" : error.message());
  // A process that is at work there is the better answer than a folder that is not empty.
  if (there && (options.resume || options.force || fs::exists(path(io::FolderLock::file_name), error))) lock();
  if (!options.resume) {
    if (there && !options.force && !is_empty()) refuse_folder(options.folder);
    return;
  }
  if (io::is_there(path(run_file))) run_ = read_run(path(run_file));
}

std::string RunFolder::path(const std::string& name) const { return options_.folder + "/" + name; }

bool RunFolder::is_empty() const {
  std::error_code error;
  fs::directory_iterator at(options_.folder, error);
  for (const fs::directory_iterator end; !error && at != end; at.increment(error))
    if (at->path().filename() != io::FolderLock::file_name) return false;
  if (error) throw io::OutputError("output.open", options_.folder, "cannot be read: " + error.message());
  return true;
}

void RunFolder::lock() {
  lock_.emplace(options_.folder);
  if (!lock_->held())
    err_ << "speedwell: warning: " << io::escape(options_.folder)
         << ": this file system has no locks: no other run may write into the folder\n";
}

void RunFolder::begin(const std::string& case_text) {
  std::error_code error;
  fs::create_directories(options_.folder, error);
  if (error) throw io::OutputError("output.open", options_.folder, "the folder could not be made: " + error.message());
  if (!lock_) {
    lock();
    if (!options_.resume && !options_.force && !is_empty()) refuse_folder(options_.folder);
  }
  for (const char* folder : {"", "fields", "lines", "slices", "spectra"}) io::remove_dead_temporaries(path(folder));
  io::remove_leftovers(path("checkpoints"));
  if (!options_.resume) {
    std::int64_t last = 0;  // a run.json that cannot be read is replaced: this is a new run
    try {
      if (io::is_there(path(run_file))) last = read_run(path(run_file));
    } catch (const io::InputError&) {
    }
    for (const io::Checkpoint& c : io::checkpoints_in(path("checkpoints"))) last = std::max(last, c.run());
    run_ = last + 1;
  }
  if (*run_ > 0)
    io::write_file(path(run_file), fmt::format("{{\"schema\": \"{}\", \"run\": {}}}\n", run_schema, *run_));
  if (!options_.resume || !options_.file.empty()) io::write_file(path("case.toml"), case_text);
}

void say_how_to_go_on(const SolveOptions& options, SolveEnd end, std::int64_t step, std::ostream& err) {
  if (options.quiet || (end != SolveEnd::stopped && end != SolveEnd::out_of_time)) return;
  err << fmt::format("speedwell: saved after step {}; go on with: speedwell solve --resume --output {}\n", step,
                     as_word(options.folder));
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
