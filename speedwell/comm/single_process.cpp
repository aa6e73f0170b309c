// Replacements for builds without MPI, which have one rank.
#include <cstring>
#include <stdexcept>

#include "speedwell/comm/environment.hpp"
#include "speedwell/comm/progress.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::comm {

void progress() {}

struct Request::Impl {};
Request::Request() = default;
Request::Request(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Request::Request(Request&& other) noexcept = default;
Request& Request::operator=(Request&& other) noexcept = default;
Request::~Request() = default;
void Request::abandon() noexcept {}
void Request::wait() {}
bool Request::ended() { return true; }

struct Communicator::Impl {};
Communicator::Communicator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;
Communicator::~Communicator() = default;

namespace {
[[noreturn]] void throw_no_other_rank() {
  throw std::logic_error("a message in a build without MPI, which has one rank");
}
}  // namespace

int Communicator::rank() const { return 0; }
int Communicator::size() const { return 1; }
Communicator Communicator::split(int, int) const { return Communicator(nullptr); }
Communicator Communicator::split_by_host() const { return Communicator(nullptr); }
void Communicator::barrier() const {}
void Communicator::idle_barrier() const {}
std::string Communicator::broadcast(std::string text, int) const { return text; }
double Communicator::reduce(double value, Reduction) const { return value; }
std::int64_t Communicator::reduce(std::int64_t value, Reduction) const { return value; }
void Communicator::reduce(std::span<std::int64_t>, Reduction) const {}
void Communicator::gather_bytes(const void* mine, std::size_t count, void* all, std::size_t all_count) const {
  if (all_count != count) throw std::invalid_argument("gathering of one rank in another length");
  if (count > 0) std::memcpy(all, mine, count);
}
std::vector<std::string> Communicator::gather(const std::string& text) const { return {text}; }
void Communicator::broadcast_bytes(void*, std::size_t, int) const {}
void Communicator::send_bytes(const void*, std::size_t, int, int) const { throw_no_other_rank(); }
void Communicator::receive_bytes(void*, std::size_t, int, int) const { throw_no_other_rank(); }
Request Communicator::start_send_bytes(const void*, std::size_t, int, int) const { throw_no_other_rank(); }
Request Communicator::start_receive_bytes(void*, std::size_t, int, int) const { throw_no_other_rank(); }

std::string library_version() { return {}; }

struct Environment::Impl {};
Environment::Environment() { throw core::Unavailable("built without MPI"); }
Environment::~Environment() = default;
std::optional<int> Environment::all_failed(int status, std::chrono::milliseconds) const { return status; }
void Environment::abort(int status) const { std::_Exit(status); }

}  // namespace speedwell::comm
