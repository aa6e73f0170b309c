// Latencies of control: launching kernels, waiting for them, nodes of a graph, synchronising a whole grid.
#include <cooperative_groups.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "speedwell/core/cuda.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/machine/gpu/gpu_session.hpp"

namespace speedwell::machine {
namespace {

using Clock = std::chrono::steady_clock;

__global__ void empty_kernel() {}

// Synchronises all blocks `times` times. Each block then stores the number of rounds that it has completed.
__global__ void grid_sync_kernel(int times, int* rounds) {
  const auto grid = cooperative_groups::this_grid();
  int done = 0;
  for (int i = 0; i < times; ++i) {
    grid.sync();
    ++done;
  }
  if (threadIdx.x == 0) rounds[blockIdx.x] = done;
}

// Checks that grid.sync() synchronises: in each round every block writes the round's number, and after the
// synchronisation reads that of its neighbour. Two rows alternate, so that values are not overwritten before they are
// read.
__global__ void grid_sync_check_kernel(int times, int* row, int* stale) {
  const auto grid = cooperative_groups::this_grid();
  volatile int* rows = row;
  const unsigned neighbour = (blockIdx.x + 1) % gridDim.x;
  for (int i = 0; i < times; ++i) {
    if (threadIdx.x == 0) rows[(i % 2) * gridDim.x + blockIdx.x] = i + 1;
    grid.sync();
    if (threadIdx.x == 0 && rows[(i % 2) * gridDim.x + neighbour] != i + 1) atomicAdd(stale, 1);
  }
}

// A graph of a stream's work, made once and launched often.
class Graph {
 public:
  template <class Enqueue>
  Graph(const core::Stream& stream, const Enqueue& enqueue) {
    core::check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    enqueue();
    const cudaError_t launched = cudaGetLastError();
    cudaGraph_t graph = nullptr;
    const cudaError_t captured = cudaStreamEndCapture(stream.get(), &graph);
    const cudaError_t made = captured == cudaSuccess ? cudaGraphInstantiate(&executable_, graph, 0) : captured;
    if (graph) (void)cudaGraphDestroy(graph);
    core::check(launched);
    core::check(made);
  }
  ~Graph() {
    if (executable_) (void)cudaGraphExecDestroy(executable_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  void launch(const core::Stream& stream) const { core::check(cudaGraphLaunch(executable_, stream.get())); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

// Adds a latency: microseconds per step, where took() returns the seconds of `count` steps. The first call is a
// warm-up.
template <class Took>
void add(GpuSession& session, const std::string& name, int count, const Took& took, const std::string& note) {
  (void)took();
  auto samples = take_samples(
      session.effort, [&] { return took() / count * 1e6; }, true);
  session.ceilings.entries.push_back(make_ceiling(name, "us", std::move(samples), note));
}

template <class Work>
double host_seconds(const Work& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void measure_launches(GpuSession& s) {
  const auto launch = [&] { empty_kernel<<<1, 32, 0, s.stream.get()>>>(); };
  constexpr int many = 2000, some = 200, nodes = 1000, graphs = 4;
  add(
      s, "gpu.launch", many,
      [&] {
        return host_seconds([&] {
          for (int i = 0; i < many; ++i) launch();
          core::check(cudaGetLastError());
          s.stream.synchronize();
        });
      },
      "empty kernels back to back on one stream");
  add(
      s, "gpu.launch_sync", some,
      [&] {
        return host_seconds([&] {
          for (int i = 0; i < some; ++i) {
            launch();
            core::check(cudaGetLastError());
            s.stream.synchronize();
          }
        });
      },
      "an empty kernel and the wait for it");
  const Graph graph(s.stream, [&] {
    for (int i = 0; i < nodes; ++i) launch();
  });
  add(
      s, "gpu.graph_node", nodes * graphs,
      [&] {
        return s.seconds([&] {
          for (int i = 0; i < graphs; ++i) graph.launch(s.stream);
        });
      },
      "a chain of 1000 empty kernels");
}

void measure_grid_sync(GpuSession& s) {
  if (!s.attribute(cudaDevAttrCooperativeLaunch)) return;
  constexpr int times = 1000;
  constexpr unsigned threads = 256;
  const auto blocks = static_cast<unsigned>(s.attribute(cudaDevAttrMultiProcessorCount));
  core::DeviceBuffer<int> rounds(blocks), rows(2 * blocks), stale(1);
  const auto launch = [&](auto kernel, void** arguments) {
    core::check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(threads),
                                            arguments, 0, s.stream.get()));
  };

  int count = times, *row = rows.data(), *wrong = stale.data(), *seen = rounds.data();
  void* check_arguments[] = {&count, &row, &wrong};
  fill_bytes_async(rows, 0, s.stream);
  fill_bytes_async(stale, 0, s.stream);
  launch(grid_sync_check_kernel, check_arguments);
  int found_stale = 1;
  core::copy_async(&found_stale, stale.data(), 1, s.stream);
  s.stream.synchronize();

  void* arguments[] = {&count, &seen};
  fill_bytes_async(rounds, 0xff, s.stream);
  add(
      s, "gpu.grid_sync", times, [&] { return s.seconds([&] { launch(grid_sync_kernel, arguments); }); },
      std::to_string(blocks) + " x 256 threads");
  std::vector<int> done(blocks);
  core::copy_async(done.data(), rounds.data(), done.size(), s.stream);
  s.stream.synchronize();
  if (found_stale != 0 || std::any_of(done.begin(), done.end(), [](int d) { return d != times; }))
    throw core::DeviceError("the ceiling kernel of gpu.grid_sync did not synchronise on GPU " +
                            std::to_string(s.device));
}

}  // namespace

void measure_gpu_latency(GpuSession& session) {
  measure_launches(session);
  measure_grid_sync(session);
}

}  // namespace speedwell::machine
