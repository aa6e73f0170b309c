// The destination of the hits of a search of files: file_search.hpp hands it each query's result.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/database_search/records.hpp"

namespace speedwell::database_search {

/// The database as a whole.
struct DatabaseSummary {
  std::string file;  // as in messages
  std::size_t sequences = 0, residues = 0;
  std::vector<io::SamReference> references;  // of every sequence that has residues, for a writer that needs SAM's names
};

class HitWriter {
 public:
  virtual ~HitWriter() = default;

  /// Whether hits need their alignments, not scores alone.
  virtual bool needs_alignments() const { return true; }
  /// Whether queries and database must have names that SAM can hold, those of the database each a different one.
  virtual bool needs_sam_names() const { return false; }

  /// Called once all of both files has been read and found right, before the search.
  virtual void begin(const DatabaseSummary& database) = 0;
  /// Called for every query, in order, also for those without hits. The subjects of `hits` are indices in
  /// files.database, which need not hold other sequences of the database.
  virtual void write(const SearchedFiles& files, std::size_t query, std::span<const Hit> hits) = 0;
  /// Called after the last of `queries` queries; not for a search that was stopped.
  virtual void end(std::size_t queries) = 0;
};

}  // namespace speedwell::database_search
