#include "speedwell/simulation/run_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>

#include "speedwell/core/error.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/checkpoint.hpp"
#include "speedwell/io/checkpoint_manifest.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/escape.hpp"
#include "speedwell/io/hdf5.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::simulation {
namespace {

namespace fs = std::filesystem;

constexpr const char* run_file = "run.json";
constexpr const char* run_schema = "speedwell-run/1";
constexpr std::size_t run_bytes = 4096;
constexpr const char *vtk_word = "vtk", *hdf5_word = "hdf5";

[[noreturn]] void refuse_folder(const std::string& folder) {
  throw FolderNotEmpty(fmt::format("'{}' is not empty", folder));
}

// What a folder's run.json says of the last run.
struct LastRun {
  std::int64_t number = 0;
  FieldFormat field_format = FieldFormat::vtk;  // runs of version 0.1 do not say it
};

LastRun read_run(const std::string& file) {
  const auto said = nlohmann::json::parse(io::read_file(file, run_bytes), nullptr, false);
  if (said.is_object() && said.contains("schema") && said["schema"] == run_schema && said.contains("run") &&
      said["run"].is_number_unsigned() && said["run"].get<std::uint64_t>() < std::uint64_t{INT64_MAX})
    return {said["run"].get<std::int64_t>(),
            said.value("fields", nlohmann::json()) == hdf5_word ? FieldFormat::hdf5 : FieldFormat::vtk};
  throw io::InputError("input.checkpoint.run", file, 0, 0, "does not say which run the folder has",
                       "without this file the newest checkpoint's run goes on");
}

}  // namespace

void require_folder_to_resume(const SimulationOptions& options) {
  std::error_code error;
  const auto status = fs::status(options.folder, error);
  if (options.resume && status.type() != fs::file_type::directory)
    throw io::InputError("input.open", options.folder, 0, 0,
                         fs::exists(status) ? "is not a folder" : "there is no such folder to go on in");
}

RunFolder::RunFolder(const SimulationOptions& options) : options_(options) {
  if (options.folder.empty()) throw std::invalid_argument("a run needs the name of a folder");
  require_folder_to_resume(options);
  std::error_code error;
  const auto status = fs::status(options.folder, error);
  const bool there = status.type() == fs::file_type::directory;
  if (!there && status.type() != fs::file_type::not_found)
    throw io::OutputError("output.open", options.folder, fs::exists(status) ? "is not a folder" : error.message());
  // That another process is writing there is a better message than that the folder is not empty.
  if (there && (options.resume || options.force || fs::exists(path(io::FolderLock::file_name), error))) lock();
  if (!options.resume) {
    if (there && !options.force && !is_empty()) refuse_folder(options.folder);
  } else if (io::is_there(path(run_file))) {
    const LastRun last = read_run(path(run_file));
    run_ = last.number;
    field_format_ = last.field_format;
  }
  field_format_ = options.field_format.value_or(field_format_);
  require_field_format(field_format_);
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
    report(options_, Message::Kind::warning,
           io::escape(options_.folder) + ": this file system has no locks: no other run may write into the folder");
}

void RunFolder::claim() {
  std::error_code error;
  fs::create_directories(options_.folder, error);
  if (error) throw io::OutputError("output.open", options_.folder, "the folder could not be made: " + error.message());
  if (lock_) return;
  lock();
  if (!options_.resume && !options_.force && !is_empty()) refuse_folder(options_.folder);
}

void RunFolder::begin(const std::string& case_text) {
  claim();
  for (const char* folder : {"", "fields", "lines", "slices", "spectra"}) io::remove_dead_temporaries(path(folder));
  io::remove_leftovers(path("checkpoints"));
  if (!options_.resume) {
    std::int64_t last = 0;  // a run.json that cannot be read is replaced: this is a new run
    try {
      if (io::is_there(path(run_file))) last = read_run(path(run_file)).number;
    } catch (const io::InputError&) {
    }
    for (const io::Checkpoint& c : io::checkpoints_in(path("checkpoints"))) last = std::max(last, c.run());
    run_ = last + 1;
  }
  if (*run_ > 0)
    io::write_file(path(run_file), fmt::format("{{\"schema\": \"{}\", \"run\": {}, \"fields\": \"{}\"}}\n", run_schema,
                                               *run_, field_format_ == FieldFormat::hdf5 ? hdf5_word : vtk_word));
  if (!case_text.empty()) case_digest_ = io::sum_of(std::as_bytes(std::span(case_text)));
  if (!case_text.empty() && (!options_.resume || !options_.file.empty())) io::write_file(path("case.toml"), case_text);
}

void require_field_format(FieldFormat format) {
  if (format != FieldFormat::hdf5) return;
  if (const auto reason = io::lacks_hdf5()) throw core::Unavailable("fields in HDF5 cannot be written: " + *reason);
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw io::OutputError("output.open", path, "the folder could not be made: " + error.message());
}

}  // namespace speedwell::simulation
