#include "speedwell/comm/launch.hpp"

#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string_view>

#include "speedwell/comm/environment.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::comm {
namespace {

/// The path of a program in the folders of PATH; empty if there is none.
std::string in_path(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

/// Open MPI refuses to start more ranks than it counts slots, and refuses root, as which containers run, unless told.
/// It binds each rank to a core, the first ranks to the first cores, wherever their GPUs are attached; a rank that
/// drives a GPU is one of few on its host, uses threads to prepare data, and runs on any core, which the system
/// chooses.
std::vector<std::string> options_of_open_mpi(const LaunchOptions& options) {
  std::vector<std::string> words;
  if (options.oversubscribe) words.emplace_back("--oversubscribe");
  if (options.oversubscribe || !options.one_core_each) words.insert(words.end(), {"--bind-to", "none"});
  if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
  return words;
}

}  // namespace

std::vector<std::string> launch_command(const LaunchOptions& options) {
  const std::string library = library_version();
  if (library.empty()) throw core::Unavailable("built without MPI");
  const std::vector<std::string> count{"-n", std::to_string(options.ranks)};
  std::vector<std::string> words;
  if (const char* const given = std::getenv("SPEEDWELL_LAUNCHER"); given && *given) {
    std::istringstream text(given);
    for (std::string word; text >> word;) words.push_back(word);
    if (words.empty()) throw core::Unavailable("SPEEDWELL_LAUNCHER is blank");
  } else if (const std::string srun = std::getenv("SLURM_JOB_ID") ? in_path("srun") : ""; !srun.empty()) {
    words = {srun};
    if (options.oversubscribe) words.emplace_back("--overcommit");
    if (!options.one_core_each) words.emplace_back("--cpu-bind=none");
  } else {
    for (const char* name : {"mpirun", "mpiexec"})
      if (words.empty())
        if (std::string found = in_path(name); !found.empty()) words = {std::move(found)};
    if (words.empty() && access(SPEEDWELL_MPI_LAUNCHER, X_OK) == 0) words = {SPEEDWELL_MPI_LAUNCHER};
    if (words.empty())
      throw core::Unavailable(
          "no launcher of MPI: neither srun, mpirun nor mpiexec is in PATH; SPEEDWELL_LAUNCHER names it");
    if (library.find("Open MPI") != std::string::npos)
      for (std::string& word : options_of_open_mpi(options)) words.push_back(std::move(word));
  }
  words.insert(words.end(), count.begin(), count.end());
  return words;
}

}  // namespace speedwell::comm
