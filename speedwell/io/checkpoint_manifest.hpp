// The text of a checkpoint's manifest: reading within limits, and the digest at its end.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

namespace speedwell::io {

/// XXH3-128 of `bytes` in 32 hexadecimal digits.
std::string sum_of(std::span<const std::byte> bytes);

/// The manifest as text that ends with the digest of all preceding bytes.
std::string with_digest(const nlohmann::ordered_json& manifest);
/// Whether `text`, of the file `path`, ends with a digest. Throws InputError input.checkpoint.sum if that is not the
/// digest of the preceding bytes.
bool check_digest(const std::string& path, const std::string& text);

/// The whole file. Throws InputError input.checkpoint.manifest if it is missing, not a file, too long or unreadable.
std::string read_manifest(const std::string& path);

/// The nesting depth of brackets outside of strings, which is the recursion depth of a JSON library.
std::size_t depth_of(std::string_view text);

}  // namespace speedwell::io
