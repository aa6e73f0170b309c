// A database file that may be larger than memory, in blocks of consecutive sequences.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "speedwell/apps/alignment/database_search/batch_search.hpp"
#include "speedwell/apps/alignment/database_search/sequences.hpp"
#include "speedwell/io/fasta.hpp"
#include "speedwell/io/sam.hpp"

namespace speedwell::database_search {

/// A sequence counts as this many residues more when a block is filled, for its header.
inline constexpr std::size_t residues_of_header = 128;

/// The rules of a database file.
struct DatabaseRules {
  alignment::Alphabet alphabet;
  bool strict = false;                                                   // warnings are errors
  std::size_t block_residues = std::numeric_limits<std::size_t>::max();  // maximum of a block of several sequences
  const alignment::SubstitutionMatrix* matrix = nullptr;                 // every symbol must be scored by it
  bool sam_names = false;                                                // names must be SAM's, each another one
  std::string sam_hint;                                                  // of the error about a name
};

class BlockedDatabase {
 public:
  /// Reads all of `source`, the beginning of the file `path`, and checks it. If it is one block, or not a regular file
  /// (a pipe or standard input cannot be read twice), the sequences stay in memory; otherwise they are only counted,
  /// and for_each_block() reads the file again. Throws io::InputError for what read_sequences() refuses.
  BlockedDatabase(std::unique_ptr<io::Source> source, std::string path, DatabaseRules rules);

  const std::string& file() const { return whole_.file; }  // as in messages
  const DatabaseSize& size() const { return size_; }
  const std::vector<io::Warning>& warnings() const { return whole_.warnings; }
  /// The sequences that have residues, where the rules ask for SAM's names.
  const std::vector<io::SamReference>& references() const { return references_; }
  /// Whether whole() has the sequences.
  bool is_in_memory() const { return in_memory_; }
  const SequenceFile& whole() const { return whole_; }

  /// Throws io::InputError for the first symbol that the matrix does not score.
  void require_symbols() const;
  /// Throws io::InputError for the first name that SAM cannot hold or that is there twice.
  void require_names() const;

  /// Calls `use` with each block and the number of sequences before it. A block is in memory as long as it is used, and
  /// has another address than the one before. A file that is compressed is decompressed again. Throws io::InputError if
  /// the file is not the one that was counted, and alignment::Stopped where `stop` becomes true.
  void for_each_block(const std::atomic<bool>* stop,
                      const std::function<void(const SequenceFile& block, std::size_t before)>& use);

 private:
  void check(const io::SequenceRecord& record);

  std::string path_;
  DatabaseRules rules_;
  DatabaseSize size_;
  SequenceFile whole_;
  bool in_memory_ = true;
  std::vector<io::SamReference> references_;
  std::unordered_map<std::string, std::size_t> lines_of_names_;
  std::unique_ptr<io::InputError> symbol_fault_, name_fault_;
  std::array<SequenceFile, 2> blocks_;  // in turn
  std::size_t turn_ = 0;
};

/// Throws io::InputError for a symbol of a sequence that `matrix` does not score.
void check_symbols(const SequenceFile& file, const alignment::SubstitutionMatrix& matrix);

}  // namespace speedwell::database_search
