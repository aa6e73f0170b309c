#include "speedwell/harness/records/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "speedwell/comm/placement.hpp"
#include "speedwell/harness/records/record.hpp"

namespace speedwell::harness {
namespace {

constexpr int round_trips = 64;
constexpr int tag = 0;

std::string quoted(const std::string& text) { return dump(Json(text), -1); }

/// Nanoseconds since the origin. Whole ones, so that nested spans are nested in the file, too.
std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }
std::string microseconds(std::int64_t nanoseconds) {
  const std::int64_t size = std::abs(nanoseconds);
  return fmt::format("{}{}.{:03}", nanoseconds < 0 ? "-" : "", size / 1000, size % 1000);
}

std::string metadata(const char* name, int process, int thread, const std::string& value) {
  return fmt::format(R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{{}}}}})", name, process, thread, value);
}

/// The events of this rank, one on a line, in the order of their beginnings.
std::string events_of(const core::Trace& trace, int rank, const std::string& title, double origin) {
  std::vector<std::string> lines{metadata("process_name", rank, 0, "\"name\":" + quoted(title)),
                                 metadata("process_sort_index", rank, 0, fmt::format("\"sort_index\":{}", rank))};
  for (std::size_t t = 0; t < trace.tracks().size(); ++t) {
    const int thread = static_cast<int>(t);
    lines.push_back(metadata("thread_name", rank, thread, "\"name\":" + quoted(trace.tracks()[t])));
    lines.push_back(metadata("thread_sort_index", rank, thread, fmt::format("\"sort_index\":{}", thread)));
  }
  const auto& events = trace.events();
  std::vector<std::size_t> order(events.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return events[a].begin < events[b].begin || (events[a].begin == events[b].begin && events[a].end > events[b].end);
  });
  for (const std::size_t i : order) {
    const core::TraceEvent& e = events[i];
    const std::int64_t begin = nanoseconds(e.begin - origin), end = nanoseconds(e.end - origin);
    const std::string what =
        fmt::format(R"("name":{},"cat":"{}","pid":{})", quoted(e.name), to_string(e.category), rank);
    const std::string bytes = e.bytes >= 0 ? fmt::format(R"(,"args":{{"bytes":{}}})", e.bytes) : "";
    if (e.track == core::TraceEvent::no_track) {
      const std::string id = fmt::format(R"("tid":0,"id":"{}.{}")", rank, i);
      lines.push_back(fmt::format(R"({{{},"ph":"b",{},"ts":{}{}}})", what, id, microseconds(begin), bytes));
      lines.push_back(fmt::format(R"({{{},"ph":"e",{},"ts":{}}})", what, id, microseconds(end)));
      continue;
    }
    lines.push_back(fmt::format(R"({{{},"ph":"X","tid":{},"ts":{},"dur":{}{}}})", what, e.track, microseconds(begin),
                                microseconds(end - begin), bytes));
  }
  return fmt::format("{}", fmt::join(lines, ",\n"));
}

/// The texts of the ranks, on the first one only, as they may be long.
std::vector<std::string> gather_on_first(const comm::Communicator& ranks, std::string text) {
  const std::uint64_t length = text.size();
  if (ranks.rank() != 0) {
    ranks.send(std::span<const std::uint64_t>(&length, 1), 0, tag);
    ranks.send(std::span<const char>(text), 0, tag);
    return {};
  }
  std::vector<std::string> all{std::move(text)};
  for (int r = 1; r < ranks.size(); ++r) {
    std::uint64_t of_rank = 0;
    ranks.receive(std::span<std::uint64_t>(&of_rank, 1), r, tag);
    all.emplace_back(of_rank, '\0');
    ranks.receive(std::span<char>(all.back()), r, tag);
  }
  return all;
}

}  // namespace

ClockOffset clock_offset(const comm::Communicator* ranks) {
  ClockOffset mine;
  for (int r = 1; ranks && r < ranks->size(); ++r) {  // one rank after the other: each meets an idle first rank
    ranks->barrier();
    if (ranks->rank() != 0 && ranks->rank() != r) continue;
    double shortest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < round_trips; ++i) {
      double there = 0;
      if (ranks->rank() == 0) {
        ranks->receive(std::span<double>(&there, 1), r, tag);
        there = core::Trace::now();
        ranks->send(std::span<const double>(&there, 1), r, tag);
        continue;
      }
      const double sent = core::Trace::now();
      ranks->send(std::span<const double>(&sent, 1), 0, tag);
      ranks->receive(std::span<double>(&there, 1), 0, tag);
      const double received = core::Trace::now();
      if (received - sent >= shortest) continue;
      shortest = received - sent;
      mine = {there - (sent + received) / 2, shortest / 2};
    }
  }
  if (std::abs(mine.seconds) <= mine.uncertainty) mine.seconds = 0;
  return mine;
}

std::string trace_text(const core::Trace& trace, const comm::Communicator* ranks, const std::string& command_line) {
  const ClockOffset offset = clock_offset(ranks);
  const int rank = ranks ? ranks->rank() : 0;
  const double origin = ranks ? ranks->broadcast(trace.begin()) : trace.begin();
  std::string title = "speedwell";
  if (ranks) {
    const std::vector<comm::Placement> placement = comm::placement(*ranks);
    const comm::Placement& here = placement[static_cast<std::size_t>(rank)];
    title = fmt::format("rank {} on {}, cores {}", rank, here.host, here.cores);
  }
  std::string events = events_of(trace, rank, title, origin - offset.seconds);
  const auto max_over_ranks = [&](double value) {
    return ranks ? ranks->reduce(value, comm::Reduction::maximum) : value;
  };
  const double between_ranks = max_over_ranks(offset.uncertainty), device = max_over_ranks(trace.device_uncertainty()),
               dropped = max_over_ranks(static_cast<double>(trace.dropped()));
  std::vector<std::string> all{std::move(events)};
  if (ranks) all = gather_on_first(*ranks, std::move(all[0]));
  if (rank != 0) return {};
  const Json about{{"command_line", command_line},
                   {"ranks", ranks ? ranks->size() : 1},
                   {"clock_uncertainty_us_between_ranks", between_ranks * 1e6},
                   {"clock_uncertainty_us_of_devices", device * 1e6},
                   {"dropped_events", dropped}};
  return fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{},\"traceEvents\":[\n{}\n]}}\n", dump(about, -1),
                     fmt::join(all, ",\n"));
}

}  // namespace speedwell::harness
