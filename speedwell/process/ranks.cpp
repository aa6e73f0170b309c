#include "speedwell/process/ranks.hpp"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <streambuf>

#include "speedwell/comm/environment.hpp"
#include "speedwell/comm/launch.hpp"
#include "speedwell/comm/placement.hpp"
#include "speedwell/machine/machine.hpp"
#include "speedwell/process/termination.hpp"

namespace speedwell::process {
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
  expect_exit();
  if (!mpi) return status;
  const auto all = static_cast<int>(ranks()->reduce(std::int64_t{status}, comm::Reduction::maximum));
  mpi.reset();
  return all;
}

int leave_closed_pipe(int status) {
  expect_exit();
  if (status != 0 || rank_count() > 1) return leave(status == 0 ? 128 + SIGPIPE : status);
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  return 128 + SIGPIPE;
}

int leave(const Failure& failure, const std::string& document) {
  expect_exit();
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

}  // namespace speedwell::process
