#include "speedwell/io/checkpoint.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::io {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t block_bytes = std::size_t{1} << 20;
constexpr std::size_t kept = 2;
constexpr const char* schema = "speedwell-checkpoint/1";

std::string folder_of(std::int64_t step) {
  char name[32];
  std::snprintf(name, sizeof name, "step-%09lld", static_cast<long long>(step));
  return name;
}

std::string sum_of(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

std::vector<std::string> sums_of(std::span<const std::byte> bytes) {
  std::vector<std::string> sums;
  for (std::size_t at = 0; at < bytes.size(); at += block_bytes)
    sums.push_back(sum_of(bytes.subspan(at, std::min(block_bytes, bytes.size() - at))));
  return sums;
}

void flush_folder(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (descriptor < 0 || fsync(descriptor) != 0) {
    const std::string reason = std::strerror(errno);
    if (descriptor >= 0) close(descriptor);
    throw OutputError("output.write", folder.string(), "the folder could not be flushed: " + reason);
  }
  close(descriptor);
}

// Throws OutputError where the file system refuses.
template <class Action>
void on_disk(const fs::path& path, const char* id, const char* what, const Action& action) {
  std::error_code error;
  action(error);
  if (error) throw OutputError(id, path.string(), std::string(what) + ": " + error.message());
}

}  // namespace

void write_checkpoint(const std::string& dir, std::int64_t step, const std::vector<CheckpointField>& fields,
                      const std::string& details) {
  const fs::path all = dir, done = all / folder_of(step), partial = done.string() + ".partial";
  on_disk(all, "output.open", "the folder could not be made", [&](auto& e) { fs::create_directories(all, e); });
  on_disk(partial, "output.open", "an old one could not be removed", [&](auto& e) { fs::remove_all(partial, e); });
  on_disk(partial, "output.open", "the folder could not be made", [&](auto& e) { fs::create_directory(partial, e); });
  try {
    nlohmann::ordered_json manifest = {{"schema", schema}, {"step", step}, {"details", nlohmann::json::parse(details)}};
    for (const CheckpointField& f : fields) {
      write_file((partial / (f.name + ".raw")).string(),
                 {reinterpret_cast<const char*>(f.bytes.data()), f.bytes.size()});
      manifest["fields"].push_back({{"name", f.name},
                                    {"element", f.element},
                                    {"shape", f.shape},
                                    {"block_bytes", block_bytes},
                                    {"xxh3_128", sums_of(f.bytes)}});
    }
    write_file((partial / "manifest.json").string(), manifest.dump(2) + "\n");
    flush_folder(partial);
    on_disk(done, "output.rename", "an old one could not be removed", [&](auto& e) { fs::remove_all(done, e); });
    on_disk(done, "output.rename", "could not take its place", [&](auto& e) { fs::rename(partial, done, e); });
    flush_folder(all);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(partial, ignored);
    throw;
  }
  const std::vector<Checkpoint> now = checkpoints_in(dir);
  for (std::size_t n = kept; n < now.size(); ++n) {
    std::error_code ignored;  // a checkpoint too many is no failure
    fs::remove_all(now[n].path(), ignored);
  }
}

void Checkpoint::read(const CheckpointField& field, std::span<std::byte> bytes) const try {
  const auto manifest = nlohmann::json::parse(manifest_);
  for (const auto& f : manifest.at("fields")) {
    if (f.at("name") != field.name) continue;
    if (f.at("element") != field.element || f.at("shape") != field.shape)
      throw InputError("input.checkpoint.shape", path_, 0, 0,
                       "field '" + field.name + "' is " + f.at("element").dump() + " " + f.at("shape").dump() +
                           ", which is not what this case has");
    const std::string name = path_ + "/" + field.name + ".raw";
    std::ifstream in(name, std::ios::binary);
    in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!in || in.peek() != std::ifstream::traits_type::eof())
      throw InputError("input.checkpoint.shape", name, 0, 0,
                       "the file does not have " + std::to_string(bytes.size()) + " bytes");
    const std::vector<std::string> sums = sums_of(bytes);
    for (std::size_t b = 0; b < sums.size(); ++b)
      if (f.at("xxh3_128").at(b) != sums[b])
        throw InputError("input.checkpoint.sum", name, 0, 0,
                         "what was written from byte " + std::to_string(b * block_bytes) + " on has changed");
    return;
  }
  throw InputError("input.checkpoint.shape", path_, 0, 0, "there is no field '" + field.name + "'");
} catch (const nlohmann::json::exception& e) {
  throw InputError("input.checkpoint.manifest", path_ + "/manifest.json", 0, 0, e.what());
}

std::vector<Checkpoint> checkpoints_in(const std::string& dir) {
  std::vector<Checkpoint> all;
  std::error_code error;
  for (fs::directory_iterator at(dir, error), end; !error && at != end; at.increment(error)) {
    std::ifstream in(at->path() / "manifest.json", std::ios::binary);
    if (!in || at->path().extension() == ".partial") continue;
    Checkpoint c;
    c.manifest_.assign(std::istreambuf_iterator<char>(in), {});
    const auto manifest = nlohmann::json::parse(c.manifest_, nullptr, false);
    if (!manifest.is_object() || manifest.value("schema", "") != schema || !manifest.contains("details") ||
        !manifest.contains("fields") || !manifest.at("fields").is_array() || !manifest.contains("step") ||
        !manifest.at("step").is_number_integer())
      continue;
    c.path_ = at->path().string();
    c.step_ = manifest.at("step").get<std::int64_t>();
    c.details_ = manifest.at("details").dump();
    all.push_back(std::move(c));
  }
  std::sort(all.begin(), all.end(), [](const Checkpoint& a, const Checkpoint& b) { return a.step() > b.step(); });
  return all;
}

}  // namespace speedwell::io
