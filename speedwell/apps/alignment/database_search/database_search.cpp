#include "speedwell/apps/alignment/database_search/database_search.hpp"

#include <stdexcept>
#include <utility>

#include "speedwell/apps/alignment/database_search/batch_search.hpp"
#include "speedwell/io/blast_tabular.hpp"

namespace speedwell::database_search {

using alignment::SequenceSet;

class DatabaseSearch::Engine {
 public:
  Engine(const SequenceSet& queries, const SequenceSet& database, SearchOptions options)
      : database_(database), search_(queries, std::move(options)) {
    if (queries.alphabet() != database.alphabet())
      throw std::invalid_argument("queries, database and matrix are of different alphabets");
  }
  double cells() const { return search_.cells(database_.residues()); }
  const MaskedQueries* masked() const { return search_.masked(); }

  bool run(const OnHits& on_hits) const { return search_.run(database_, on_hits); }

 private:
  const SequenceSet& database_;
  BatchSearch search_;
};

DatabaseSearch::DatabaseSearch(const SequenceSet& queries, const SequenceSet& database, SearchOptions options)
    : engine_(std::make_unique<Engine>(queries, database, std::move(options))) {}
DatabaseSearch::~DatabaseSearch() = default;
double DatabaseSearch::cells() const { return engine_->cells(); }
const MaskedQueries* DatabaseSearch::masked() const { return engine_->masked(); }
bool DatabaseSearch::run(const OnHits& on_hits) const { return engine_->run(on_hits); }

bool search(const SequenceSet& queries, const SequenceSet& database, SearchOptions options, const OnHits& on_hits) {
  return DatabaseSearch(queries, database, std::move(options)).run(on_hits);
}

Range query_range(const Hit& hit, std::size_t length) {
  const std::int64_t first = hit.alignment.query_begin, last = hit.alignment.query_end;
  if (!hit.minus) return {first, last};
  return {static_cast<std::int64_t>(length) - last + 1, static_cast<std::int64_t>(length) - first + 1};
}

double query_coverage(const Hit& hit, std::size_t length) {
  const Range q = query_range(hit, length);
  return io::percent(hit.alignment.columns == 0 ? 0 : q.last - q.first + 1, static_cast<std::int64_t>(length));
}

}  // namespace speedwell::database_search
