// The context of all measurements on a GPU: stream and events, and the selection, checking and sampling of the best of
// several methods. For CUDA sources.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/core/cuda.hpp"
#include "speedwell/machine/sampling.hpp"

namespace speedwell::machine {

class GpuSession {
 public:
  GpuSession(int gpu, Effort how) : device(gpu), effort(how) {}

  const int device;
  const Effort effort;
  core::Stream stream;
  Ceilings ceilings;

  int attribute(cudaDeviceAttr which) const {
    int value = 0;
    core::check(cudaDeviceGetAttribute(&value, which, device));
    return value;
  }
  /// Device time that one sample of repeated work should take.
  double sample_seconds() const { return effort == Effort::quick ? 3e-3 : 10e-3; }

  /// Seconds by the device's clock of the work that `enqueue()` enqueues.
  template <class Enqueue>
  double seconds(const Enqueue& enqueue) {
    begin_.record(stream);
    enqueue();
    core::check(cudaGetLastError());
    end_.record(stream);
    end_.synchronize();
    return end_.seconds_since(begin_);
  }

  /// Keeps the device busy for `min_seconds` seconds, so that its clocks rise from idle.
  template <class Enqueue>
  void warm_up(double min_seconds, const Enqueue& enqueue) {
    for (double spent = 0; spent < min_seconds;) spent += std::max(seconds(enqueue), 1e-5);
  }

  /// A method to measure a ceiling.
  struct Method {
    std::string name;
    double work = 0;                // of one call: bytes or operations; 10^9 per second are one of the unit
    std::function<void()> enqueue;  // one call, on the stream
    std::function<bool()> correct;  // whether the result of the last call is correct; called when the stream is idle
  };
  /// Adds the ceiling of the fastest of `methods`; nothing if there are none. Each method first runs once on outputs
  /// that spoil() has overwritten, and its result must be correct, as must that of the fastest method's last sample. A
  /// sample is `calls` calls back to back.
  void measure(const std::string& name, const std::string& unit, const std::vector<Method>& methods, int calls,
               const std::function<void()>& spoil, const std::string& note) {
    const auto check = [&](const Method& method) {
      stream.synchronize();
      if (!method.correct())
        throw core::DeviceError("the ceiling kernel of " + name + " (" + method.name +
                                ") computed a wrong result on GPU " + std::to_string(device));
    };
    const auto rate = [&](const Method& method) {
      const double took = seconds([&] {
        for (int i = 0; i < calls; ++i) method.enqueue();
      });
      return method.work * calls / took * 1e-9;
    };
    const Method* best = nullptr;
    double best_rate = -std::numeric_limits<double>::infinity();
    for (const Method& method : methods) {
      spoil();
      method.enqueue();
      core::check(cudaGetLastError());
      check(method);
      const double fastest = std::max(rate(method), rate(method));
      if (fastest > best_rate) best_rate = fastest, best = &method;
    }
    if (!best) return;
    spoil();
    auto rates = take_samples(effort, [&] { return rate(*best); });
    check(*best);
    ceilings.entries.push_back(
        make_ceiling(name, unit, std::move(rates), best->name + (note.empty() ? "" : ", " + note)));
  }

 private:
  core::Event begin_, end_;
};

// These functions add ceilings to those of the session, measured on the current device.
void measure_gpu_memory(GpuSession& session);      // gpu_memory.cu
void measure_gpu_cache(GpuSession& session);       // gpu_cache.cu
void measure_gpu_arithmetic(GpuSession& session);  // gpu_arithmetic.cu
void measure_gpu_link(GpuSession& session);        // gpu_link.cu
void measure_gpu_latency(GpuSession& session);     // gpu_latency.cu

}  // namespace speedwell::machine
