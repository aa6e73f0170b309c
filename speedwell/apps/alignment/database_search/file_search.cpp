#include "speedwell/apps/alignment/database_search/file_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "speedwell/apps/alignment/database_search/blocked_database.hpp"
#include "speedwell/apps/alignment/database_search/composition.hpp"
#include "speedwell/apps/alignment/database_search/streamed_search.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::database_search {
namespace {

using alignment::Alphabet;

void report(const SearchRequest& request, SearchMessage::Kind kind, const std::string& text) {
  if (request.on_message) request.on_message({kind, text});
}

void check_masking(const SearchRequest& request, const alignment::SubstitutionMatrix& matrix) {
  const Alphabet alphabet = matrix.alphabet();
  const std::string& name = request.names.masking;
  if (request.masking == Masking::seg && alphabet == Alphabet::dna)
    throw RequestError(name + " seg is for proteins", name + " dust is for DNA");
  if (request.masking == Masking::dust && alphabet == Alphabet::protein)
    throw RequestError(name + " dust is for DNA", name + " seg is for proteins");
  const char residue = masked_residue(alphabet);
  if (request.masking != Masking::none && !matrix.has(alignment::encode(alphabet, residue)))
    throw RequestError(fmt::format("{}: masked residues score as {}, which the matrix {} does not score", name, residue,
                                   matrix.name()),
                       "");
}

std::string describe(const MaskedQueries& masked, Masking masking) {
  return fmt::format("{} masks {} of {}, in {} of {}", masking == Masking::seg ? "SEG" : "DUST", masked.residues,
                     core::counted(masked.set.residues(), "residue"), masked.queries,
                     core::counted(masked.set.size(), "query", "queries"));
}

void check_query_names(const SequenceFile& queries, const std::string& hint) {
  for (std::size_t i = 0; i < queries.set.size(); ++i)
    if (!io::is_sam_query_name(queries.set.name(i)))
      throw io::InputError("input.sequence.name", queries.file, queries.lines[i], 2,
                           fmt::format("'{}' cannot be a query name in SAM", queries.set.name(i)), hint);
}

// Calls `read`. Where the alphabet was guessed, an error about a residue of DNA says so.
template <class Read>
auto with_hint_of_guess(Alphabet alphabet, const SearchRequest& request, bool guessed, const Read& read) {
  try {
    return read();
  } catch (const io::InputError& error) {
    // Every symbol is that of an amino acid, so only the guess of DNA can be what is wrong.
    if (!guessed || alphabet == Alphabet::protein || !error.hint().empty() || !error.id().ends_with(".character"))
      throw;
    throw io::InputError(error.id(), error.file(), error.line(), error.column(), error.message(),
                         fmt::format("the queries look like DNA: {} protein if they are not", request.names.alphabet));
  }
}

// The input that is read before the search.
struct Inputs {
  ResolvedScoring resolved;
  SequenceFile queries;
  std::unique_ptr<BlockedDatabase> database;
};

Inputs read_inputs(const SearchRequest& request, const HitWriter& writer) {
  const auto opened = [](const std::string& path) { return sniff(io::open_source(path)); };
  Sniffed query = opened(request.queries);
  const std::optional<Alphabet> given = alphabet_of(request.scoring);
  const Alphabet alphabet = given.value_or(query.composition.resembles_dna() ? Alphabet::dna : Alphabet::protein);
  // Before the long read: it may be refused.
  ResolvedScoring resolved = resolve_scoring(request.scoring, alphabet, request.names);
  if (request.strands && alphabet == Alphabet::protein) throw RequestError(request.names.strands + " is for DNA", "");
  check_masking(request, resolved.scoring.matrix);
  report(request, SearchMessage::Kind::status, describe(resolved));
  if (!resolved.note.empty()) report(request, SearchMessage::Kind::status, resolved.note);
  const auto checked = [&](Sniffed sniffed, const std::string& path) {
    if (!request.scoring.alphabet)
      check_alphabet(sniffed.composition, alphabet, io::display_name(path), request.names.alphabet);
    return std::move(sniffed.source);
  };
  const auto report_warnings = [&](const std::vector<io::Warning>& warnings) {
    for (const io::Warning& warning : warnings) report(request, SearchMessage::Kind::warning, io::to_string(warning));
  };
  SequenceFile queries = with_hint_of_guess(alphabet, request, !given, [&] {
    return read_sequences(checked(std::move(query), request.queries), io::display_name(request.queries), alphabet,
                          request.strict);
  });
  report_warnings(queries.warnings);
  auto database = with_hint_of_guess(alphabet, request, !given, [&] {
    return std::make_unique<BlockedDatabase>(checked(opened(request.database), request.database), request.database,
                                             DatabaseRules{.alphabet = alphabet,
                                                           .strict = request.strict,
                                                           .block_residues = request.block_residues,
                                                           .matrix = &resolved.scoring.matrix,
                                                           .sam_names = writer.needs_sam_names(),
                                                           .sam_hint = request.names.format + " tab takes any name"});
  });
  report_warnings(database->warnings());
  return {std::move(resolved), std::move(queries), std::move(database)};
}

}  // namespace

class FileSearch::Engine {
 public:
  Engine(SearchRequest request, HitWriter& writer);
  double cells() const { return request_.max_hits == 0 ? 0 : search_->cells(inputs_.database->size().residues); }
  std::optional<SearchTotals> run();

 private:
  void check_inputs() const;
  SearchOptions search_options();
  bool search(const OnFileHits& on_hits);

  SearchRequest request_;
  HitWriter& writer_;
  Inputs inputs_;
  std::atomic<std::int64_t> counted_{0};  // where the request has no counter
  std::optional<BatchSearch> search_;
};

FileSearch::Engine::Engine(SearchRequest request, HitWriter& writer)
    : request_(std::move(request)), writer_(writer), inputs_(read_inputs(request_, writer)) {
  check_inputs();
  search_.emplace(inputs_.queries.set, search_options());
  if (const MaskedQueries* masked = search_->masked())
    report(request_, SearchMessage::Kind::status, describe(*masked, request_.masking));
}

void FileSearch::Engine::check_inputs() const {
  const BlockedDatabase& database = *inputs_.database;
  check_symbols(inputs_.queries, inputs_.resolved.scoring.matrix);
  database.require_symbols();
  const std::size_t sequences = database.size().sequences;
  if (request_.require_max_hits && request_.max_hits > sequences)
    throw RequestError(fmt::format("{} {}: {} has {}", request_.names.max_hits, request_.max_hits, database.file(),
                                   core::counted(sequences, "sequence")),
                       request_.names.max_hits + " all reports every hit");
  if (!writer_.needs_sam_names()) return;
  check_query_names(inputs_.queries, request_.names.format + " tab takes any name");
  database.require_names();
}

SearchOptions FileSearch::Engine::search_options() {
  SearchOptions options{.scoring = inputs_.resolved.scoring,
                        .statistics = inputs_.resolved.statistics,
                        .finite_size_correction = inputs_.resolved.finite_size,
                        .max_evalue = inputs_.resolved.max_evalue};
  options.strands = request_.strands.value_or(Strands::both);
  options.masking = request_.masking;
  options.max_hits = std::max<std::size_t>(1, request_.max_hits);  // for 0 nothing is searched
  options.min_score = request_.min_score;
  options.min_query_coverage = request_.min_query_coverage;
  options.alignments = writer_.needs_alignments();
  options.threads = request_.threads;
  options.devices = request_.devices;
  options.scores = request_.scores;
  options.aligner = request_.aligner;
  options.pairs_aligner = request_.pairs_aligner;
  options.stop = request_.stop;
  options.cells = request_.cells ? request_.cells : &counted_;
  return options;
}

bool FileSearch::Engine::search(const OnFileHits& on_hits) {
  BlockedDatabase& database = *inputs_.database;
  if (!database.is_in_memory()) return search_blocks(inputs_.queries, database, *search_, on_hits);
  const SearchedFiles files{inputs_.queries, database.whole(), inputs_.resolved.scoring.matrix};
  return search_->run(database.whole().set,
                      [&](std::size_t query, std::span<const Hit> hits) { on_hits(files, query, hits); });
}

std::optional<SearchTotals> FileSearch::Engine::run() {
  const BlockedDatabase& database = *inputs_.database;
  writer_.begin({database.file(), database.size().sequences, database.size().residues, database.references()});
  const std::atomic<std::int64_t>& cells = request_.cells ? *request_.cells : counted_;
  const std::int64_t cells_before = cells;
  SearchTotals totals{.queries = request_.max_hits == 0 ? 0 : inputs_.queries.set.size(),
                      .subjects = database.size().sequences};
  const auto begin_time = std::chrono::steady_clock::now();
  const bool finished =
      totals.queries == 0 || search([&](const SearchedFiles& files, std::size_t query, std::span<const Hit> hits) {
        writer_.write(files, query, hits);
        totals.hits += hits.size();
        totals.queries_without_hits += hits.empty();
      });
  totals.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_time).count();
  if (!finished || (request_.stop && *request_.stop)) return std::nullopt;
  totals.cells = static_cast<double>(cells - cells_before);
  writer_.end(totals.queries);
  return totals;
}

FileSearch::FileSearch(SearchRequest request, HitWriter& writer)
    : engine_(std::make_unique<Engine>(std::move(request), writer)) {}
FileSearch::~FileSearch() = default;
double FileSearch::cells() const { return engine_->cells(); }
std::optional<SearchTotals> FileSearch::run() { return engine_->run(); }

std::optional<SearchTotals> search_files(SearchRequest request, HitWriter& writer) {
  return FileSearch(std::move(request), writer).run();
}

}  // namespace speedwell::database_search
