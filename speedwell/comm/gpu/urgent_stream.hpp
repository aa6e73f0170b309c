// A stream for communication beside computation. For CUDA sources only.
#pragma once

#include "speedwell/core/cuda.hpp"

namespace speedwell::comm {

/// A stream whose blocks start before those of others that wait, as those of a sweep that fills the device do.
class UrgentStream {
 public:
  UrgentStream() {
    int least = 0, greatest = 0;
    core::check(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    core::check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest));
  }
  UrgentStream(const UrgentStream&) = delete;
  UrgentStream& operator=(const UrgentStream&) = delete;
  ~UrgentStream() { cudaStreamDestroy(stream_); }

  cudaStream_t get() const { return stream_; }
  void wait_for(const core::Event& event) const { core::check(cudaStreamWaitEvent(stream_, event.get())); }
  void record(const core::Event& event) const { core::check(cudaEventRecord(event.get(), stream_)); }
  template <class T>
  void copy(T* to, const T* from, std::size_t size) const {
    core::check(cudaMemcpyAsync(to, from, size * sizeof(T), cudaMemcpyDefault, stream_));
  }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace speedwell::comm
