#include "speedwell/io/checkpoint_manifest.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "speedwell/io/error.hpp"
#include "speedwell/io/limits.hpp"

namespace speedwell::io {
namespace {

namespace fs = std::filesystem;
// The end of a manifest: the digest is that of all preceding bytes.
constexpr std::string_view before_digest = ",\n  \"manifest_xxh3_128\": \"", after_digest = "\"\n}\n";
constexpr std::size_t digest_letters = 32;

}  // namespace

std::string sum_of(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

std::string with_digest(const nlohmann::ordered_json& manifest) {
  std::string text = manifest.dump(2);
  text.resize(text.size() - 2);  // the line feed and the brace at its end
  const std::string digest = sum_of(std::as_bytes(std::span(text)));
  return text.append(before_digest).append(digest).append(after_digest);
}

bool check_digest(const std::string& path, const std::string& text) {
  constexpr std::size_t tail = before_digest.size() + digest_letters + after_digest.size();
  if (text.size() < tail) return false;
  const std::string_view end = std::string_view(text).substr(text.size() - tail);
  if (!end.starts_with(before_digest) || !end.ends_with(after_digest)) return false;
  if (end.substr(before_digest.size(), digest_letters) !=
      sum_of(std::as_bytes(std::span(text)).first(text.size() - tail)))
    throw InputError("input.checkpoint.sum", path, 0, 0, "it is not what was written: its digest is another");
  return true;
}

std::string read_manifest(const std::string& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  const auto refuse = [&](const std::string& what) -> InputError {
    return {"input.checkpoint.manifest", path, 0, 0, what};
  };
  if (status.type() == fs::file_type::not_found) throw refuse("is missing");
  if (status.type() != fs::file_type::regular) throw refuse(error ? error.message() : "is not a file");
  const auto bytes = fs::file_size(path, error);
  if (error) throw refuse(error.message());
  if (bytes > limits::manifest_bytes)
    throw refuse("is longer than " + std::to_string(limits::manifest_bytes) + " bytes");
  std::string text(static_cast<std::size_t>(bytes), '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in) throw refuse("cannot be read");
  return text;
}

std::size_t depth_of(std::string_view text) {
  std::size_t depth = 0, max_depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      max_depth = std::max(max_depth, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return max_depth;
}

}  // namespace speedwell::io
