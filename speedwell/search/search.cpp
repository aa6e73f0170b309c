#include "speedwell/search/search.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "speedwell/apps/alignment/database_search/search_on_ranks.hpp"

namespace speedwell::search {
namespace {

// Throws RequestError if the output would overwrite an input, which is certainly a mistake.
void refuse_input_as_output(const FileSearchOptions& options) {
  const SearchRequest& request = options.request;
  const std::string& path = options.output.path;
  for (const std::string& input : {request.queries, request.database, request.scoring.matrix}) {
    std::error_code not_there;
    if (std::filesystem::is_regular_file(path, not_there) && std::filesystem::equivalent(path, input, not_there))
      throw RequestError(fmt::format("{} {}: this file is read", request.names.output, path), "");
  }
}

// True as long as there is nothing to clean up: then a signal ends the program at once.
struct Reading {
  std::atomic<bool>* flag;
  explicit Reading(std::atomic<bool>* f) : flag(f) { set(true); }
  ~Reading() { set(false); }
  void set(bool value) const {
    if (flag) *flag = value;
  }
};

std::optional<SearchTotals> run_here(const FileSearchOptions& options, std::ostream& out) {
  refuse_input_as_output(options);
  const auto writer = make_writer(options.output, out);
  std::atomic<std::int64_t> cells{0};
  SearchRequest request = options.request;
  request.cells = &cells;
  const Reading reading(options.reading);
  database_search::FileSearch search(std::move(request), *writer);
  reading.set(false);
  const ProgressMonitor monitor(options.on_progress, search.cells(), cells, options.progress_interval);
  return search.run();
}

database_search::RankResources resources_of(const SearchRequest& request) {
  using Division = alignment::RankSearch::Division;
  const bool on_gpu = !request.devices.empty();
  return {
      .scores = on_gpu ? database_search::gpu_scores(request.devices) : database_search::cpu_scores(request.threads),
      .aligner =
          on_gpu ? database_search::gpu_aligner(request.devices) : database_search::PairAligner(alignment::align),
      .threads = request.threads,
      .stop = request.stop,
      // A task is too small for several threads.
      .division = on_gpu || request.threads != 1 ? Division::single_blocks : Division::tasks};
}

}  // namespace

std::optional<SearchTotals> run(const FileSearchOptions& options, std::ostream& out) {
  if (!options.ranks || options.ranks->size() == 1) return run_here(options, out);
  database_search::SearchOnRanks shared(*options.ranks, resources_of(options.request));
  if (options.ranks->rank() != 0) {
    shared.serve();
    return options.request.stop && *options.request.stop ? std::nullopt : std::optional(SearchTotals{});
  }
  FileSearchOptions own = options;
  own.request.scores = shared.scores();
  own.request.pairs_aligner = shared.aligner();
  std::optional<SearchTotals> totals;
  try {
    totals = run_here(own, out);
  } catch (...) {
    shared.end(true);
    throw;
  }
  shared.end();
  return totals;
}

}  // namespace speedwell::search
