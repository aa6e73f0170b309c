#include "speedwell/io/checkpoint.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/checkpoint_manifest.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/error_text.hpp"
#include "speedwell/io/limits.hpp"

namespace speedwell::io {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t block_bytes = std::size_t{1} << 20;
constexpr std::size_t kept = 2;
constexpr const char* schema = "speedwell-checkpoint/2";
constexpr const char* schema_without_digest = "speedwell-checkpoint/1";  // of version 0.1
constexpr const char* suffix_of_save = ".partial";
constexpr const char* suffix_of_removal = ".removed";
std::string folder_of(std::int64_t step) {
  char name[32];
  std::snprintf(name, sizeof name, "step-%09lld", static_cast<long long>(step));
  return name;
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
    const std::string reason = text_of(errno);
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

// Reads the field's file block by block into room(offset, size), and checks the sum of each block.
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

// The message of an exception of the JSON library without its prefix.
std::string said_by(const std::exception& e) {
  const std::string what = e.what();
  const auto end = what.find("] ");
  return what.starts_with("[json.exception") && end != std::string::npos ? what.substr(end + 2) : what;
}

// Converts errors in a manifest to InputError.
template <class Action>
auto in_manifest(const std::string& path, const Action& action) {
  const auto refuse = [&](const std::exception& e) -> InputError {
    return {"input.checkpoint.manifest", path + "/manifest.json", 0, 0, said_by(e)};
  };
  try {
    return action();
  } catch (const nlohmann::json::exception& e) {
    throw refuse(e);
  } catch (const std::logic_error& e) {  // from an element or a shape
    throw refuse(e);
  }
}

// The number in the name of a checkpoint's folder; -1 if there is none.
std::int64_t step_of(const std::string& name) {
  std::int64_t step = -1;
  constexpr std::size_t digits_from = 5;  // after "step-"
  const char* end = name.data() + name.size();
  if (name.size() <= digits_from) return -1;
  const auto [stopped, error] = std::from_chars(name.data() + digits_from, end, step);
  return error == std::errc() && stopped == end && step >= 0 ? step : -1;
}

// Throws OutputError if the file system call fails.
template <class Action>
void on_disk(const fs::path& path, const char* id, const char* what, const Action& action) {
  std::error_code error;
  action(error);
  if (error) throw OutputError(id, path.string(), std::string(what) + ": " + error.message());
}

// Renames the folder first: after an interruption, no incomplete checkpoint has the name of one. Errors are ignored: an
// additional checkpoint does no harm.
void remove_checkpoint(const fs::path& path) {
  const fs::path removed = path.string() + suffix_of_removal;
  std::error_code ignored, failed;
  fs::remove_all(removed, ignored);
  fs::rename(path, removed, failed);
  if (!failed) fs::remove_all(removed, ignored);
}

// Renames `partial` to `done`, which may exist: one of the two always exists.
void put_in_place(const fs::path& partial, const fs::path& done) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(done, ignored))) {
    if (renameat2(AT_FDCWD, partial.c_str(), AT_FDCWD, done.c_str(), RENAME_EXCHANGE) == 0) {
      fs::remove_all(partial, ignored);
      return;
    }
    remove_checkpoint(done);  // a file system that cannot exchange
  }
  on_disk(done, "output.rename", "could not take its place", [&](auto& e) { fs::rename(partial, done, e); });
}

}  // namespace

Checkpoint open_checkpoint(const std::string& path, const std::string& name) {
  Checkpoint c;
  c.path_ = path;
  const std::string file = c.manifest_path();
  const auto refuse = [&](const std::string& what) -> InputError {
    return {"input.checkpoint.manifest", file, 0, 0, what};
  };
  c.manifest_ = read_manifest(file);
  const bool has_digest = check_digest(file, c.manifest_);
  if (depth_of(c.manifest_) > limits::manifest_depth)
    throw refuse("is nested more than " + std::to_string(limits::manifest_depth) + " levels deep");
  in_manifest(path, [&] {
    const auto manifest = nlohmann::json::parse(c.manifest_);
    const auto want = [&](const char* key, const char* what, const auto& is) -> const nlohmann::json& {
      const auto member = manifest.find(key);
      if (member == manifest.end() || !is(*member)) throw refuse("'" + std::string(key) + "' is not " + what);
      return *member;
    };
    const auto counts = [](const nlohmann::json& j) {
      return j.is_number_unsigned() && j.get<std::uint64_t>() <= std::uint64_t{INT64_MAX};
    };
    if (!manifest.is_object()) throw refuse("is not an object");
    const auto& version = want("schema", "a text", [](const auto& j) { return j.is_string(); });
    if (version != schema && version != schema_without_digest)
      throw refuse("'schema' is " + version.dump() + ", which this version does not read");
    if (version == schema && !has_digest) throw refuse("does not end with its digest");
    c.step_ = want("step", "a whole number from 0 on", counts).template get<std::int64_t>();
    if (version == schema) c.run_ = want("run", "a whole number from 0 on", counts).template get<std::int64_t>();
    if (folder_of(c.step_) != name)
      throw refuse("is that of step " + std::to_string(c.step_) + ", which is not the name of its folder");
    c.details_ = want("details", "an object", [](const auto& j) { return j.is_object(); }).dump();
    want("fields", "an array", [](const auto& j) { return j.is_array(); });
  });
  return c;
}

namespace {

// Throws OutputError unless the checkpoint can be read completely and equals what was written.
void read_back(const fs::path& path, const std::string& name, const std::string& manifest) {
  try {
    if (read_manifest((path / "manifest.json").string()) != manifest)
      throw InputError("input.checkpoint.sum", (path / "manifest.json").string(), 0, 0, "it is another");
    open_checkpoint(path.string(), name).verify();
  } catch (const InputError& e) {
    throw OutputError("output.write", e.file(), "what was read back is not what was written: " + e.message());
  }
}

void remove_older(const std::string& dir, std::int64_t run, std::int64_t step) {
  CheckpointListing now;
  try {
    now = list_checkpoints(dir);
  } catch (const InputError&) {  // a folder that is writable but not readable
    return;
  }
  // If the checkpoint that was just written cannot be read, the others may not be readable either, and are kept.
  const auto is_written = [&](const Checkpoint& c) { return c.run() == run && c.step() == step; };
  if (std::none_of(now.readable.begin(), now.readable.end(), is_written)) return;
  std::size_t own = 0;
  for (const Checkpoint& c : now.readable)
    if (c.run() != run || c.step() > step || ++own > kept) remove_checkpoint(c.path());
  for (const UnreadableCheckpoint& c : now.unreadable)
    if (c.step >= 0) remove_checkpoint(c.path);
  std::error_code ignored;
  for (const std::string& path : now.leftovers) fs::remove_all(path, ignored);
}

}  // namespace

void write_checkpoint(const std::string& dir, std::int64_t step, const std::vector<CheckpointField>& fields,
                      const std::string& details, std::int64_t run) {
  if (step < 0 || run < 0) throw std::invalid_argument("a checkpoint of a step or run below 0");
  const fs::path all = dir, done = all / folder_of(step), partial = done.string() + suffix_of_save;
  on_disk(all, "output.open", "the folder could not be made", [&](auto& e) { fs::create_directories(all, e); });
  on_disk(partial, "output.open", "an old one could not be removed", [&](auto& e) { fs::remove_all(partial, e); });
  on_disk(partial, "output.open", "the folder could not be made", [&](auto& e) { fs::create_directory(partial, e); });
  try {
    nlohmann::ordered_json manifest = {{"schema", schema},
                                       {"run", run},
                                       {"step", step},
                                       {"details", nlohmann::json::parse(details)},
                                       {"fields", nlohmann::json::array()}};
    for (const CheckpointField& f : fields) {
      write_file((partial / (f.name + ".raw")).string(),
                 {reinterpret_cast<const char*>(f.bytes.data()), f.bytes.size()});
      manifest["fields"].push_back({{"name", f.name},
                                    {"element", f.element},
                                    {"shape", f.shape},
                                    {"block_bytes", block_bytes},
                                    {"xxh3_128", sums_of(f.bytes)}});
    }
    const std::string text = with_digest(manifest);
    write_file((partial / "manifest.json").string(), text);
    flush_folder(partial);
    read_back(partial, folder_of(step), text);
    put_in_place(partial, done);
    flush_folder(all);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(partial, ignored);
    throw;
  }
  remove_older(dir, run, step);
  std::error_code error;
  if (!fs::exists(done / "manifest.json", error))
    throw OutputError("output.write", done.string(), "it was saved, and is no longer there");
}

std::vector<StoredField> Checkpoint::fields() const {
  return in_manifest(path_, [&] {
    std::vector<StoredField> all;
    const auto manifest = nlohmann::json::parse(manifest_);
    for (const auto& f : manifest.at("fields")) {
      StoredField stored{f.at("name"), f.at("element"), f.at("shape"), 0};
      const auto allowed = [](unsigned char c) { return c == '-' || c == '_' || (c < 0x80 && std::isalnum(c)); };
      if (stored.name.empty() || !std::all_of(stored.name.begin(), stored.name.end(), allowed))
        throw std::invalid_argument("'" + stored.name + "' is not a valid name of a field");
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

CheckpointListing list_checkpoints(const std::string& dir) {
  CheckpointListing all;
  std::error_code error;
  fs::directory_iterator at(dir, error);
  for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
    const std::string path = at->path().string(), name = at->path().filename().string(),
                      extension = at->path().extension().string();
    if (!name.starts_with("step-")) continue;
    if (extension == suffix_of_save || extension == suffix_of_removal) {
      all.leftovers.push_back(path);
      continue;
    }
    try {
      all.readable.push_back(open_checkpoint(path, name));
    } catch (const InputError& e) {
      all.unreadable.push_back({path, step_of(name), e});
    }
  }
  if (error && error != std::errc::no_such_file_or_directory)
    throw InputError("input.open", dir, 0, 0, "cannot be read: " + error.message());
  std::sort(all.readable.begin(), all.readable.end(),
            [](const Checkpoint& a, const Checkpoint& b) { return a.step() > b.step(); });
  // Version 0.1 removed old checkpoints without renaming them: if there are two newer complete ones, one without a
  // manifest is the remainder of an interrupted removal.
  const auto removed = [&](const UnreadableCheckpoint& c) {
    std::error_code ignored;
    return c.step >= 0 && all.readable.size() >= kept && c.step < all.readable[kept - 1].step() &&
           fs::symlink_status(c.path + "/manifest.json", ignored).type() == fs::file_type::not_found;
  };
  std::sort(all.unreadable.begin(), all.unreadable.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  for (const UnreadableCheckpoint& c : all.unreadable)
    if (removed(c)) all.leftovers.push_back(c.path);
  std::erase_if(all.unreadable, removed);
  std::sort(all.leftovers.begin(), all.leftovers.end());
  return all;
}

std::vector<Checkpoint> checkpoints_in(const std::string& dir) { return list_checkpoints(dir).readable; }

void remove_leftovers(const std::string& dir) {
  for (const std::string& path : list_checkpoints(dir).leftovers) {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
}

}  // namespace speedwell::io
