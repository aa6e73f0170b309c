#include "speedwell/simulation/checkpoint_inspection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

namespace speedwell::simulation {
namespace {

// `gone` is set if a checkpoint disappeared while it was read.
std::vector<InspectedCheckpoint> look(const std::string& folder, bool verify, bool& gone) {
  std::vector<InspectedCheckpoint> all;
  const auto is_gone = [&](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::symlink_status(path, ignored).type() == std::filesystem::file_type::not_found;
  };
  const io::CheckpointListing listing = io::list_checkpoints(folder);
  for (const io::Checkpoint& c : listing.readable) {
    InspectedCheckpoint one;
    one.path = c.path();
    one.step = c.step();
    one.run = c.run();
    const auto details = nlohmann::json::parse(c.details());
    if (const auto time = details.find("time"); time != details.end() && time->is_number())
      one.time = time->get<double>();
    try {
      one.fields = c.fields();
      if (verify) c.verify();
    } catch (const io::InputError& e) {
      if (is_gone(c.path())) {
        gone = true;
        continue;
      }
      one.fault = e;
    }
    all.push_back(std::move(one));
  }
  for (const io::UnreadableCheckpoint& c : listing.unreadable) {
    if (is_gone(c.path)) {
      gone = true;
      continue;
    }
    all.emplace_back();
    all.back().path = c.path;
    all.back().fault = c.why;
  }
  for (const std::string& path : listing.leftovers) {
    all.emplace_back();
    all.back().path = path;
    all.back().leftover = true;
  }
  return all;
}

// Throws io::InputError if there is no such folder. Returns the one that holds the checkpoints.
std::string folder_of_checkpoints(std::string folder) {
  std::error_code error;
  const auto there = std::filesystem::status(folder, error);
  if (there.type() != std::filesystem::file_type::directory)
    throw io::InputError("input.open", folder, 0, 0,
                         there.type() == std::filesystem::file_type::not_found ? "there is no such folder"
                         : error                                               ? "cannot be read: " + error.message()
                                                                               : "is not a folder");
  if (std::filesystem::is_directory(folder + "/checkpoints", error)) folder += "/checkpoints";
  return folder;
}

}  // namespace

std::uint64_t InspectedCheckpoint::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& f : fields) sum += f.bytes;
  return sum;
}

std::vector<InspectedCheckpoint> inspect_checkpoints(const std::string& run_folder, bool verify) {
  const std::string folder = folder_of_checkpoints(run_folder);
  std::vector<InspectedCheckpoint> all;
  for (int attempt = 0; attempt < 10; ++attempt) {
    bool gone = false;
    all = look(folder, verify, gone);
    if (!gone) break;
  }
  if (std::all_of(all.begin(), all.end(), [](const InspectedCheckpoint& c) { return c.leftover; }))
    throw io::InputError("input.checkpoint.none", folder, 0, 0, "there is no checkpoint");
  return all;
}

std::string fields_text(const std::vector<io::StoredField>& fields) {
  std::string text;
  for (std::size_t n = 0; n < fields.size(); ++n) {
    text += fields[n].name;
    const bool last = n + 1 == fields.size();
    if (!last && fields[n + 1].element == fields[n].element && fields[n + 1].shape == fields[n].shape) {
      text += " ";
      continue;
    }
    text += fmt::format(": {} {}{}", fields[n].element, fmt::join(fields[n].shape, " x "), last ? "" : ", ");
  }
  return text;
}

}  // namespace speedwell::simulation
