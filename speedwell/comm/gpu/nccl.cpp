#include "speedwell/comm/gpu/nccl.hpp"

#include <algorithm>
#include <exception>
#include <utility>
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
  decltype(&ncclCommAbort) abort;
  decltype(&ncclGroupStart) group_start;
  decltype(&ncclGroupEnd) group_end;
  decltype(&ncclSend) send;
  decltype(&ncclRecv) receive;
  decltype(&ncclAllGather) all_gather;
  decltype(&ncclCommGetAsyncError) async_error;
  decltype(&ncclGetErrorString) error_string;
};

#define SPEEDWELL_FUNCTION(name) library.function<decltype(&name)>(#name)
const Functions& nccl() {
  static const Functions functions = [] {
    const core::SharedLibrary library("libnccl.so.2", SPEEDWELL_CUDA_LIBRARIES);
    return Functions{.unique_id = SPEEDWELL_FUNCTION(ncclGetUniqueId),
                     .init = SPEEDWELL_FUNCTION(ncclCommInitRank),
                     .abort = SPEEDWELL_FUNCTION(ncclCommAbort),
                     .group_start = SPEEDWELL_FUNCTION(ncclGroupStart),
                     .group_end = SPEEDWELL_FUNCTION(ncclGroupEnd),
                     .send = SPEEDWELL_FUNCTION(ncclSend),
                     .receive = SPEEDWELL_FUNCTION(ncclRecv),
                     .all_gather = SPEEDWELL_FUNCTION(ncclAllGather),
                     .async_error = SPEEDWELL_FUNCTION(ncclCommGetAsyncError),
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

// A connected communicator that is not in use.
struct Idle {
  ncclComm_t handle;
  std::string devices, id;
};

// Never destroyed: NCCL and the driver may have ended before objects of static duration are.
std::vector<Idle>& idle_communicators() {
  static auto* const all = new std::vector<Idle>;
  return *all;
}

// Collective. The first idle communicator of these devices, if it is the same one on all ranks. One that other ranks do
// not have, as after a failure of one of them, is given up.
std::optional<Idle> take_idle(const Communicator& ranks, const std::string& devices) {
  std::vector<Idle>& all = idle_communicators();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Idle& communicator) { return communicator.devices == devices; });
  const std::string mine = found == all.end() ? std::string() : found->id;
  bool same = true;
  for (const std::string& id : ranks.gather(mine)) same = same && id == mine;
  if (found == all.end()) return std::nullopt;
  Idle taken = std::move(*found);
  all.erase(found);
  if (same) return taken;
  nccl().abort(taken.handle);
  return std::nullopt;
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
  for (const std::string& device : ranks.gather(name_of_device())) devices_ += device;
  if (std::optional<Idle> idle = take_idle(ranks, devices_)) {
    handle_ = idle->handle;
    id_ = std::move(idle->id);
    reused_ = true;
    return;
  }
  ncclUniqueId id{};
  ncclResult_t status = ncclSuccess;
  if (ranks.rank() == 0) status = nccl().unique_id(&id);
  status = static_cast<ncclResult_t>(ranks.broadcast(static_cast<int>(status)));
  check(status);
  id = ranks.broadcast(id);
  ncclComm_t made = nullptr;
  check(nccl().init(&made, ranks.size(), id, ranks.rank()));
  handle_ = made;
  id_ = {id.internal, sizeof(id.internal)};
}

NcclCommunicator::~NcclCommunicator() {
  if (!handle_) return;
  const ncclComm_t handle = comm_of(handle_);
  ncclResult_t state = ncclSuccess;
  if (std::uncaught_exceptions() == 0 && nccl().async_error(handle, &state) == ncclSuccess && state == ncclSuccess)
    idle_communicators().push_back({handle, std::move(devices_), std::move(id_)});
  else
    nccl().abort(handle);
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
