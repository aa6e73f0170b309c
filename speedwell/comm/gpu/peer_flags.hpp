// Flags in memory that several GPUs share, and the clock by which waiting for them ends. For CUDA sources only.
#pragma once

namespace speedwell::comm {

#ifdef __CUDACC__

/// After so long without another rank a kernel gives up: the rank has ended, or will not come.
constexpr unsigned long long max_wait_nanoseconds = 20'000'000'000ull;

__device__ inline unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}
/// What this thread wrote, or has seen before, is visible to a thread of any GPU that has loaded the value.
__device__ inline void store_release(unsigned long long* flag, unsigned long long value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(flag), "l"(value) : "memory");
}
__device__ inline unsigned long long load_acquire(const unsigned long long* flag) {
  unsigned long long value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(flag) : "memory");
  return value;
}
/// Returns when *flag has reached `number`, or sets *timed_out.
__device__ inline void wait_for_flag(const unsigned long long* flag, unsigned long long number, int* timed_out) {
  const unsigned long long begin = nanoseconds();
  for (unsigned tries = 0; load_acquire(flag) < number && *static_cast<volatile int*>(timed_out) == 0; ++tries)
    if (tries % 1024 == 1023 && nanoseconds() - begin > max_wait_nanoseconds) atomicExch(timed_out, 1);
}

#endif

}  // namespace speedwell::comm
