// Ceilings that were measured thoroughly, kept between sessions: one small JSON file for each device in
// SPEEDWELL_CACHE_DIR, else XDG_CACHE_HOME/speedwell, else ~/.cache/speedwell.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "speedwell/machine/ceilings.hpp"

namespace speedwell::machine {

/// The hardware and driver for which a measurement is valid.
struct CacheKey {
  std::string machine_id;   // Machine::id
  std::string device_uuid;  // Gpu::uuid; empty for the host
  std::string driver;       // Machine::driver; empty for the host
  int threads = 0;          // number of threads on the host; 0 for a GPU
};

/// The folder; empty if the environment names none. A relative path in the environment is ignored: it would depend on
/// the working directory.
std::filesystem::path cache_directory();
/// The file of `key` in `folder`.
std::filesystem::path cache_file(const std::filesystem::path& folder, const CacheKey& key);

/// The ceilings saved for `key`; nothing if there are none or they cannot be used. In the latter case `warning` says
/// why in one line. A damaged file is no error: the next measurement replaces it.
std::optional<Ceilings> load_cached(const CacheKey& key, std::string& warning);

/// Saves through a temporary file and a rename, so that a reader finds either the old or the new file. Returns false,
/// with one line in `warning`, if it cannot be written; the measurement is valid nevertheless.
bool save_cached(const CacheKey& key, const Ceilings& ceilings, std::string& warning);

}  // namespace speedwell::machine
