#include "speedwell/simulation/checkpoint_details.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "speedwell/io/error.hpp"

namespace speedwell::simulation {
namespace {

bool is_count(const nlohmann::json& j) {
  return j.is_number_unsigned() && j.get<std::uint64_t>() <= std::uint64_t{INT64_MAX};
}

}  // namespace

struct DetailsWriter::Json {
  nlohmann::json all = nlohmann::json::object();
};
struct CheckpointDetails::Json {
  nlohmann::json all;
};

DetailsWriter::DetailsWriter() : json_(std::make_unique<Json>()) {}
DetailsWriter::~DetailsWriter() = default;

void DetailsWriter::add(const std::string& key, double value) { json_->all[key] = value; }
void DetailsWriter::add(const std::string& key, std::int64_t value) { json_->all[key] = value; }
void DetailsWriter::add(const std::string& key, const std::map<std::string, std::string>& values) {
  json_->all[key] = values;
}
void DetailsWriter::add(const std::string& key, const std::vector<io::TimedFile>& files) {
  auto list = nlohmann::json::array();
  for (const io::TimedFile& file : files) list.push_back({file.time, file.file});
  json_->all[key] = std::move(list);
}
void DetailsWriter::add(const std::string& key, std::int64_t samples, const std::vector<double>& sums) {
  json_->all[key] = {{"samples", samples}, {"sums", sums}};
}
std::string DetailsWriter::text() const { return json_->all.dump(); }

CheckpointDetails::CheckpointDetails(const io::Checkpoint& from)
    : from_(from), json_(std::make_unique<const Json>(Json{nlohmann::json::parse(from.details())})) {}
CheckpointDetails::~CheckpointDetails() = default;

void CheckpointDetails::refuse(const std::string& key, const std::string& wanted) const {
  throw io::InputError("input.checkpoint.manifest", from_.manifest_path(), 0, 0,
                       fmt::format("'details.{}' is not {}", key, wanted));
}

bool CheckpointDetails::has(const std::string& key) const { return json_->all.contains(key); }

double CheckpointDetails::time(const std::string& key) const {
  const auto at = json_->all.find(key);
  if (at == json_->all.end() || !at->is_number() || !(at->get<double>() >= 0)) refuse(key, "a number from 0 on");
  return at->get<double>();
}

std::int64_t CheckpointDetails::count(const std::string& key) const {
  const auto at = json_->all.find(key);
  if (at == json_->all.end() || !is_count(*at)) refuse(key, "a whole number from 0 on");
  return at->get<std::int64_t>();
}

std::map<std::string, std::string> CheckpointDetails::settings() const {
  const auto at = json_->all.find("settings");
  if (at == json_->all.end() || !at->is_object()) refuse("settings", "an object of texts");
  std::map<std::string, std::string> all;
  for (const auto& [key, value] : at->items()) {
    if (!value.is_string()) refuse("settings", "an object of texts");
    all[key] = value.get<std::string>();
  }
  return all;
}

std::vector<io::TimedFile> CheckpointDetails::files(const std::string& key) const {
  const auto at = json_->all.find(key);
  const char* wanted = "a list of times and names of files";
  if (at == json_->all.end() || !at->is_array()) refuse(key, wanted);
  std::vector<io::TimedFile> all;
  for (const auto& file : *at) {
    if (!file.is_array() || file.size() != 2 || !file[0].is_number() || !file[1].is_string()) refuse(key, wanted);
    all.push_back({file[0].get<double>(), file[1].get<std::string>()});
  }
  return all;
}

std::pair<std::int64_t, std::vector<double>> CheckpointDetails::profiles() const {
  const auto at = json_->all.find("profiles");
  const char* wanted = "the number of samples and their sums";
  if (at == json_->all.end() || !at->is_object() || !at->contains("samples") || !is_count((*at)["samples"]) ||
      !at->contains("sums") || !(*at)["sums"].is_array())
    refuse("profiles", wanted);
  std::vector<double> sums;
  for (const auto& sum : (*at)["sums"]) {
    if (!sum.is_number()) refuse("profiles", wanted);
    sums.push_back(sum.get<double>());
  }
  return {(*at)["samples"].get<std::int64_t>(), sums};
}

}  // namespace speedwell::simulation
