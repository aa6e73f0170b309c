// Ceilings: the measured maximum rates of this machine, from which the limits of runs follow.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace speedwell::machine {

struct Machine;

/// One measured ceiling. Names (unit):
///   host.{read,write,copy,triad}          memory bandwidth, all threads (GB/s; copy and triad count reads + writes)
///   host.core.{read,write,copy,triad}     the same with one thread
///   host.{l1,l2,l3}.triad                 with all threads, working set in that cache level (GB/s)
///   host.fma.{f64,f32}, host.core.fma.*   arithmetic (GFLOP/s; a fused multiply-add is two)
///   host.integer, host.core.integer       32-bit integer operations (Gop/s)
///   gpu.{read,write,copy,triad}           device memory bandwidth (GB/s)
///   gpu.l2.{read,copy}                    working set in the L2 cache (GB/s)
///   gpu.fma.{f64,f32}                     (GFLOP/s)
///   gpu.integer, gpu.dpx                  32-bit integer and DPX operations (Gop/s, thread-instructions)
///   gpu.link.{up,down}.{pinned,pageable}  host link (GB/s); gpu.link.duplex.pinned: the sum of both directions at once
///   gpu.launch, gpu.launch_sync, gpu.graph_node, gpu.grid_sync   latencies (us)
///   link.{copy,load,store}                from one GPU to another by a copy engine, by a kernel that loads from the
///                                         other's memory, or that stores into it (GB/s); with _both: both ways at
///                                         once, per direction
///   link.flag                             round trip of an 8-byte flag between two GPUs (us): twice the latency
///   link.all_reduce                       the sum of one double of each of two GPUs, on both (us)
///   host.threads_per_core                 hardware threads that share a physical core, measured (threads)
struct Ceiling {
  std::string name;
  double value = 0;  // median of the five best samples: other load on the machine only lowers them
  std::string unit;
  double low = 0, high = 0;     // the worst and the best of those five
  std::vector<double> samples;  // all of them, in the order in which they were taken
  std::string note = {};        // how it was measured: the best method, the working set
};

/// "one core: triad bandwidth (reads + writes)"; empty for an unknown name.
std::string words_of_ceiling(std::string_view name);

inline constexpr const char* threads_per_core_name = "host.threads_per_core";

/// Maximum spread of the five best samples of a ceiling, relative to their median: otherwise it is not stable, and not
/// used for limits. The rates of an idle machine repeat within one percent.
inline constexpr double ceiling_tolerance = 0.03;
inline bool is_stable(const Ceiling& c) { return c.high - c.low <= ceiling_tolerance * c.value; }

struct Ceilings {
  std::vector<Ceiling> entries;

  /// The median of the ceiling of this name, or nothing if it was not measured.
  std::optional<double> find(const std::string& name) const {
    for (const Ceiling& c : entries)
      if (c.name == name) return c.value;
    return std::nullopt;
  }
};

/// The time of the measurement: quick for the limits of a run (about 1 s for the host and 1 s for a GPU, and some
/// seconds on a machine with other load), thorough for the `machine` command.
enum class Effort { quick, thorough };

/// Measures the host's ceilings with `threads` threads. A cache level that does not exist, or whose share per thread is
/// hardly larger than the level below, has no entry. Throws std::invalid_argument if threads < 1, std::bad_alloc, and
/// core::DeviceError if a kernel computed a wrong result.
Ceilings measure_host(int threads, Effort effort);
/// Measures the ceilings of GPU `device`; unsupported features (DPX before 9.0, cooperative launch) have no entry.
/// Throws core::Unavailable without a GPU, without code for it, with too little free memory, or in a build without
/// CUDA, and core::DeviceError if CUDA fails or a kernel computed a wrong result.
Ceilings measure_gpu(int device, Effort effort);

/// Why there is no link to measure between the first two of these GPUs: there are fewer, or they cannot access each
/// other's memory. Nothing if there is one.
std::optional<std::string> link_missing(const std::vector<int>& devices);
/// "GPUs 0 and 1, NVLink", and, of more than two, how many pairs can access each other's memory. Throws
/// std::out_of_range for fewer than two.
std::string describe_link(const std::vector<int>& devices);
/// Measures the ceilings of the link between the first two of these GPUs in this process. Latencies have no entry where
/// kernels on two GPUs do not run at once, as under some tools. Throws core::Unavailable where link_missing() has a
/// reason, and core::DeviceError if CUDA fails or wrong data arrived.
Ceilings measure_link(const std::vector<int>& devices, Effort effort);

/// Binds the threads to hardware threads and measures the ceilings of the host, of the first of these GPUs, and of the
/// link between the first two if there is one. Throws as the functions above.
Ceilings measure_all(int threads, const std::vector<int>& devices, Effort effort);
/// What measure_all() measures, a line each: "host: 8 threads on 8 cores of CPU", "gpu 0: NVIDIA H200", or why there
/// is no GPU, and "link: GPUs 0 and 1, NVLink".
std::string describe_all(const Machine& machine, int threads, const std::vector<int>& devices);

}  // namespace speedwell::machine
