// Names of ceilings in words, part by part.
#include <algorithm>
#include <iterator>

#include "speedwell/machine/ceilings.hpp"

namespace speedwell::machine {
namespace {

struct Part {
  std::string_view name, words;
};
// Longer names come before their prefixes.
constexpr Part parts[] = {{"host.threads_per_core", "hardware threads that share a core"},
                          {"host.core.", "one core: "},
                          {"host.", "all cores: "},
                          {"gpu.", "GPU: "},
                          {"l1.", "level 1 cache, "},
                          {"l2.", "level 2 cache, "},
                          {"l3.", "level 3 cache, "},
                          {"link.up.pinned", "host to GPU, pinned memory"},
                          {"link.up.pageable", "host to GPU, pageable memory"},
                          {"link.down.pinned", "GPU to host, pinned memory"},
                          {"link.down.pageable", "GPU to host, pageable memory"},
                          {"link.duplex.pinned", "both directions at once, sum"},
                          {"link.copy_both", "between two GPUs: copy engines, both ways at once, each"},
                          {"link.copy", "between two GPUs: copy engine"},
                          {"link.load_both", "between two GPUs: kernel loads, both ways at once, each"},
                          {"link.load", "between two GPUs: kernel loads"},
                          {"link.store_both", "between two GPUs: kernel stores, both ways at once, each"},
                          {"link.store", "between two GPUs: kernel stores"},
                          {"link.flag", "between two GPUs: round trip of a flag"},
                          {"link.all_reduce", "between two GPUs: all-reduce of one double"},
                          {"mpi.latency", "between two ranks: message of 8 bytes, one way"},
                          {"mpi.bandwidth_both", "between two ranks: messages, both ways at once, each"},
                          {"mpi.bandwidth", "between two ranks: messages"},
                          {"read", "read bandwidth"},
                          {"write", "write bandwidth"},
                          {"copy", "copy bandwidth (reads + writes)"},
                          {"triad", "triad bandwidth (reads + writes)"},
                          {"fma.f64", "multiply-add, double precision"},
                          {"fma.f32", "multiply-add, single precision"},
                          {"integer", "32-bit integer operations"},
                          {"dpx", "DPX operations"},
                          {"launch_sync", "launch and wait for an empty kernel"},
                          {"launch", "launch an empty kernel"},
                          {"graph_node", "one node of a graph"},
                          {"grid_sync", "synchronise the grid"}};

}  // namespace

std::string words_of_ceiling(std::string_view name) {
  std::string words;
  while (!name.empty()) {
    const auto* const part =
        std::find_if(std::begin(parts), std::end(parts), [&](const Part& p) { return name.starts_with(p.name); });
    if (part == std::end(parts)) return {};
    words += part->words;
    name.remove_prefix(part->name.size());
  }
  return words;
}

}  // namespace speedwell::machine
