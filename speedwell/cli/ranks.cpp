#include "speedwell/cli/ranks.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <streambuf>

#include "speedwell/cli/child.hpp"
#include "speedwell/comm/environment.hpp"
#include "speedwell/comm/launch.hpp"
#include "speedwell/comm/placement.hpp"
#include "speedwell/machine/machine.hpp"

namespace speedwell::cli {
namespace {

std::unique_ptr<comm::Environment> mpi;

// Takes everything and keeps nothing.
class NullStreambuf : public std::streambuf {
  int overflow(int c) override { return traits_type::not_eof(c); }
};

}  // namespace

void join_launch() {
  if (comm::launcher_ranks().value_or(1) < 2) return;
  begin_ranks();
  if (is_root()) return;
  static auto* const silence = new NullStreambuf;  // never destroyed: the streams are flushed after everything static
  std::cout.rdbuf(silence);
  std::cerr.rdbuf(silence);
}

void begin_ranks() {
  if (!mpi) mpi = std::make_unique<comm::Environment>();
}

int rank_option(const std::string& text) { return static_cast<int>(count_option("--ranks", text, 1, 1 << 20)); }

int machine_cores() { return machine::detect().cpu.cores; }

void require_cores(int ranks, int cores, bool oversubscribe) {
  if (ranks <= cores || oversubscribe || environment("SLURM_JOB_ID") || environment("SPEEDWELL_LAUNCHER")) return;
  throw UsageError(fmt::format("--ranks {}: there are {} cores here", ranks, cores),
                   "--oversubscribe starts more ranks than cores; their times are no measure");
}

void enter_ranks(RunOptions& options, const Arguments& arguments) {
  if (options.ranks.empty()) {
    if (options.oversubscribe) throw UsageError("--oversubscribe is for --ranks", "");
    return;
  }
  const int wanted = rank_option(options.ranks);
  const int started = comm::launcher_ranks().value_or(1);
  if (comm::launcher_ranks() && started != wanted)
    throw UsageError(fmt::format("--ranks {}, and the launcher has started {}", wanted, started),
                     "leave one of them out");
  if (!comm::launcher_ranks() && wanted > 1) {
    require_cores(wanted, machine_cores(), options.oversubscribe);
    std::vector<std::string> words = comm::launch_command({.ranks = wanted, .oversubscribe = options.oversubscribe});
    words.insert(words.end(), {own_program(), arguments.command});
    words.insert(words.end(), arguments.words.begin(), arguments.words.end());
    become(words);
  }
  if (options.variants.empty()) options.variants = "mpi*";
}

const comm::Communicator* ranks() { return mpi ? &mpi->world() : nullptr; }
int rank_count() { return mpi ? ranks()->size() : 1; }
bool is_root() { return !mpi || ranks()->rank() == 0; }

bool any_rank(bool mine) { return mpi ? ranks()->reduce(std::int64_t{mine}, comm::Reduction::maximum) != 0 : mine; }

std::vector<int> cpus_of_ranks() {
  std::string mine;
  for (const int cpu : machine::allowed_cpus()) mine += std::to_string(cpu) + " ";
  std::set<int> all;
  for (const std::string& of_rank : ranks()->split_by_host().gather(mine)) {
    std::istringstream numbers(of_rank);
    for (int cpu = 0; numbers >> cpu;) all.insert(cpu);
  }
  return {all.begin(), all.end()};
}

std::string placement_text() {
  std::string text;
  for (const comm::Placement& p : comm::placement(*ranks()))
    text += fmt::format("rank {} on {} ({} there), cores {}\n", p.rank, p.host, p.local_rank, p.cores);
  return text;
}

int leave(int status) {
  if (!mpi) return status;
  const auto all = static_cast<int>(ranks()->reduce(std::int64_t{status}, comm::Reduction::maximum));
  mpi.reset();
  return all;
}

int leave(const Failure& failure, const std::string& document) {
  constexpr std::chrono::seconds timeout{2};  // ranks that fail for one reason come here within moments of each other
  const auto all = mpi ? mpi->all_failed(failure.status, timeout) : failure.status;
  if (all)
    std::cerr << text_of(failure);
  else
    fmt::print(stderr, "[rank {} {}] {}", ranks()->rank(), comm::host_name(), text_of(failure));
  std::cout << document << std::flush;
  if (!all) mpi->abort(failure.status);
  mpi.reset();
  return *all;
}

}  // namespace speedwell::cli
