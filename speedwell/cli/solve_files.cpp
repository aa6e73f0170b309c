#include "speedwell/cli/solve_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>

#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/escape.hpp"
#include "speedwell/io/limits.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::cli {
namespace {

bool is_count(const nlohmann::json& j) {
  return j.is_number_unsigned() && j.get<std::uint64_t>() <= std::uint64_t{INT64_MAX};
}

}  // namespace

std::string read_case_text(const std::string& path) { return io::read_file(path, io::limits::case_bytes); }

std::string read_text(const std::string& path) { return io::read_file(path, std::numeric_limits<std::size_t>::max()); }

CheckpointDetails::CheckpointDetails(const io::Checkpoint& from)
    : from_(from), json_(std::make_unique<const nlohmann::json>(nlohmann::json::parse(from.details()))) {}
CheckpointDetails::~CheckpointDetails() = default;

void CheckpointDetails::refuse(const std::string& key, const std::string& wanted) const {
  throw io::InputError("input.checkpoint.manifest", from_.manifest_path(), 0, 0,
                       fmt::format("'details.{}' is not {}", key, wanted));
}

bool CheckpointDetails::has(const std::string& key) const { return json_->contains(key); }

double CheckpointDetails::time() const {
  const auto at = json_->find("time");
  if (at == json_->end() || !at->is_number() || !(at->get<double>() >= 0)) refuse("time", "a number from 0 on");
  return at->get<double>();
}

std::int64_t CheckpointDetails::count(const std::string& key) const {
  const auto at = json_->find(key);
  if (at == json_->end() || !is_count(*at)) refuse(key, "a whole number from 0 on");
  return at->get<std::int64_t>();
}

std::map<std::string, std::string> CheckpointDetails::settings() const {
  const auto at = json_->find("settings");
  if (at == json_->end() || !at->is_object()) refuse("settings", "an object of texts");
  std::map<std::string, std::string> all;
  for (const auto& [key, value] : at->items()) {
    if (!value.is_string()) refuse("settings", "an object of texts");
    all[key] = value.get<std::string>();
  }
  return all;
}

std::vector<io::TimedFile> CheckpointDetails::files(const std::string& key) const {
  const auto at = json_->find(key);
  const char* wanted = "a list of times and names of files";
  if (at == json_->end() || !at->is_array()) refuse(key, wanted);
  std::vector<io::TimedFile> all;
  for (const auto& file : *at) {
    if (!file.is_array() || file.size() != 2 || !file[0].is_number() || !file[1].is_string()) refuse(key, wanted);
    all.push_back({file[0].get<double>(), file[1].get<std::string>()});
  }
  return all;
}

std::pair<std::int64_t, std::vector<double>> CheckpointDetails::profiles() const {
  const auto at = json_->find("profiles");
  const char* wanted = "the number of samples and their sums";
  if (at == json_->end() || !at->is_object() || !at->contains("samples") || !is_count((*at)["samples"]) ||
      !at->contains("sums") || !(*at)["sums"].is_array())
    refuse("profiles", wanted);
  std::vector<double> sums;
  for (const auto& sum : (*at)["sums"]) {
    if (!sum.is_number()) refuse("profiles", wanted);
    sums.push_back(sum.get<double>());
  }
  return {(*at)["samples"].get<std::int64_t>(), sums};
}

nlohmann::json files_as_json(const std::vector<io::TimedFile>& files) {
  auto all = nlohmann::json::array();
  for (const io::TimedFile& file : files) all.push_back({file.time, file.file});
  return all;
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw io::OutputError("output.open", path, "the folder could not be made: " + error.message());
}

void resume_from(RunFolder& folder, const std::map<std::string, std::string>& settings,
                 const std::function<void(const io::Checkpoint&, const CheckpointDetails&)>& read, std::ostream& err) {
  const std::string dir = folder.path("checkpoints");
  const io::CheckpointListing all = io::list_checkpoints(dir);
  if (!folder.run()) {
    std::int64_t latest = 0;
    for (const io::Checkpoint& c : all.readable) latest = std::max(latest, c.run());
    folder.set_run(latest);
  }
  std::vector<io::InputError> faults;
  const auto step_back = [&](const io::InputError& fault) { faults.push_back(fault); };
  // Warnings, once there is a checkpoint before: the last fault is what is wrong where there is none.
  const auto warn = [&] {
    for (const io::InputError& fault : faults)
      err << "speedwell: warning: " << io::escape(fault.what()) << "; going back to the checkpoint before\n";
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
      const auto made_with = details.settings();
      for (const auto& [key, value] : settings) {
        const auto made = made_with.find(key);
        const std::string old = made == made_with.end() ? "" : made->second;
        if (old != value)
          throw io::InputError("input.checkpoint.case", checkpoint.path(), 0, 0,
                               fmt::format("it was made with {} = '{}', and the case says '{}'", key, old, value));
      }
      read(checkpoint, details);
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
          ? "there is no checkpoint to go on from"
          : fmt::format("run {} of this folder has no checkpoint to go on from; those there are an earlier run's",
                        *folder.run()));
}

void cut_history(const std::string& path, const std::string& header, std::int64_t last_step) {
  const std::string old = io::is_there(path) ? read_text(path) : std::string();
  std::string kept;
  for (std::size_t at = 0; at < old.size();) {
    const std::size_t end = std::min(old.find('\n', at), old.size());
    const std::string line = old.substr(at, end - at);
    const std::size_t comma = line.find(',');
    if (kept.empty() || (comma != std::string::npos && std::atoll(line.c_str() + comma + 1) <= last_step))
      kept += line + "\n";
    at = end + 1;
  }
  io::write_file(path, kept.empty() ? header + "\n" : kept);
}

}  // namespace speedwell::cli
