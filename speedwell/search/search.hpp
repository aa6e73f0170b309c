// A search of files that writes its hits in a format: what `speedwell align` does, for a command that parses options
// and prints messages.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <iosfwd>
#include <optional>

#include "speedwell/apps/alignment/database_search/file_search.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/search/progress.hpp"
#include "speedwell/search/writers.hpp"

namespace speedwell::search {

using alignment::Alphabet;
using alignment::matrix_names;
using database_search::EvalueMethod;
using database_search::Masking;
using database_search::RequestError;
using database_search::SearchMessage;
using database_search::SearchRequest;
using database_search::Strands;

/// `request.cells` is set by run(), and on ranks `request.scores` and `request.pairs_aligner`, too.
struct FileSearchOptions {
  SearchRequest request{};
  OutputOptions output{};
  std::function<void(const Progress&)> on_progress{};  // called from another thread
  std::chrono::milliseconds progress_interval{100};
  std::atomic<bool>* reading = nullptr;  // true as long as there is nothing to clean up
  /// The search is shared among these: all call run() with the same options. Each computes on request.devices and
  /// request.threads of its own, and the first one reads and writes.
  const comm::Communicator* ranks = nullptr;
};

/// Reads, searches, aligns and writes: the result to `out` or options.output.path. Nothing if it was stopped; then that
/// file is not written. Throws as database_search::FileSearch does, and io::OutputError; RequestError also for an
/// output that is one of the inputs. On ranks the others have no totals; they throw where the first one does, and a
/// rank that throws alone has to end the job.
std::optional<SearchTotals> run(const FileSearchOptions& options, std::ostream& out);

}  // namespace speedwell::search
