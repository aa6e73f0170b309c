// Search of a database that is read in blocks: the best hits of a query in the blocks so far are kept with their
// subjects, so that the hits of all blocks, their order and E-values are those of a search in the whole.
#pragma once

#include <functional>
#include <span>

#include "speedwell/apps/alignment/database_search/batch_search.hpp"
#include "speedwell/apps/alignment/database_search/blocked_database.hpp"
#include "speedwell/apps/alignment/database_search/records.hpp"

namespace speedwell::database_search {

/// The hits of one query; their subjects are indices in files.database.
using OnFileHits = std::function<void(const SearchedFiles& files, std::size_t query, std::span<const Hit> hits)>;

/// Calls `on_hits` for every query, in order, with the hits of all blocks. The file is read once for each group of
/// queries, whose size bounds the memory for hits. False if it was stopped. Throws as DatabaseSearch::run() and
/// BlockedDatabase::for_each_block() do, and what `on_hits` throws.
bool search_blocks(const SequenceFile& queries, BlockedDatabase& database, const BatchSearch& search,
                   const OnFileHits& on_hits);

}  // namespace speedwell::database_search
