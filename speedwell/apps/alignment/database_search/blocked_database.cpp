#include "speedwell/apps/alignment/database_search/blocked_database.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "speedwell/apps/alignment/sequences/sequence_file.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/escape.hpp"

namespace speedwell::database_search {
namespace {

using alignment::Alphabet;

io::InputError unscored_symbol(const std::string& file, std::size_t line, const std::string& name, int code,
                               const alignment::SubstitutionMatrix& matrix) {
  return {"input.matrix.unknown_letter",
          file,
          line,
          0,
          fmt::format("'{}' has the residue {}, and the matrix {} scores neither that nor {}", io::escape(name),
                      alignment::decode(matrix.alphabet(), code), matrix.name(),
                      matrix.alphabet() == Alphabet::protein ? 'X' : 'N'),
          "a row X (N for DNA) in the matrix stands for all symbols that have none"};
}

bool scores_every_symbol(const alignment::SubstitutionMatrix& matrix) {
  for (std::size_t code = 0; code < alignment::symbols(matrix.alphabet()).size(); ++code)
    if (!matrix.has(static_cast<int>(code))) return false;
  return true;
}

// The code of the first symbol that the matrix does not score.
std::optional<int> unscored_code(const io::SequenceRecord& record, const alignment::SubstitutionMatrix& matrix) {
  for (const char symbol : record.sequence)
    if (const int code = alignment::encode(matrix.alphabet(), symbol); !matrix.has(code)) return code;
  return std::nullopt;
}

// Whether the file can be read a second time.
bool is_readable_again(const std::string& path) {
  std::error_code ignored;
  return path != "-" && std::filesystem::is_regular_file(path, ignored);
}

}  // namespace

BlockedDatabase::BlockedDatabase(std::unique_ptr<io::Source> source, std::string path, DatabaseRules rules)
    : path_(std::move(path)),
      rules_(std::move(rules)),
      whole_(rules_.alphabet),
      blocks_{SequenceFile(rules_.alphabet), SequenceFile(rules_.alphabet)} {
  const std::string name = io::display_name(path_);
  if (rules_.matrix && scores_every_symbol(*rules_.matrix)) rules_.matrix = nullptr;
  const bool may_count = is_readable_again(path_);
  whole_ =
      read_sequences(std::move(source), name, rules_.alphabet, rules_.strict, [&](const io::SequenceRecord& record) {
        size_.residues += record.sequence.size();
        ++size_.sequences;
        check(record);
        const std::size_t counted = size_.residues + size_.sequences * residues_of_header;
        if (may_count && size_.sequences > 1 && counted > rules_.block_residues) in_memory_ = false;
        return in_memory_;
      });
  lines_of_names_.clear();
  rules_.matrix = nullptr;  // it need not outlive the reading
}

void BlockedDatabase::check(const io::SequenceRecord& record) {
  if (rules_.matrix && !symbol_fault_)
    if (const auto code = unscored_code(record, *rules_.matrix))
      symbol_fault_ = std::make_unique<io::InputError>(
          unscored_symbol(io::display_name(path_), record.line, record.name, *code, *rules_.matrix));
  if (!rules_.sam_names) return;
  if (!record.sequence.empty()) references_.push_back({record.name, static_cast<std::int64_t>(record.sequence.size())});
  if (name_fault_) return;
  const auto refuse = [&](const char* id, const std::string& why) {
    name_fault_ = std::make_unique<io::InputError>(id, io::display_name(path_), record.line, 2,
                                                   fmt::format("'{}' {}", record.name, why), rules_.sam_hint);
  };
  if (!io::is_sam_reference_name(record.name))
    return refuse("input.sequence.name", "cannot be a reference name in SAM");
  const auto [first, is_new] = lines_of_names_.emplace(record.name, record.line);
  if (!is_new)
    refuse("input.sequence.duplicate",
           fmt::format("names the sequence of line {} as well, and SAM needs different names", first->second));
}

void BlockedDatabase::require_symbols() const {
  if (symbol_fault_) throw *symbol_fault_;
}

void BlockedDatabase::require_names() const {
  if (name_fault_) throw *name_fault_;
}

void BlockedDatabase::for_each_block(const std::atomic<bool>* stop,
                                     const std::function<void(const SequenceFile& block, std::size_t before)>& use) {
  if (in_memory_) return use(whole_, 0);
  const auto changed = [&] {
    return io::InputError("input.sequence.changed", file(), 0, 0, "the file has changed while it was searched");
  };
  io::SequenceReader reader(io::open_source(path_), file(), alignment::sequence_rules(rules_.alphabet));
  DatabaseSize read;  // by the blocks that are used, and the current one
  const auto begin_block = [&]() -> SequenceFile& {
    blocks_[turn_] = SequenceFile(rules_.alphabet);  // gives its memory back
    turn_ = 1 - turn_;
    blocks_[turn_].file = file();
    return blocks_[turn_];
  };
  SequenceFile* block = &begin_block();
  const auto use_block = [&] { use(*block, read.sequences - block->set.size()); };
  for (io::SequenceRecord record; reader.next(record);) {
    if (stop && *stop) throw alignment::Stopped();
    const std::size_t counted =
        block->set.residues() + record.sequence.size() + (block->set.size() + 1) * residues_of_header;
    if (block->set.size() > 0 && counted > rules_.block_residues) {
      use_block();
      block = &begin_block();
    }
    read.residues += record.sequence.size();
    ++read.sequences;
    if (read.sequences > size_.sequences || read.residues > size_.residues) throw changed();
    append(record, *block);
  }
  use_block();
  if (read.sequences != size_.sequences || read.residues != size_.residues) throw changed();
  *block = SequenceFile(rules_.alphabet);
}

void check_symbols(const SequenceFile& file, const alignment::SubstitutionMatrix& matrix) {
  for (std::size_t i = 0; i < file.set.size(); ++i)
    for (const std::uint8_t code : file.set.codes(i))
      if (!matrix.has(code)) throw unscored_symbol(file.file, file.lines[i], file.set.name(i), code, matrix);
}

}  // namespace speedwell::database_search
