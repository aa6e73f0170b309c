// PendingRequests: the messages of one exchange that are in transfer: begun together, moved on while other work is
// done, and waited for together.
//   pending.receive(ranks, halo, neighbour);  pending.send(ranks, rim, neighbour);
//   sweep(interior);  pending.progress();  sweep(more);  pending.wait_all();
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "speedwell/comm/communicator.hpp"

namespace speedwell::comm {

/// A list of requests. Their buffers, and the communicators of send() and receive(), must outlive it or the next
/// wait_all(). Receives that are added before sends let MPI store what arrives without a copy.
class PendingRequests {
 public:
  PendingRequests() = default;
  PendingRequests(PendingRequests&&) noexcept = default;
  PendingRequests& operator=(PendingRequests&&) = delete;
  /// Waits for what is in transfer, unless an exception is ending the job: other ranks may never send then. Does not
  /// throw: after a failure of MPI the rest is given up, and the next use of the ranks reports it.
  ~PendingRequests();

  /// Whether no request has been added since the construction or the last wait_all().
  bool empty() const { return requests_.empty(); }

  /// Adds a transfer that has been started.
  void add(Request request) { requests_.push_back(std::move(request)); }
  /// Starts to send values to a rank, as Communicator::start_send(): they must not change until wait_all() returns.
  template <class T>
  void send(const Communicator& ranks, std::span<const T> values, int to, int tag = 0) {
    add(ranks.start_send(values, to, tag));
  }
  /// Starts to receive what a rank sends, as Communicator::start_receive(): `values` is defined after wait_all().
  template <class T>
  void receive(const Communicator& ranks, std::span<T> values, int from, int tag = 0) {
    add(ranks.start_receive(values, from, tag));
  }

  /// Lets MPI move all messages on: to be called now and then while other work is done. Whether all have completed;
  /// wait_all() has to be called all the same. Throws core::DeviceError if MPI fails.
  bool progress();
  /// Waits for all requests and empties the list. Throws core::DeviceError if MPI fails for one; those after it stay
  /// in the list.
  void wait_all();

 private:
  std::vector<Request> requests_;
};

}  // namespace speedwell::comm
