#include "speedwell/comm/pending_requests.hpp"

#include <exception>

namespace speedwell::comm {

PendingRequests::~PendingRequests() {
  if (std::uncaught_exceptions() > 0) return;
  try {
    wait_all();
  } catch (const std::exception&) {
    for (Request& request : requests_) request.abandon();
  }
}

bool PendingRequests::progress() {
  for (Request& request : requests_)
    if (!request.ended()) return false;  // one call of MPI moves all of them on
  return true;
}

void PendingRequests::wait_all() {
  for (Request& request : requests_) request.wait();
  requests_.clear();
}

}  // namespace speedwell::comm
