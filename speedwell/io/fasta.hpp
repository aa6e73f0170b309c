// Sequences from FASTA and FASTQ files, plain or gzip, one record after another: a file may be larger than memory.
//
// FASTA  '>' begins a record: the identifier goes up to the first blank or tab, the rest of the line describes it. The
//        residues may be wrapped over any number of lines, of any length; blanks between them are ignored, '-' and '.'
//        are removed with a warning, and lines that begin with ';' are comments. A record may have no residues.
// FASTQ  four lines a record: @identifier, residues, '+' (with or without the header repeated), qualities (Phred+33).
// Both   LF or CR LF, the last one optional; blank lines and a UTF-8 byte order mark before the first record.
//
// Refused: a header without an identifier, residues before the first header, a file without records, a header that the
// end of the file cuts short, control bytes, a CR that no LF follows. docs/errors-io.md lists every error.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/io/error.hpp"
#include "speedwell/io/limits.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::io {

struct SequenceRecord {
  std::string name;         // never empty
  std::string description;  // without blanks around it
  std::string sequence;     // as in the file, either case; without blanks and gaps
  std::string qualities;    // FASTQ: as many as residues; FASTA: empty
  std::size_t line = 0;     // of the header
};

/// The rules of a reader. `allowed` and `noted` are called once for each character A-Z, a-z and '*' when the reader is
/// made.
struct SequenceRules {
  /// Whether a sequence may have this symbol. Default: every one of them.
  std::function<bool(char)> allowed{};
  /// "'7' is not <alphabet>", as in "an amino-acid symbol".
  std::string alphabet = "a sequence symbol";
  /// Symbols that are read with a warning (id "input.sequence.replaced", text `noted_message`). Default: none.
  std::function<bool(char)> noted{};
  std::string noted_message{};
  /// Errors in place of warnings.
  bool strict = false;
  std::size_t max_residues = limits::sequence_residues;  // of one sequence
  std::size_t max_short_records = limits::short_sequence_records;
};

enum class SequenceFormat { fasta, fastq };

class SequenceReader {
 public:
  /// `file` is the name in errors. Throws InputError if there is no record, or what is there is neither format.
  SequenceReader(std::unique_ptr<Source> source, std::string file, SequenceRules rules = {});

  /// Reads the next record into `record`, whose memory is used again. False at the end of the file. Throws InputError.
  bool next(SequenceRecord& record);

  SequenceFormat format() const { return format_; }
  /// The warnings so far: at most one of a kind, which counts its occurrences.
  const std::vector<Warning>& warnings() const { return warnings_; }

 private:
  enum class Kind : unsigned char { bad, residue, noted, gap, blank, carriage_return, line_feed };

  // Reading bytes: the next one is *at_; peek() is -1 at the end of the file.
  bool fill();
  int peek() { return at_ != end_ || fill() ? static_cast<unsigned char>(*at_) : -1; }
  void skip(std::size_t count) { at_ += count; }
  std::size_t column() const { return read_before_ + static_cast<std::size_t>(at_ - buffer_.get()) - line_begin_ + 1; }
  bool take_line_end();

  void find_first_record();
  void read_header(SequenceRecord& record);
  void read_fasta_sequence(SequenceRecord& record);
  void read_fastq_sequence(SequenceRecord& record);
  void read_plus_line();
  void read_qualities(SequenceRecord& record);
  bool read_text(std::string* text);
  void skip_blank_lines();
  void count_record(const SequenceRecord& record);
  void append_run(SequenceRecord& record);
  void append_noted(SequenceRecord& record);
  void warn(std::string_view id, const std::string& message);
  [[noreturn]] void fail(std::string_view id, const std::string& message, const std::string& hint = {}) const;
  [[noreturn]] void fail_at(std::size_t line, std::size_t column, std::string_view id, const std::string& message,
                            const std::string& hint = {}) const;
  [[noreturn]] void refuse_byte(unsigned char byte) const;
  [[noreturn]] void fail_truncated(const char* within) const;
  std::string id(std::string_view what) const;

  std::unique_ptr<Source> source_;
  std::string file_;
  SequenceRules rules_;
  SequenceFormat format_ = SequenceFormat::fasta;
  std::array<Kind, 256> kinds_{};
  std::unique_ptr<char[]> buffer_;  // limits::buffer_bytes
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::size_t read_before_ = 0;  // bytes of the file before the buffer
  std::size_t line_ = 1;
  std::size_t records_ = 0, residues_ = 0;  // so far
  std::size_t line_begin_ = 0;              // offset in the file of the line's first byte
  std::string header_;                      // the last header line, without its first byte
  std::vector<Warning> warnings_;
};

/// Opens a file ("-": standard input).
SequenceReader open_sequences(const std::string& path, SequenceRules rules = {});

struct Sequences {
  std::vector<SequenceRecord> records;
  std::vector<Warning> warnings;
};

/// All records of a file in memory. `bytes` may be gzip.
Sequences parse_sequences(std::string_view bytes, const std::string& file, SequenceRules rules = {});
Sequences read_sequences(const std::string& path, SequenceRules rules = {});

}  // namespace speedwell::io
