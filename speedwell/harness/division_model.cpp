#include "speedwell/harness/division_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "speedwell/core/units.hpp"

namespace speedwell::harness {
namespace {

/// Steps of a sum over so many parts, each of which doubles how many are in it.
int steps_of_sum(int parts) { return parts > 1 ? std::bit_width(static_cast<unsigned>(parts - 1)) : 0; }

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

const Variant& variant_of(const std::vector<Variant>& variants, Backend backend) {
  const auto found = std::find_if(variants.begin(), variants.end(), [&](const Variant& v) {
    return v.backend == backend && (v.name == "mpi" || v.name == "multi");
  });
  if (found == variants.end()) throw std::invalid_argument("--project: no variant for this");
  return *found;
}

}  // namespace

Division division_of_box(const comm::Decomposition& box, comm::HaloShape shape, const HaloTraffic& traffic) {
  const auto& extents = box.box().extents;
  const double all = static_cast<double>(extents[0] * extents[1] * extents[2]);
  Division most{.share = 0, .hiding = 1};
  for (int rank = 0; rank < box.ranks(); ++rank) {
    const comm::HaloLayout layout(box, rank, shape);
    const double own = static_cast<double>(layout.own().size());
    const auto messages = std::count_if(layout.messages().begin(), layout.messages().end(),
                                        [&](const auto& message) { return message.rank != rank; });
    most.share = std::max(most.share, own / all);
    most.hiding = std::min(most.hiding, static_cast<double>(layout.interior().size()) / own);
    most.messages = std::max(most.messages, traffic.exchanges * static_cast<double>(messages));
    most.bytes =
        std::max(most.bytes, traffic.exchanges * traffic.bytes_per_cell * static_cast<double>(layout.sent_to_others()));
  }
  if (!traffic.hidden) most.hiding = 0;
  return most;
}

Division division_of_items(std::int64_t count, int parts) {
  if (parts > count) throw std::invalid_argument(fmt::format("{} parts of {}", parts, count));
  return {.share = static_cast<double>(comm::part_of(count, parts, 0).size()) / static_cast<double>(count)};
}

std::optional<LinkRates> link_rates(const records::Machine& machine, bool on_gpus) {
  const auto rate = [&](const char* both, const char* one_way) {
    const auto found = machine.ceiling(both);
    return found ? found : machine.ceiling(one_way);
  };
  if (on_gpus) {
    const auto bandwidth = rate("link.store_both", "link.store"), flag = machine.ceiling("link.flag"),
               sum = machine.ceiling("link.all_reduce");
    if (!bandwidth || !flag || !sum) return std::nullopt;
    return LinkRates{.latency = *flag / 2 * 1e-6, .bandwidth = *bandwidth * 1e9, .sum = *sum * 1e-6};
  }
  const auto bandwidth = rate("mpi.bandwidth_both", "mpi.bandwidth"), latency = machine.ceiling("mpi.latency");
  if (!bandwidth || !latency) return std::nullopt;
  return LinkRates{.latency = *latency * 1e-6, .bandwidth = *bandwidth * 1e9, .sum = *latency * 1e-6};
}

PredictedTime predict(const MeasuredDivision& measured, const Division& part, double updates, int parts,
                      const LinkRates& link) {
  const double compute = measured.compute_seconds * part.share * updates / (measured.division.share * measured.updates);
  const double transfer = part.messages * link.latency + part.bytes / link.bandwidth;
  const double exposed = std::max(0.0, transfer - part.hiding * compute) + part.sums * link.sum * steps_of_sum(parts);
  return {.seconds = compute + exposed, .exposed = exposed};
}

std::vector<Projection> DivisionModel::operator()(const Problem& problem, const Problem& machine,
                                                  const Context&) const {
  std::vector<Projection> made;
  for (const auto& [key, backend] : {std::pair{"ranks", Backend::mpi}, std::pair{"gpus", Backend::multi}}) {
    const auto parts = static_cast<int>(machine.get<std::int64_t>(key));
    if (parts == 0) continue;
    const Division d = divide(problem, variant_of(variants_, backend), parts);
    made.push_back({.table = {{key, "of the work", "sent", "messages", "sums"},
                              {std::to_string(parts), percent(d.share), core::format_bytes(d.bytes),
                               fmt::format("{:.0f}", d.messages), fmt::format("{:.0f}", d.sums)}},
                    .notes = {"of the largest part, for each execute; speedwell scale --project N adds the times"}});
  }
  if (made.empty()) throw std::invalid_argument("--project: ranks=N or gpus=N says how many");
  return made;
}

void set_division_model(Application& application, DivisionModel::Divide divide) {
  application.projector = Projector{
      .parameters = {integer("ranks", 0, "MPI ranks, a core each; 0: none", {.minimum = 0, .maximum = 16384}),
                     integer("gpus", 0, "GPUs like the one that is here; 0: none", {.minimum = 0, .maximum = 16384})},
      .project = DivisionModel(std::move(divide), application.variants)};
}

const DivisionModel* division_model(const Application& application) {
  return application.projector ? application.projector->project.target<DivisionModel>() : nullptr;
}

}  // namespace speedwell::harness
