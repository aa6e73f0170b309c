// The link between two GPUs of this process: whether there is one, what it is called, and its ceilings.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/core/cuda/peer_access.hpp"
#include "speedwell/machine/gpu/gpu_detect.hpp"
#include "speedwell/machine/gpu/peer_session.hpp"

namespace speedwell::machine {
namespace {

// "GPUs 0 and 1, NVLink"
std::string pair_name(int first, int second) {
  const std::string link = gpu_link_name(first, second);
  return "GPUs " + std::to_string(first) + " and " + std::to_string(second) + (link.empty() ? "" : ", " + link);
}

}  // namespace

std::optional<std::string> link_missing(const std::vector<int>& devices) {
  if (devices.size() < 2)
    return devices.empty() ? "no GPU is used" : "one GPU is used: GPU " + std::to_string(devices[0]);
  try {
    for (const int device : {devices[0], devices[1]}) require_gpu(device);
  } catch (const core::Unavailable& e) {
    return e.what();
  }
  if (core::are_peers(devices[0], devices[1])) return std::nullopt;
  return pair_name(devices[0], devices[1]) + ": they cannot access each other's memory";
}

std::string describe_link(const std::vector<int>& devices) {
  std::string text = pair_name(devices.at(0), devices.at(1));
  std::size_t pairs = 0, linked = 0;
  for (std::size_t i = 0; i < devices.size(); ++i)
    for (std::size_t j = i + 1; j < devices.size(); ++j) {
      ++pairs;
      linked += core::are_peers(devices[i], devices[j]);
    }
  if (pairs == 1) return text;
  const std::string all = std::to_string(pairs);
  return text + "; " + (linked == pairs ? "all " + all : std::to_string(linked) + " of " + all) + " pairs of the " +
         std::to_string(devices.size()) + " GPUs can access each other's memory";
}

Ceilings measure_link(const std::vector<int>& devices, Effort effort) {
  if (const auto reason = link_missing(devices)) throw core::Unavailable("no link between GPUs: " + *reason);
  PeerSession session(devices[0], devices[1], effort, pair_name(devices[0], devices[1]));
  measure_peer_bandwidth(session);
  measure_peer_latency(session);
  return std::move(session.ceilings);
}

}  // namespace speedwell::machine
