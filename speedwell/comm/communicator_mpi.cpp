// The communicator over MPI 3. Counts of MPI are ints, so that long messages are sent in pieces; messages between two
// ranks with one tag do not overtake each other, and both sides know the length.
#include <algorithm>
#include <cassert>
#include <chrono>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "speedwell/comm/mpi.hpp"
#include "speedwell/comm/progress.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/trace.hpp"

namespace speedwell::comm {
namespace {

constexpr std::size_t piece = std::size_t{1} << 30;  // bytes of one message

/// A span of a trace for a call that communicates.
core::TraceSpan span_of(std::string_view call, std::size_t bytes) {
  return {call, core::TraceCategory::communication, static_cast<std::int64_t>(bytes)};
}

/// Calls part(offset, bytes) for each piece of a message; once for an empty one.
template <class Part>
void in_pieces(std::size_t count, const Part& part) {
  for (std::size_t offset = 0; offset == 0 || offset < count; offset += piece)
    part(offset, static_cast<int>(std::min(piece, count - offset)));
}

int one_piece(std::size_t count) {
  if (count > piece)
    throw std::invalid_argument(std::to_string(count) + " bytes in one message under way: at most 2^30");
  return static_cast<int>(count);
}

MPI_Op operation(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
      return MPI_SUM;
    case Reduction::minimum:
      return MPI_MIN;
    case Reduction::maximum:
      return MPI_MAX;
  }
  throw std::logic_error("a reduction without an operation");
}

}  // namespace

void check(int status, std::source_location at) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw core::DeviceError(std::string(at.file_name()) + ":" + std::to_string(at.line()) + ": " +
                          std::string(text, static_cast<std::size_t>(length)));
}

void progress() {
  int found = 0;
  check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE));
}

struct Request::Impl {
  Impl(const char* direction, int other, std::size_t count) {
    if (!core::Trace::active()) return;
    name = direction + std::to_string(other);
    bytes = static_cast<std::int64_t>(count);
    begin = core::Trace::now();
  }
  /// To be called when the transfer is known to have completed.
  void add_to_trace() const {
    core::Trace* const trace = core::Trace::active();
    if (!trace || name.empty()) return;
    trace->add({.name = name,
                .category = core::TraceCategory::communication,
                .begin = begin,
                .end = core::Trace::now(),
                .bytes = bytes});
  }

  std::vector<MPI_Request> handles;  // of the pieces
  std::string name;                  // in a trace; empty: not traced
  std::int64_t bytes = 0;
  double begin = 0;
};

Request::Request() = default;
Request::Request(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Request::Request(Request&& other) noexcept = default;
Request& Request::operator=(Request&& other) noexcept {
  assert(!impl_ && "the request that is replaced was not waited for");
  impl_ = std::move(other.impl_);
  return *this;
}
Request::~Request() { assert((!impl_ || std::uncaught_exceptions() > 0) && "a request was not waited for"); }

void Request::abandon() noexcept { impl_.reset(); }

void Request::wait() {
  if (!impl_) return;
  const core::TraceSpan span("wait for a message", core::TraceCategory::wait);
  const auto waiting = std::move(impl_);
  check(MPI_Waitall(static_cast<int>(waiting->handles.size()), waiting->handles.data(), MPI_STATUSES_IGNORE));
  waiting->add_to_trace();
}

bool Request::ended() {
  if (!impl_) return true;
  int done = 0;
  check(MPI_Testall(static_cast<int>(impl_->handles.size()), impl_->handles.data(), &done, MPI_STATUSES_IGNORE));
  if (!done) return false;
  impl_->add_to_trace();
  impl_.reset();
  return true;
}

struct Communicator::Impl {
  explicit Impl(MPI_Comm given) : handle(given) {}
  ~Impl() {
    // After an exception the communicator is not freed: freeing is collective, and the other ranks may not reach it.
    if (std::uncaught_exceptions() == 0) MPI_Comm_free(&handle);
  }
  MPI_Comm handle;
  int rank = 0, size = 1;
};

Communicator owned(MPI_Comm handle) {
  auto impl = std::make_unique<Communicator::Impl>(handle);
  check(MPI_Comm_set_errhandler(handle, MPI_ERRORS_RETURN));
  check(MPI_Comm_rank(handle, &impl->rank));
  check(MPI_Comm_size(handle, &impl->size));
  return Communicator(std::move(impl));
}

Communicator::Communicator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;
Communicator::~Communicator() = default;

int Communicator::rank() const { return impl_->rank; }
int Communicator::size() const { return impl_->size; }

Communicator Communicator::split(int color, int key) const {
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split(impl_->handle, color, key, &part));
  return owned(part);
}

Communicator Communicator::split_by_host() const {
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split_type(impl_->handle, MPI_COMM_TYPE_SHARED, rank(), MPI_INFO_NULL, &part));
  return owned(part);
}

void Communicator::barrier() const {
  const core::TraceSpan span("barrier", core::TraceCategory::wait);
  check(MPI_Barrier(impl_->handle));
}

void Communicator::idle_barrier() const {
  const core::TraceSpan span("idle_barrier", core::TraceCategory::wait);
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibarrier(impl_->handle, &request));
  std::chrono::microseconds pause{20};
  for (int done = 0;;) {
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done) return;
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::microseconds>(2 * pause, std::chrono::milliseconds(1));
  }
}

std::string Communicator::broadcast(std::string text, int root) const {
  text.resize(broadcast(text.size(), root));
  broadcast(std::span<char>(text), root);
  return text;
}

double Communicator::reduce(double value, Reduction reduction) const {
  const auto span = span_of("reduce", sizeof(value));
  double all = 0;
  check(MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, operation(reduction), impl_->handle));
  return all;
}

std::int64_t Communicator::reduce(std::int64_t value, Reduction reduction) const {
  const auto span = span_of("reduce", sizeof(value));
  std::int64_t all = 0;
  check(MPI_Allreduce(&value, &all, 1, MPI_INT64_T, operation(reduction), impl_->handle));
  return all;
}

void Communicator::reduce(std::span<std::int64_t> values, Reduction reduction) const {
  const auto span = span_of("reduce", values.size_bytes());
  in_pieces(values.size_bytes(), [&](std::size_t offset, int bytes) {
    check(MPI_Allreduce(MPI_IN_PLACE, values.data() + offset / sizeof(std::int64_t),
                        bytes / static_cast<int>(sizeof(std::int64_t)), MPI_INT64_T, operation(reduction),
                        impl_->handle));
  });
}

std::vector<std::string> Communicator::gather(const std::string& text) const {
  const auto span = span_of("gather", text.size());
  const auto ranks = static_cast<std::size_t>(size());
  const int mine = one_piece(text.size());
  std::vector<int> lengths(ranks), offsets(ranks);
  check(MPI_Allgather(&mine, 1, MPI_INT, lengths.data(), 1, MPI_INT, impl_->handle));
  std::int64_t total = 0;
  for (std::size_t r = 0; r < ranks; total += lengths[r++]) offsets[r] = static_cast<int>(total);
  if (total > std::numeric_limits<int>::max()) throw std::invalid_argument("the gathered texts pass 2^31 bytes");
  std::string all(static_cast<std::size_t>(total), '\0');
  check(
      MPI_Allgatherv(text.data(), mine, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR, impl_->handle));
  std::vector<std::string> texts;
  for (std::size_t r = 0; r < ranks; ++r)
    texts.push_back(all.substr(static_cast<std::size_t>(offsets[r]), static_cast<std::size_t>(lengths[r])));
  return texts;
}

void Communicator::broadcast_bytes(void* bytes, std::size_t count, int root) const {
  const auto span = span_of("broadcast", count);
  in_pieces(count, [&](std::size_t offset, int part) {
    check(MPI_Bcast(static_cast<std::byte*>(bytes) + offset, part, MPI_BYTE, root, impl_->handle));
  });
}

void Communicator::gather_bytes(const void* mine, std::size_t count, void* all, std::size_t all_count) const {
  if (all_count != count * static_cast<std::size_t>(size()))
    throw std::invalid_argument("gathering " + std::to_string(count) + " bytes of each of " + std::to_string(size()) +
                                " ranks in " + std::to_string(all_count));
  const auto span = span_of("gather", count);
  check(MPI_Allgather(mine, one_piece(count), MPI_BYTE, all, one_piece(count), MPI_BYTE, impl_->handle));
}

void Communicator::send_bytes(const void* bytes, std::size_t count, int to, int tag) const {
  const auto span = span_of("send", count);
  in_pieces(count, [&](std::size_t offset, int part) {
    check(MPI_Send(static_cast<const std::byte*>(bytes) + offset, part, MPI_BYTE, to, tag, impl_->handle));
  });
}

void Communicator::receive_bytes(void* bytes, std::size_t count, int from, int tag) const {
  const auto span = span_of("receive", count);
  in_pieces(count, [&](std::size_t offset, int part) {
    check(
        MPI_Recv(static_cast<std::byte*>(bytes) + offset, part, MPI_BYTE, from, tag, impl_->handle, MPI_STATUS_IGNORE));
  });
}

Request Communicator::start_send_bytes(const void* bytes, std::size_t count, int to, int tag) const {
  auto request = std::make_unique<Request::Impl>("message to rank ", to, count);
  in_pieces(count, [&](std::size_t offset, int part) {
    check(MPI_Isend(static_cast<const std::byte*>(bytes) + offset, part, MPI_BYTE, to, tag, impl_->handle,
                    &request->handles.emplace_back(MPI_REQUEST_NULL)));
  });
  return Request(std::move(request));
}

Request Communicator::start_receive_bytes(void* bytes, std::size_t count, int from, int tag) const {
  auto request = std::make_unique<Request::Impl>("message from rank ", from, count);
  in_pieces(count, [&](std::size_t offset, int part) {
    check(MPI_Irecv(static_cast<std::byte*>(bytes) + offset, part, MPI_BYTE, from, tag, impl_->handle,
                    &request->handles.emplace_back(MPI_REQUEST_NULL)));
  });
  return Request(std::move(request));
}

}  // namespace speedwell::comm
