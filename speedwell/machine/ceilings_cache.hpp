// Ceilings that were measured thoroughly, kept between sessions: one small JSON file for each device in
// SPEEDWELL_CACHE_DIR, else XDG_CACHE_HOME/speedwell, else ~/.cache/speedwell.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "speedwell/machine/ceilings.hpp"

namespace speedwell::machine {

/// What a measurement holds for.
struct CacheKey {
  std::string machine_id;   // Machine::id
  std::string device_uuid;  // Gpu::uuid; empty for the host
  std::string driver;       // Machine::driver; empty for the host
  int threads = 0;          // of the host; 0 for a GPU
};

/// The folder; empty if the environment names none. A relative path in the environment is not used: it would mean
/// another folder from each working directory.
std::filesystem::path cache_directory();
/// The file of `key` in `folder`.
std::filesystem::path cache_file(const std::filesystem::path& folder, const CacheKey& key);

/// What was saved for `key`; nothing if there is none or it cannot be used, and then `warning` says why (one line; it
/// is empty where simply nothing was saved). A damaged file is no error: measuring again replaces it.
std::optional<Ceilings> load_cached(const CacheKey& key, std::string& warning);

/// Saves through a temporary file and a rename, so that a reader finds the whole old or the whole new one. False, with
/// one line in `warning`, if it cannot be written: the measurement is good all the same.
bool save_cached(const CacheKey& key, const Ceilings& ceilings, std::string& warning);

}  // namespace speedwell::machine
