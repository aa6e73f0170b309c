#include "speedwell/core/cuda/staged_copy.hpp"

#include <array>
#include <map>
#include <memory>
#include <mutex>

#include "speedwell/core/cuda.hpp"

namespace speedwell::core::detail {
namespace {

/// The page-locked buffers of a device. They stay for the next copy, whichever its stream is.
class Stage {
 public:
  static constexpr std::size_t piece = std::size_t{8} << 20, slots = 4;

  /// On the current device. Throws DeviceError if no memory can be locked.
  Stage() {
    for (Slot& slot : slots_) slot.memory = PinnedBuffer<std::byte>(piece);
  }
  /// The copy that follows: `device` is the array in device memory.
  void begin(std::byte* device, cudaStream_t stream) {
    device_ = device;
    stream_ = stream;
  }

  std::byte* wait(std::size_t slot) {
    slots_[slot].done.synchronize();
    return slots_[slot].memory.data();
  }
  void send(std::size_t slot, std::size_t offset, std::size_t count) {
    enqueue(device_ + offset, slots_[slot].memory.data(), count, slots_[slot].done);
  }
  void fetch(std::size_t slot, std::size_t offset, std::size_t count) {
    enqueue(slots_[slot].memory.data(), device_ + offset, count, slots_[slot].done);
  }

 private:
  struct Slot {
    PinnedBuffer<std::byte> memory;
    Event done;  // reached as long as it has not been recorded
  };
  void enqueue(std::byte* to, const std::byte* from, std::size_t count, Event& done) {
    check(cudaMemcpyAsync(to, from, count, cudaMemcpyDefault, stream_));
    try {
      done.record(Stream::borrow(stream_));
    } catch (...) {
      (void)cudaStreamSynchronize(stream_);  // the slot would be in use without an event
      throw;
    }
  }

  std::array<Slot, slots> slots_;
  std::byte* device_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

/// The buffers of one device, or that they cannot be had.
struct StageOfDevice {
  std::mutex mutex;  // held for a copy
  std::unique_ptr<Stage> stage;
  bool is_missing = false;

  /// Null if too little memory can be locked: the driver has its own.
  Stage* get() {
    if (stage || is_missing) return stage.get();
    // A capture elsewhere in the program must not be ended by these allocations.
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    check(cudaThreadExchangeStreamCaptureMode(&mode));
    try {
      stage = std::make_unique<Stage>();
    } catch (const DeviceError&) {
      is_missing = true;
    }
    check(cudaThreadExchangeStreamCaptureMode(&mode));
    return stage.get();
  }
};

StageOfDevice& stage_of(int device) {
  static std::mutex mutex;
  // Never destroyed: at the end of a program the driver may be gone before.
  static auto& stages = *new std::map<int, StageOfDevice>;
  const std::lock_guard lock(mutex);
  return stages[device];
}

bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream, &status) == cudaSuccess) return status != cudaStreamCaptureStatusNone;
  (void)cudaGetLastError();  // another stream captures and does not allow the question
  return true;
}

cudaPointerAttributes attributes_of(const void* pointer) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, pointer));
  return attributes;
}

}  // namespace

bool copy_staged(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  if (resolve_threads(0) == 1 || is_capturing(stream)) return false;
  int device = 0;
  check(cudaGetDevice(&device));
  const cudaPointerAttributes target = attributes_of(to), source = attributes_of(from);
  const auto is_pageable = [](const cudaPointerAttributes& a) { return a.type == cudaMemoryTypeUnregistered; };
  const auto is_here = [&](const cudaPointerAttributes& a) {
    return a.type == cudaMemoryTypeDevice && a.device == device;
  };
  const bool up = is_pageable(source) && is_here(target), down = is_here(source) && is_pageable(target);
  if (!up && !down) return false;

  // What the copy would wait for is waited for before the buffers are taken, since another stream may need them.
  if (down) check(cudaStreamSynchronize(stream));
  StageOfDevice& own = stage_of(device);
  const std::lock_guard lock(own.mutex);
  Stage* const stage = own.get();
  if (!stage) return false;
  if (up) {
    stage->begin(static_cast<std::byte*>(to), stream);
    upload_in_pieces(*stage, static_cast<const std::byte*>(from), bytes);
  } else {
    stage->begin(static_cast<std::byte*>(const_cast<void*>(from)), stream);
    download_in_pieces(*stage, static_cast<std::byte*>(to), bytes);
  }
  return true;
}

}  // namespace speedwell::core::detail
