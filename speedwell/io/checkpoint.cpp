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
#include <stdexcept>

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

std::uint64_t bytes_of(const std::string& element, const std::vector<std::int64_t>& shape) {
  if (element != "f64" && element != "f32") throw std::invalid_argument("'" + element + "' is no element");
  std::uint64_t bytes = element == "f64" ? 8 : 4;
  for (const std::int64_t n : shape)
    if (n < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(n), &bytes))
      throw std::out_of_range("a shape that no memory holds");
  return bytes;
}

// The field's file a block at a time to where room(at, size) says, each held against its sum.
template <class Room>
void read_blocks(const std::string& file, const nlohmann::json& field, std::uint64_t bytes, const Room& room) {
  const nlohmann::json& sums = field.at("xxh3_128");
  std::ifstream in(file, std::ios::binary);
  for (std::uint64_t at = 0, b = 0; at < bytes; at += block_bytes, ++b) {
    const std::span<std::byte> block =
        room(at, static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, bytes - at)));
    in.read(reinterpret_cast<char*>(block.data()), static_cast<std::streamsize>(block.size()));
    if (!in) break;
    if (sums.at(b) != sum_of(block))
      throw InputError("input.checkpoint.sum", file, 0, 0,
                       "what was written from byte " + std::to_string(at) + " on has changed");
  }
  if (!in || in.peek() != std::ifstream::traits_type::eof())
    throw InputError("input.checkpoint.shape", file, 0, 0,
                     "the file does not have " + std::to_string(bytes) + " bytes");
}

// What is wrong with a manifest, as the user's mistake.
template <class Action>
auto in_manifest(const std::string& path, const Action& action) {
  const auto refuse = [&](const std::exception& e) -> InputError {
    return {"input.checkpoint.manifest", path + "/manifest.json", 0, 0, e.what()};
  };
  try {
    return action();
  } catch (const nlohmann::json::exception& e) {
    throw refuse(e);
  } catch (const std::logic_error& e) {  // of an element or a shape
    throw refuse(e);
  }
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

std::vector<StoredField> Checkpoint::fields() const {
  return in_manifest(path_, [&] {
    std::vector<StoredField> all;
    const auto manifest = nlohmann::json::parse(manifest_);
    for (const auto& f : manifest.at("fields")) {
      StoredField stored{f.at("name"), f.at("element"), f.at("shape"), 0};
      if (stored.name.empty() || stored.name.find_first_of("/.") != std::string::npos)
        throw std::invalid_argument("'" + stored.name + "' is no name of a field");
      stored.bytes = bytes_of(stored.element, stored.shape);
      all.push_back(std::move(stored));
    }
    return all;
  });
}

void Checkpoint::read(const CheckpointField& field, std::span<std::byte> bytes) const {
  in_manifest(path_, [&] {
    const auto manifest = nlohmann::json::parse(manifest_);
    for (const auto& f : manifest.at("fields")) {
      if (f.at("name") != field.name) continue;
      if (f.at("element") != field.element || f.at("shape") != field.shape)
        throw InputError("input.checkpoint.shape", path_, 0, 0,
                         "field '" + field.name + "' is " + f.at("element").dump() + " " + f.at("shape").dump() +
                             ", which is not what this case has");
      return read_blocks(path_ + "/" + field.name + ".raw", f, bytes.size(),
                         [&](std::uint64_t at, std::size_t size) { return bytes.subspan(at, size); });
    }
    throw InputError("input.checkpoint.shape", path_, 0, 0, "there is no field '" + field.name + "'");
  });
}

void Checkpoint::verify() const {
  const std::vector<StoredField> stored = fields();
  in_manifest(path_, [&] {
    const auto manifest = nlohmann::json::parse(manifest_);
    std::vector<std::byte> block(block_bytes);
    for (std::size_t n = 0; n < stored.size(); ++n)
      read_blocks(path_ + "/" + stored[n].name + ".raw", manifest.at("fields").at(n), stored[n].bytes,
                  [&](std::uint64_t, std::size_t size) { return std::span(block).first(size); });
  });
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

std::vector<std::string> unreadable_checkpoints_in(const std::string& dir) {
  std::vector<std::string> readable, all;
  for (const Checkpoint& c : checkpoints_in(dir)) readable.push_back(c.path());
  std::error_code error;
  for (fs::directory_iterator at(dir, error), end; !error && at != end; at.increment(error))
    if (at->path().filename().string().starts_with("step-") && at->path().extension() != ".partial" &&
        std::find(readable.begin(), readable.end(), at->path().string()) == readable.end())
      all.push_back(at->path().string());
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace speedwell::io
