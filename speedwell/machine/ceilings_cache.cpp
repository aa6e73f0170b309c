#include "speedwell/machine/ceilings_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

namespace speedwell::machine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* schema = "speedwell-ceilings/1";
constexpr std::uintmax_t max_bytes = 16 << 20;  // a file has some tens of ceilings: a few kilobytes
constexpr const char* no_folder = "ceilings are not cached: set SPEEDWELL_CACHE_DIR to an absolute path";

fs::path absolute_in_environment(const char* variable) {
  const char* value = std::getenv(variable);
  if (!value) return {};
  const fs::path path(value);
  return path.is_absolute() ? path : fs::path();
}

json to_json(const CacheKey& key) {
  return {{"machine_id", key.machine_id},
          {"device_uuid", key.device_uuid},
          {"driver", key.driver},
          {"threads", key.threads}};
}

json to_json(const Ceiling& c) {
  return {{"name", c.name}, {"value", c.value},     {"unit", c.unit}, {"low", c.low},
          {"high", c.high}, {"samples", c.samples}, {"note", c.note}};
}

double positive(const json& value) {
  const double number = value.get<double>();
  if (!(std::isfinite(number) && number > 0)) throw std::runtime_error("a rate is not a positive number");
  return number;
}

Ceiling from_json(const json& value) {
  Ceiling c;
  c.name = value.at("name").get<std::string>();
  c.unit = value.at("unit").get<std::string>();
  c.note = value.at("note").get<std::string>();
  c.value = positive(value.at("value"));
  c.low = positive(value.at("low"));
  c.high = positive(value.at("high"));
  for (const json& sample : value.at("samples")) c.samples.push_back(positive(sample));
  if (c.name.empty() || c.samples.empty()) throw std::runtime_error("a ceiling without a name or samples");
  return c;
}

// Writes `text` to a temporary file and renames it to `file`.
void replace_file(const fs::path& file, const std::string& text) {
  const fs::path temporary = file.string() + fmt::format(".{}.tmp", getpid());
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();  // a full disk may be reported only here
  std::error_code error;
  if (out) fs::rename(temporary, file, error);
  if (!out || error) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw std::runtime_error(error ? error.message() : "it cannot be written");
  }
}

}  // namespace

fs::path cache_directory() {
  if (std::getenv("SPEEDWELL_CACHE_DIR")) return absolute_in_environment("SPEEDWELL_CACHE_DIR");
  if (const fs::path cache = absolute_in_environment("XDG_CACHE_HOME"); !cache.empty()) return cache / "speedwell";
  if (const fs::path home = absolute_in_environment("HOME"); !home.empty()) return home / ".cache" / "speedwell";
  return {};
}

fs::path cache_file(const fs::path& folder, const CacheKey& key) {
  const std::string text = to_json(key).dump(-1, ' ', true, json::error_handler_t::replace);
  return folder / fmt::format("ceilings-{:016x}.json", XXH3_64bits(text.data(), text.size()));
}

std::optional<Ceilings> load_cached(const CacheKey& key, std::string& warning) {
  warning.clear();
  const fs::path folder = cache_directory();
  if (folder.empty()) return std::nullopt;
  const fs::path file = cache_file(folder, key);
  try {
    std::error_code error;
    const auto bytes = fs::file_size(file, error);
    if (error == std::errc::no_such_file_or_directory) return std::nullopt;
    if (error) throw std::runtime_error(error.message());
    if (bytes > max_bytes) throw std::runtime_error("it is too long");
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in) throw std::runtime_error("it cannot be read");
    const json document = json::parse(text);
    if (document.at("schema") != schema) throw std::runtime_error("it has another schema");
    if (document.at("key") != to_json(key)) throw std::runtime_error("it is of another machine");
    Ceilings ceilings;
    for (const json& entry : document.at("ceilings")) ceilings.entries.push_back(from_json(entry));
    if (ceilings.entries.empty()) throw std::runtime_error("it is empty");
    return ceilings;
  } catch (const std::exception& e) {
    warning = fmt::format("cached ceilings not used: {}: {}", file.string(), e.what());
    return std::nullopt;
  }
}

bool save_cached(const CacheKey& key, const Ceilings& ceilings, std::string& warning) {
  warning.clear();
  const fs::path folder = cache_directory();
  if (folder.empty()) {
    warning = no_folder;
    return false;
  }
  const fs::path file = cache_file(folder, key);
  try {
    json document = {{"schema", schema}, {"key", to_json(key)}, {"ceilings", json::array()}};
    for (const Ceiling& c : ceilings.entries) document["ceilings"].push_back(to_json(c));
    fs::create_directories(folder);
    replace_file(file, document.dump(1) + "\n");
    return true;
  } catch (const std::exception& e) {
    warning = fmt::format("ceilings not cached: {}: {}", file.string(), e.what());
    return false;
  }
}

}  // namespace speedwell::machine
