// checkpoint: what the checkpoints of a run hold, and whether they are what was written.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "speedwell/cli/command.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/core/closest_match.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/record.hpp"
#include "speedwell/harness/table.hpp"
#include "speedwell/io/checkpoint.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/escape.hpp"

namespace speedwell::cli {
namespace {

struct Checked {
  std::string path;
  std::optional<std::int64_t> step;
  std::optional<double> time;
  std::vector<io::StoredField> fields;
  std::optional<std::int64_t> run;
  std::optional<io::InputError> fault;
  bool leftover = false;  // of a save or a removal that was interrupted: no checkpoint, and no fault

  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const auto& f : fields) sum += f.bytes;
    return sum;
  }
};

// A run that is writing into the folder removes its older checkpoints, whose names it takes away first: a checkpoint
// that disappears while it is read is not damaged. `gone` is set if there was one.
std::vector<Checked> look(const std::string& folder, bool verify, bool& gone) {
  std::vector<Checked> all;
  const auto is_gone = [&](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::symlink_status(path, ignored).type() == std::filesystem::file_type::not_found;
  };
  const io::CheckpointListing listing = io::list_checkpoints(folder);
  for (const io::Checkpoint& c : listing.readable) {
    Checked one;
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

// The content of a folder at one moment: if something disappears meanwhile the folder is read again, a few times.
std::vector<Checked> look(const std::string& folder, bool verify) {
  std::vector<Checked> all;
  for (int attempt = 0; attempt < 10; ++attempt) {
    bool gone = false;
    all = look(folder, verify, gone);
    if (!gone) break;
  }
  return all;
}

// Fields of one element and shape share a word: "u v w p: f64 128 x 64 x 128".
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

std::string table_of(const std::vector<Checked>& all, bool verified) {
  std::vector<std::vector<std::string>> rows = {{"checkpoint", "fields", "step", "time", "size"}};
  if (verified) rows.front().emplace_back("verdict");
  for (const Checked& c : all) {
    rows.push_back({io::escape(std::filesystem::path(c.path).filename().string()),
                    c.fields.empty() ? "-" : fields_text(c.fields), c.step ? std::to_string(*c.step) : "-",
                    c.time ? fmt::format("{:.10g}", *c.time) : "-",
                    c.fields.empty() ? "-" : core::format_bytes(static_cast<double>(c.bytes()))});
    if (verified) rows.back().emplace_back(c.fault ? "FAILED" : c.leftover ? "leftover" : "ok");
  }
  return harness::columns(rows, 2);
}

nlohmann::ordered_json document_of(const std::vector<Checked>& all, bool verified) {
  nlohmann::ordered_json document = {{"schema", "speedwell-checkpoints/1"}, {"error", nullptr}};
  for (const Checked& c : all)
    if (verified && c.fault && document["error"].is_null()) {
      const Failure f = failure_of(*c.fault);
      document["error"] =
          harness::error_document(f.status, f.id, f.message, f.hint, f.file, f.line, f.column).at("error");
    }
  document["checkpoints"] = nlohmann::ordered_json::array();
  for (const Checked& c : all) {
    nlohmann::ordered_json one = {{"path", c.path}, {"step", nullptr}, {"time", nullptr}, {"run", nullptr}};
    if (c.step) one["step"] = *c.step;
    if (c.run) one["run"] = *c.run;
    if (c.time) one["time"] = *c.time;
    one["fields"] = nlohmann::ordered_json::array();
    for (const auto& f : c.fields)
      one["fields"].push_back({{"name", f.name}, {"element", f.element}, {"shape", f.shape}, {"bytes", f.bytes}});
    if (verified) one["whole"] = !c.fault && !c.leftover;
    one["leftover"] = c.leftover;
    one["fault"] = nullptr;
    if (c.fault) one["fault"] = {{"id", c.fault->id()}, {"message", c.fault->message()}};
    document["checkpoints"].push_back(std::move(one));
  }
  return document;
}

}  // namespace

int checkpoint(const Arguments& arguments) {
  CLI::App app("What the checkpoints of a run hold, and whether they are what was written.", "speedwell checkpoint");
  RunOptions options;
  std::string what, folder;
  app.add_option("WHAT", what, "list or verify")->required();
  app.add_option("DIR", folder, "the run's folder, or its folder of checkpoints")->required();
  app.add_option("--format", options.format, "text or json")->type_name("F");
  add_verbosity_options(app, options);
  if (const auto done = parse(app, arguments)) return *done;
  const std::vector<std::string> known = {"list", "verify"};
  if (std::find(known.begin(), known.end(), what) == known.end())
    throw UsageError(core::unknown_name("word", what, known), "speedwell checkpoint --help");
  const Format format = format_of(options.format);
  if (format != Format::text && format != Format::json) throw UsageError("checkpoint prints text or json", "");
  std::error_code error;
  const auto there = std::filesystem::status(folder, error);
  if (there.type() != std::filesystem::file_type::directory)
    throw io::InputError("input.open", folder, 0, 0,
                         there.type() == std::filesystem::file_type::not_found ? "there is no such folder"
                         : error                                               ? "cannot be read: " + error.message()
                                                                               : "is not a folder");
  if (std::filesystem::is_directory(folder + "/checkpoints", error)) folder += "/checkpoints";

  const bool verify = what == "verify";
  const std::vector<Checked> all = look(folder, verify);
  if (std::all_of(all.begin(), all.end(), [](const Checked& c) { return c.leftover; }))
    throw io::InputError("input.checkpoint.none", folder, 0, 0, "there is no checkpoint");
  if (format == Format::json)
    std::cout << harness::dump(harness::Json(document_of(all, verify))) << "\n";
  else
    std::cout << table_of(all, verify);
  int status = 0;
  for (const Checked& c : all)
    if (verify && c.fault) {
      const Failure failure = failure_of(*c.fault);
      std::cerr << text_of(failure);
      status = failure.status;
    }
  return status;
}

}  // namespace speedwell::cli
