#include "speedwell/comm/devices.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include "speedwell/comm/placement.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::comm {
namespace {

/// Lines of one rank: host, reason, then three lines for each device. The values contain no line breaks.
std::string packed(const std::string& host, const std::vector<VisibleDevice>& devices, std::string reason) {
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  std::string text = host + "\n" + reason + "\n";
  for (const VisibleDevice& d : devices) text += std::to_string(d.index) + "\n" + d.model + "\n" + d.uuid + "\n";
  return text;
}

VisibleDevices unpacked(const std::string& text) {
  std::istringstream lines(text);
  VisibleDevices rank;
  std::getline(lines, rank.host);
  std::getline(lines, rank.reason);
  VisibleDevice device;
  for (std::string index; std::getline(lines, index);) {
    device.index = std::stoi(index);
    std::getline(lines, device.model);
    std::getline(lines, device.uuid);
    rank.devices.push_back(device);
  }
  return rank;
}

}  // namespace

RankDevices devices_of_ranks(const std::vector<VisibleDevices>& all, int rank, bool shared) {
  for (std::size_t r = 0; r < all.size(); ++r)
    if (all[r].devices.empty())
      throw core::Unavailable("rank " + std::to_string(r) + " on " + all[r].host + " has no GPU" +
                              (all[r].reason.empty() ? "" : ": " + all[r].reason));
  RankDevices mine;
  std::vector<const VisibleDevice*> chosen;
  for (std::size_t r = 0; r < all.size(); ++r) {
    const auto local = std::count_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(r),
                                     [&](const VisibleDevices& o) { return o.first_rank == all[r].first_rank; });
    chosen.push_back(&all[r].devices[static_cast<std::size_t>(local) % all[r].devices.size()]);
    mine.uuids.push_back(chosen.back()->uuid);
  }
  for (std::size_t r = 0; r < all.size() && !shared; ++r) {
    if (std::find(mine.uuids.begin() + static_cast<std::ptrdiff_t>(r) + 1, mine.uuids.end(), mine.uuids[r]) ==
        mine.uuids.end())
      continue;
    std::set<std::string> gpus;
    std::size_t ranks = 0;
    for (const VisibleDevices& o : all) {
      if (o.first_rank != all[r].first_rank) continue;
      ++ranks;
      for (const VisibleDevice& d : o.devices) gpus.insert(d.uuid);
    }
    throw core::Unavailable(core::counted(ranks, "rank") + " on " + all[r].host + ", which has " +
                            core::counted(gpus.size(), "GPU") + "; ranks share a GPU only with --oversubscribe");
  }
  for (std::size_t r = 1; r < all.size(); ++r)
    if (chosen[r]->model != chosen[0]->model)
      throw core::Unavailable("GPUs of different models: " + chosen[0]->model + " of rank 0 and " + chosen[r]->model +
                              " of rank " + std::to_string(r));
  const auto& own = mine.uuids[static_cast<std::size_t>(rank)];
  mine.device = chosen[static_cast<std::size_t>(rank)]->index;
  mine.model = chosen[static_cast<std::size_t>(rank)]->model;
  mine.device_count = static_cast<int>(std::set<std::string>(mine.uuids.begin(), mine.uuids.end()).size());
  mine.ranks_on_device = static_cast<int>(std::count(mine.uuids.begin(), mine.uuids.end(), own));
  return mine;
}

RankDevices devices_of_ranks(const Communicator& ranks, const std::vector<VisibleDevice>& devices,
                             const std::string& reason, bool shared) {
  const int first_rank = ranks.split_by_host().broadcast(ranks.rank());
  const std::vector<std::string> texts = ranks.gather(packed(host_name(), devices, reason));
  std::vector<int> first_ranks(texts.size());
  ranks.gather(std::span<const int>(&first_rank, 1), std::span<int>(first_ranks));
  std::vector<VisibleDevices> all;
  for (std::size_t r = 0; r < texts.size(); ++r) {
    all.push_back(unpacked(texts[r]));
    all.back().first_rank = first_ranks[r];
  }
  return devices_of_ranks(all, ranks.rank(), shared);
}

#ifdef SPEEDWELL_WITHOUT_CUDA
int device_of_rank(const Communicator&, bool) { throw core::Unavailable("built without CUDA"); }
#endif

}  // namespace speedwell::comm
