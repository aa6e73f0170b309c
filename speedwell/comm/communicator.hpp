// Communicator: a group of ranks that exchange data, MPI's communicator without its types. Builds without MPI have
// none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace speedwell::comm {

/// A transfer in progress. Its buffer must not be used until wait() returns, and wait() must be called before the
/// request is destroyed, unless an exception ends the job.
class Request {
 public:
  /// Without a transfer.
  Request();
  Request(Request&& other) noexcept;
  Request& operator=(Request&& other) noexcept;
  ~Request();

  /// Returns when the buffer may be used again, immediately if there is no transfer. Throws core::DeviceError.
  void wait();
  /// Whether the transfer has completed, or there is none. Also lets MPI progress all transfers: some libraries move
  /// long messages only within calls of their functions.
  bool ended();

 private:
  friend class Communicator;
  friend class PendingRequests;
  struct Impl;
  /// Gives the transfer up without waiting, after a failure of MPI: its buffer is undefined from then on.
  void abandon() noexcept;
  explicit Request(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// How the values of ranks are combined.
enum class Reduction { sum, minimum, maximum };

/// A group of ranks, 0 … size() - 1. Collective functions must be called by all of them, in the same order. Every
/// function throws core::DeviceError if MPI fails.
class Communicator {
 public:
  struct Impl;
  /// For Environment::world() and split(): users get communicators from there.
  explicit Communicator(std::unique_ptr<Impl> impl);
  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;
  ~Communicator();

  /// This rank, 0 … size() - 1.
  int rank() const;
  /// The number of ranks, at least 1.
  int size() const;

  /// Collective. A communicator of the ranks with the same colour, in the order of their keys.
  Communicator split(int color, int key) const;
  /// Collective. A communicator of the ranks that share this one's memory, in the same order as here.
  Communicator split_by_host() const;

  /// Collective. Returns when all ranks have called it.
  void barrier() const;
  /// Collective. The same for waits of up to minutes while one rank works: the others sleep, and leave their cores to
  /// its threads. Returns up to a millisecond after the last rank has called it.
  void idle_barrier() const;

  /// Collective. Copies the values of rank `root` to all ranks; the spans must have the same length.
  template <class T>
  void broadcast(std::span<T> values, int root = 0) const {
    require_plain<T>();
    broadcast_bytes(values.data(), values.size_bytes(), root);
  }
  /// Collective. The value of rank `root`, on all ranks.
  template <class T>
  T broadcast(T value, int root = 0) const {
    broadcast(std::span<T>(&value, 1), root);
    return value;
  }
  /// Collective. The text of rank `root`, on all ranks; the others' may have any length.
  std::string broadcast(std::string text, int root = 0) const;

  /// Collective. The reduction of the values of all ranks.
  double reduce(double value, Reduction reduction) const;
  std::int64_t reduce(std::int64_t value, Reduction reduction) const;
  /// Collective. Replaces each value by the reduction of those of all ranks at its index.
  void reduce(std::span<std::int64_t> values, Reduction reduction) const;
  /// Collective. Copies the values of all ranks, in order, to every rank: `all` has size() times the length of `mine`,
  /// else throws std::invalid_argument, as for more than 2^30 bytes of a rank.
  template <class T>
  void gather(std::span<const T> mine, std::span<T> all) const {
    require_plain<T>();
    gather_bytes(mine.data(), mine.size_bytes(), all.data(), all.size_bytes());
  }
  /// Collective. The texts of all ranks, in order, on every rank.
  std::vector<std::string> gather(const std::string& text) const;

  /// Sends values to a rank, which receives them with the same tag; returns when the span may be used again, which may
  /// be only when the other receives. The receiver's span must have the same length as the sender's. Long messages are
  /// sent in pieces. Messages of one tag from one rank to another arrive in their order.
  template <class T>
  void send(std::span<const T> values, int to, int tag = 0) const {
    require_plain<T>();
    send_bytes(values.data(), values.size_bytes(), to, tag);
  }
  /// Receives what another rank sends; returns when the values are there.
  template <class T>
  void receive(std::span<T> values, int from, int tag = 0) const {
    require_plain<T>();
    receive_bytes(values.data(), values.size_bytes(), from, tag);
  }
  /// The same without waiting; the span must exist, and is not to be used, until the request has ended.
  template <class T>
  Request start_send(std::span<const T> values, int to, int tag = 0) const {
    require_plain<T>();
    return start_send_bytes(values.data(), values.size_bytes(), to, tag);
  }
  template <class T>
  Request start_receive(std::span<T> values, int from, int tag = 0) const {
    require_plain<T>();
    return start_receive_bytes(values.data(), values.size_bytes(), from, tag);
  }

 private:
  template <class T>
  static void require_plain() {
    static_assert(std::is_trivially_copyable_v<T>, "bytes are all that travels");
  }
  void broadcast_bytes(void* bytes, std::size_t count, int root) const;
  void gather_bytes(const void* mine, std::size_t count, void* all, std::size_t all_count) const;
  void send_bytes(const void* bytes, std::size_t count, int to, int tag) const;
  void receive_bytes(void* bytes, std::size_t count, int from, int tag) const;
  Request start_send_bytes(const void* bytes, std::size_t count, int to, int tag) const;
  Request start_receive_bytes(void* bytes, std::size_t count, int from, int tag) const;

  std::unique_ptr<Impl> impl_;
};

}  // namespace speedwell::comm
