// The text of a checkpoint's manifest: how it is read, within limits, and the digest with which it ends.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

namespace speedwell::io {

/// XXH3-128 of `bytes` in 32 hexadecimal digits.
std::string sum_of(std::span<const std::byte> bytes);

/// The manifest as text that ends with the digest of every byte before.
std::string with_digest(const nlohmann::ordered_json& manifest);
/// Whether `text`, of the file `path`, ends with a digest. Throws InputError input.checkpoint.sum where that is not the
/// digest of what is before it.
bool check_digest(const std::string& path, const std::string& text);

/// The whole file. Throws InputError input.checkpoint.manifest where it is missing, no file, too long or unreadable.
std::string read_manifest(const std::string& path);

/// How deep brackets are nested, those in strings aside: what the recursion of a JSON library would take.
std::size_t depth_of(std::string_view text);

}  // namespace speedwell::io
