#include "speedwell/comm/gpu/nccl.hpp"

#include <algorithm>
#include <vector>

#include "speedwell/core/error.hpp"
#ifdef SPEEDWELL_HAVE_NCCL
#include <nccl.h>

#include "speedwell/core/shared_library.hpp"
#endif

namespace speedwell::comm {

#ifdef SPEEDWELL_HAVE_NCCL
namespace {

struct Functions {
  decltype(&ncclGetUniqueId) unique_id;
  decltype(&ncclCommInitRank) init;
  decltype(&ncclCommDestroy) destroy;
  decltype(&ncclCommAbort) abort;
  decltype(&ncclGroupStart) group_start;
  decltype(&ncclGroupEnd) group_end;
  decltype(&ncclSend) send;
  decltype(&ncclRecv) receive;
  decltype(&ncclAllGather) all_gather;
  decltype(&ncclGetErrorString) error_string;
};

#define SPEEDWELL_FUNCTION(name) library.function<decltype(&name)>(#name)
const Functions& nccl() {
  static const Functions functions = [] {
    const core::SharedLibrary library("libnccl.so.2", SPEEDWELL_CUDA_LIBRARIES);
    return Functions{.unique_id = SPEEDWELL_FUNCTION(ncclGetUniqueId),
                     .init = SPEEDWELL_FUNCTION(ncclCommInitRank),
                     .destroy = SPEEDWELL_FUNCTION(ncclCommDestroy),
                     .abort = SPEEDWELL_FUNCTION(ncclCommAbort),
                     .group_start = SPEEDWELL_FUNCTION(ncclGroupStart),
                     .group_end = SPEEDWELL_FUNCTION(ncclGroupEnd),
                     .send = SPEEDWELL_FUNCTION(ncclSend),
                     .receive = SPEEDWELL_FUNCTION(ncclRecv),
                     .all_gather = SPEEDWELL_FUNCTION(ncclAllGather),
                     .error_string = SPEEDWELL_FUNCTION(ncclGetErrorString)};
  }();
  return functions;
}
#undef SPEEDWELL_FUNCTION

void check(ncclResult_t status) {
  if (status != ncclSuccess) throw core::DeviceError(std::string("nccl: ") + nccl().error_string(status));
}

ncclComm_t comm_of(void* handle) { return static_cast<ncclComm_t>(handle); }

std::string reason_here() { return core::unavailable_reason(nccl).value_or(""); }

/// A name of the current device that is the same in all processes of all hosts.
std::string name_of_device() {
  int device = 0;
  cudaDeviceProp properties{};
  if (cudaGetDevice(&device) != cudaSuccess || cudaGetDeviceProperties(&properties, device) != cudaSuccess) return {};
  return {properties.uuid.bytes, sizeof(properties.uuid.bytes)};
}

}  // namespace

std::optional<std::string> nccl_missing(const Communicator& ranks) {
  for (std::string& reason : ranks.gather(reason_here()))
    if (!reason.empty()) return std::move(reason);
  std::vector<std::string> devices = ranks.gather(name_of_device());
  std::sort(devices.begin(), devices.end());
  if (std::adjacent_find(devices.begin(), devices.end()) != devices.end())
    return "NCCL needs a GPU for each rank, and two ranks share one";
  return std::nullopt;
}

NcclCommunicator::NcclCommunicator(const Communicator& ranks) {
  if (const auto reason = nccl_missing(ranks)) throw core::Unavailable(*reason);
  ncclUniqueId id{};
  ncclResult_t status = ncclSuccess;
  if (ranks.rank() == 0) status = nccl().unique_id(&id);
  status = static_cast<ncclResult_t>(ranks.broadcast(static_cast<int>(status)));
  check(status);
  id = ranks.broadcast(id);
  ncclComm_t made = nullptr;
  check(nccl().init(&made, ranks.size(), id, ranks.rank()));
  handle_ = made;
}

NcclCommunicator::~NcclCommunicator() {
  if (!handle_) return;
  // Destruction waits for the other ranks, which may not come after an exception.
  std::uncaught_exceptions() == 0 ? nccl().destroy(comm_of(handle_)) : nccl().abort(comm_of(handle_));
}

void NcclCommunicator::begin_group() const { check(nccl().group_start()); }
void NcclCommunicator::end_group() const { check(nccl().group_end()); }
void NcclCommunicator::send(const void* bytes, std::size_t count, int to, cudaStream_t stream) const {
  check(nccl().send(bytes, count, ncclChar, to, comm_of(handle_), stream));
}
void NcclCommunicator::receive(void* bytes, std::size_t count, int from, cudaStream_t stream) const {
  check(nccl().receive(bytes, count, ncclChar, from, comm_of(handle_), stream));
}
void NcclCommunicator::gather(const double* mine, double* all, std::size_t count, cudaStream_t stream) const {
  check(nccl().all_gather(mine, all, count, ncclDouble, comm_of(handle_), stream));
}

#else

namespace {
constexpr const char* left_out = "built without the header of NCCL";
}
std::optional<std::string> nccl_missing(const Communicator&) { return left_out; }
NcclCommunicator::NcclCommunicator(const Communicator&) { throw core::Unavailable(left_out); }
NcclCommunicator::~NcclCommunicator() = default;
void NcclCommunicator::begin_group() const {}
void NcclCommunicator::end_group() const {}
void NcclCommunicator::send(const void*, std::size_t, int, cudaStream_t) const {}
void NcclCommunicator::receive(void*, std::size_t, int, cudaStream_t) const {}
void NcclCommunicator::gather(const double*, double*, std::size_t, cudaStream_t) const {}

#endif

}  // namespace speedwell::comm
