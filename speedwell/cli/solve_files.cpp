#include "speedwell/cli/solve_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/escape.hpp"

namespace speedwell::cli {

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw io::InputError("input.open", path, 0, 0, "cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

void resume_from(const std::string& folder, const std::map<std::string, std::string>& settings,
                 const std::function<void(const io::Checkpoint&, const nlohmann::json&)>& read, std::ostream& err) {
  const auto all = io::checkpoints_in(folder);
  if (all.empty()) throw io::InputError("input.checkpoint.none", folder, 0, 0, "there is no checkpoint to go on from");
  for (std::size_t n = 0; n < all.size(); ++n) {
    const auto details = nlohmann::json::parse(all[n].details());
    const auto made_with = details.value("settings", nlohmann::json::object());
    for (const auto& [key, value] : settings)
      if (made_with.value(key, std::string()) != value)
        throw io::InputError("input.checkpoint.case", all[n].path(), 0, 0,
                             fmt::format("it was made with {} = '{}', and the case says '{}'", key,
                                         made_with.value(key, std::string()), value));
    try {
      return read(all[n], details);
    } catch (const io::InputError& e) {
      if (n + 1 == all.size()) throw;
      err << "speedwell: warning: " << io::escape(e.what()) << "; going back to the checkpoint before\n";
    }
  }
}

void cut_history(const std::string& path, const std::string& header, std::int64_t last_step) {
  const std::string old = std::filesystem::exists(path) ? read_text(path) : std::string();
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
