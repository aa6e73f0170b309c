// Reading of /proc and /sys: small text files, lists of processors, sizes with a suffix.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace speedwell::machine {

/// The whole file without white space at its end, or nothing if it cannot be read.
std::optional<std::string> read_text(const std::filesystem::path& file);
/// The whole file as an integer.
std::optional<std::int64_t> read_whole(const std::filesystem::path& file);

/// All of `text` as a decimal integer, possibly negative; nothing for anything else or for more than 64 bits.
std::optional<std::int64_t> parse_whole(std::string_view text);
/// "0-3,8" is {0, 1, 2, 3, 8}, in ascending order; nothing for anything else. Processors below 2^20.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);
/// "48K" is 49152; K, M and G are binary.
std::optional<std::int64_t> parse_cache_size(std::string_view text);
/// The value after "key:" or "key " at the start of a line, without white space around it: "MemTotal:  24684084 kB".
std::optional<std::string_view> value_of(std::string_view text, std::string_view key);

/// The entries of `folder` that are called `prefix` and a number, ordered by the number.
std::vector<std::filesystem::path> numbered_entries(const std::filesystem::path& folder, std::string_view prefix);

}  // namespace speedwell::machine
