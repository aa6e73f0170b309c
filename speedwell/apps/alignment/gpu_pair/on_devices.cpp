#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <thread>
#include <utility>

#include "speedwell/apps/alignment/gpu_pair.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_kernel.hpp"
#include "speedwell/apps/alignment/gpu_pair_on_devices.hpp"
#include "speedwell/apps/alignment/gpu_steps.hpp"
#include "speedwell/apps/alignment/gpu_team.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::alignment {
namespace {

/// What the threads of a team have in common. A thread that fails leaves the team, and the others fail at their next
/// barrier.
class TeamState {
 public:
  explicit TeamState(const std::vector<int>& all)
      : devices(all), memories(all.size()), messages(all.size()), barrier_(static_cast<std::ptrdiff_t>(all.size())) {}

  /// Thrown to threads that did not fail themselves.
  struct OtherFailed : core::DeviceError {
    using core::DeviceError::DeviceError;
  };
  void arrive() {
    barrier_.arrive_and_wait();
    if (failed_) throw OtherFailed("another GPU that computes the pair has failed");
  }
  void arrive_at_end() noexcept { barrier_.arrive_and_wait(); }
  void leave_failed() {
    failed_ = true;
    barrier_.arrive_and_drop();
  }

  const std::vector<int>& devices;
  std::vector<std::byte*> memories;
  std::vector<std::span<const std::byte>> messages;

 private:
  std::barrier<> barrier_;
  std::atomic<bool> failed_{false};
};

class ThreadMemory final : public TeamMemory {
 public:
  ThreadMemory(TeamState& state, std::size_t member, std::size_t bytes) : state_(state), own_(bytes) {
    state_.memories[member] = own_.data();
    state_.arrive();
    of_member = state_.memories;
    state_.arrive();
  }
  ~ThreadMemory() override {
    (void)cudaDeviceSynchronize();  // no kernel of this device uses the memory of another any more
    if (std::uncaught_exceptions() == 0) state_.arrive_at_end();
  }

 private:
  TeamState& state_;
  core::DeviceBuffer<std::byte> own_;
};

class ThreadMember final : public GpuTeam {
 public:
  ThreadMember(TeamState& state, std::size_t member) : state_(state), member_(member) {
    core::check(cudaSetDevice(state.devices[member]));
    for (const int other : state.devices) {
      if (other == state.devices[member]) continue;
      const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
      if (status == cudaErrorPeerAccessAlreadyEnabled)
        (void)cudaGetLastError();
      else
        core::check(status);
    }
  }

  int size() const override { return static_cast<int>(state_.devices.size()); }
  int member() const override { return static_cast<int>(member_); }
  std::unique_ptr<TeamMemory> share(std::size_t bytes) override {
    return std::make_unique<ThreadMemory>(state_, member_, bytes);
  }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    state_.messages[member_] = mine;
    state_.arrive();
    for (std::size_t m = 0; m < state_.messages.size(); ++m)
      std::memcpy(all.data() + m * mine.size(), state_.messages[m].data(), mine.size());
    state_.arrive();
  }
  void barrier(const core::Stream& stream) override {
    stream.synchronize();
    state_.arrive();
  }

 private:
  TeamState& state_;
  std::size_t member_;
};

/// Calls compute(steps, stream) on each device, after the sweep; returns the result of the first.
template <class Compute>
auto on_devices(const std::vector<int>& devices, Codes query, Codes subject, const Scoring& scoring,
                bool with_traceback, const Compute& compute) {
  // Kernels of two teams would wait for each other, each on a device that the other occupies.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  TeamState state(devices);
  using Result = decltype(compute(std::declval<GpuPairSteps&>(), std::declval<const core::Stream&>()));
  Result result{};
  std::vector<std::exception_ptr> failures(devices.size()), others(devices.size());
  const auto work = [&](std::size_t member) {
    try {
      ThreadMember team(state, member);
      GpuPair pair(devices[member]);
      const core::Stream stream;
      GpuPairSteps steps(pair, query, subject, scoring, {}, with_traceback, &team);
      steps.upload(stream);
      steps.enqueue(stream);
      steps.download(stream);
      Result own = compute(steps, stream);
      if (member == 0) result = std::move(own);
    } catch (const TeamState::OtherFailed&) {
      others[member] = std::current_exception();
      state.leave_failed();
    } catch (...) {
      failures[member] = std::current_exception();
      state.leave_failed();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t member = 1; member < devices.size(); ++member) threads.emplace_back(work, member);
    work(0);
  }
  for (const auto* list : {&failures, &others})
    for (const std::exception_ptr& failure : *list)
      if (failure) std::rethrow_exception(failure);
  return result;
}

}  // namespace

bool is_for_several_devices(std::size_t query_length, std::size_t subject_length) {
  // The bands of rows of a shorter query are too few for all devices, and those of a shorter subject end when the last
  // of them have hardly begun.
  return std::min(query_length, subject_length) >= 200'000 &&
         static_cast<double>(query_length) * static_cast<double>(subject_length) > 1e12;
}

bool can_share_pairs(const std::vector<int>& devices) {
  if (devices.size() < 2 || devices.size() > std::size_t{max_pair_gpus} ||
      std::set<int>(devices.begin(), devices.end()).size() != devices.size())
    return false;
  for (const int from : devices)
    for (const int to : devices) {
      int can = 1;
      if (from != to && (cudaDeviceCanAccessPeer(&can, from, to) != cudaSuccess || can == 0)) {
        (void)cudaGetLastError();
        return false;
      }
    }
  return true;
}

EndPoint find_end_on_devices(const std::vector<int>& devices, Codes query, Codes subject, const Scoring& scoring) {
  return on_devices(devices, query, subject, scoring, false,
                    [](GpuPairSteps& steps, const core::Stream&) { return steps.end(); });
}

Alignment align_on_devices(const std::vector<int>& devices, Codes query, Codes subject, const Scoring& scoring,
                           const AlignOptions& options) {
  return on_devices(devices, query, subject, scoring, true,
                    [&](GpuPairSteps& steps, const core::Stream& stream) { return steps.trace_back(stream, options); });
}

}  // namespace speedwell::alignment
