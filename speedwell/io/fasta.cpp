#include "speedwell/io/fasta.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "speedwell/io/escape.hpp"

namespace speedwell::io {
namespace {

bool is_symbol(int c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '*'; }

// What a header or comment may contain besides printable text: tabs, and the 0x01 between NCBI's merged titles.
bool is_text(unsigned char c) { return (c >= 0x20 && c != 0x7f) || c == '\t' || c == 0x01; }

bool is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }

}  // namespace

SequenceReader::SequenceReader(std::unique_ptr<Source> source, std::string file, SequenceRules rules)
    : source_(std::move(source)),
      file_(std::move(file)),
      rules_(std::move(rules)),
      buffer_(std::make_unique_for_overwrite<char[]>(limits::buffer_bytes)) {
  at_ = end_ = buffer_.get();
  for (int c = 0; c < 256; ++c) {
    if (!is_symbol(c) || (rules_.allowed && !rules_.allowed(static_cast<char>(c)))) continue;
    const bool noted = rules_.noted && rules_.noted(static_cast<char>(c));
    kinds_[static_cast<std::size_t>(c)] = noted ? Kind::noted : Kind::residue;
  }
  kinds_['-'] = kinds_['.'] = Kind::gap;
  kinds_[' '] = kinds_['\t'] = Kind::blank;
  kinds_['\r'] = Kind::carriage_return;
  kinds_['\n'] = Kind::line_feed;
  find_first_record();
}

bool SequenceReader::next(SequenceRecord& record) {
  record.sequence.clear();
  record.qualities.clear();
  if (format_ == SequenceFormat::fasta) {
    if (peek() < 0) return false;
    read_header(record);
    read_fasta_sequence(record);
    count_record(record);
    return true;
  }
  skip_blank_lines();
  if (peek() < 0) return false;
  if (peek() != '@')
    fail("record", fmt::format("a record begins with '@', not {}", describe_byte(static_cast<unsigned char>(peek()))),
         "records are four lines; FASTQ wrapped over more lines is not read");
  read_header(record);
  read_fastq_sequence(record);
  read_plus_line();
  read_qualities(record);
  count_record(record);
  return true;
}

void SequenceReader::count_record(const SequenceRecord& record) {
  ++records_;
  residues_ += record.sequence.size();
  if (records_ > rules_.max_short_records && residues_ / records_ < limits::short_sequence_residues)
    fail_at(record.line, 1, id("records"),
            fmt::format("more than {} records, and fewer than {} residues in one on average", rules_.max_short_records,
                        limits::short_sequence_residues));
}

bool SequenceReader::fill() {
  read_before_ += static_cast<std::size_t>(end_ - buffer_.get());
  at_ = end_ = buffer_.get();
  end_ += source_->read({buffer_.get(), limits::buffer_bytes});
  return at_ != end_;
}

// Takes LF, CR LF or a CR at the end of the file. False: the next byte is of this line, or there is none.
bool SequenceReader::take_line_end() {
  const int c = peek();
  if (c != '\n' && c != '\r') return false;
  if (c == '\r') {
    const std::size_t position = column();
    skip(1);
    const int after = peek();
    if (after < 0) return true;
    if (after != '\n')
      fail_at(line_, position, id("line_end"), "a carriage return that no line feed follows",
              "line ends are LF or CR LF; 'tr \"\\r\" \"\\n\"' converts those of old Macintosh files");
  }
  skip(1);
  ++line_;
  line_begin_ = read_before_ + static_cast<std::size_t>(at_ - buffer_.get());
  return true;
}

// Reads to the end of the line, into `text` if it is not null. False if the end of the file came first.
bool SequenceReader::read_text(std::string* text) {
  std::size_t length = 0;
  for (;;) {
    if (peek() < 0) return false;
    const char* stop = std::find_if_not(at_, end_, [](char c) { return is_text(static_cast<unsigned char>(c)); });
    const auto count = static_cast<std::size_t>(stop - at_);
    if (count > limits::header_bytes - length)
      fail("header_too_long", fmt::format("a line of text is longer than {} bytes", limits::header_bytes));
    if (text != nullptr) text->append(at_, count);
    length += count;
    skip(count);
    if (at_ == end_) continue;
    if (take_line_end()) return true;
    refuse_byte(static_cast<unsigned char>(*at_));
  }
}

void SequenceReader::skip_blank_lines() {
  for (;;) {
    const int c = peek();
    if (c == ' ' || c == '\t')
      skip(1);
    else if (!take_line_end())
      return;
  }
}

void SequenceReader::find_first_record() {
  if (peek() < 0) fail_at(0, 0, "input.fasta.empty", "the file is empty");
  if (peek() == 0xef)  // a byte order mark, whole
    for (const int mark : {0xef, 0xbb, 0xbf}) {
      if (peek() != mark) fail("binary", "the file begins with half a byte order mark: this is not a text file");
      skip(1);
    }
  bool comments = false;
  for (;; comments = true) {
    skip_blank_lines();
    if (peek() != ';') break;
    read_text(nullptr);
  }
  const int first = peek();
  if (first < 0) fail_at(0, 0, "input.fasta.empty", "there is no sequence in the file");
  if (first == '>') return;
  if (first == '@' && !comments) {
    format_ = SequenceFormat::fastq;
    // Every residue has a quality, so nothing between them can be dropped.
    for (const char c : {'-', '.', ' ', '\t'}) kinds_[static_cast<unsigned char>(c)] = Kind::bad;
    return;
  }
  const auto byte = static_cast<unsigned char>(first);
  if (is_control(byte) || byte >= 0x80)
    fail("binary", fmt::format("{}: this is neither FASTA nor FASTQ", describe_byte(byte)));
  fail("no_header", fmt::format("{} before the first header line", describe_byte(byte)),
       "FASTA begins with '>', FASTQ with '@'");
}

void SequenceReader::read_header(SequenceRecord& record) {
  record.line = line_;
  skip(1);
  const int first = peek();
  if (first < 0) fail_truncated("a header line");
  if (first == ' ' || first == '\t' || first == '\r' || first == '\n' || first == 0x01)
    fail("identifier", "a header line without an identifier", "the identifier follows '>' or '@' directly");
  header_.clear();
  if (!read_text(&header_)) fail_truncated("a header line");
  constexpr std::string_view blanks = " \t\x01";
  const std::size_t name_end = std::min(header_.find_first_of(blanks), header_.size());
  record.name.assign(header_, 0, name_end);
  const std::size_t begin = std::min(header_.find_first_not_of(blanks, name_end), header_.size());
  const std::size_t end = header_.find_last_not_of(blanks) + 1;
  record.description.assign(header_, begin, std::max(begin, end) - begin);
}

void SequenceReader::read_fasta_sequence(SequenceRecord& record) {
  bool line_start = true;
  for (;;) {
    const int c = peek();
    if (c < 0 || (line_start && c == '>')) return;
    if (line_start && c == ';') {
      read_text(nullptr);
      continue;
    }
    line_start = false;
    switch (kinds_[static_cast<std::size_t>(c)]) {
      case Kind::residue:
        append_run(record);
        break;
      case Kind::noted:
        append_noted(record);
        break;
      case Kind::blank:
        skip(1);
        break;
      case Kind::gap:
        warn("input.fasta.gap", "gap characters ('-' or '.') are removed from sequences");
        skip(1);
        break;
      case Kind::carriage_return:
      case Kind::line_feed:
        line_start = take_line_end();
        break;
      case Kind::bad:
        refuse_byte(static_cast<unsigned char>(c));
    }
  }
}

void SequenceReader::read_fastq_sequence(SequenceRecord& record) {
  for (;;) {
    const int c = peek();
    if (c < 0) fail_truncated("a record");
    if (take_line_end()) return;
    switch (kinds_[static_cast<std::size_t>(c)]) {
      case Kind::residue:
        append_run(record);
        break;
      case Kind::noted:
        append_noted(record);
        break;
      default:
        refuse_byte(static_cast<unsigned char>(c));
    }
  }
}

void SequenceReader::read_plus_line() {
  const int first = peek();
  if (first < 0) fail_truncated("a record");
  if (first != '+')
    fail("plus",
         fmt::format("the third line of a record begins with '+', not {}",
                     describe_byte(static_cast<unsigned char>(first))),
         "records are four lines; FASTQ wrapped over more lines is not read");
  const std::size_t line = line_;
  skip(1);
  std::string repeated;
  if (!read_text(&repeated)) fail_truncated("a record");
  if (!repeated.empty() && repeated != header_)
    fail_at(line, 2, id("plus"), "the text after '+' is not that of the record's header line");
}

void SequenceReader::read_qualities(SequenceRecord& record) {
  const std::size_t line = line_;
  const std::size_t wanted = record.sequence.size();
  std::string& qualities = record.qualities;
  const auto mismatch = [&](const char* relation) {
    fail_at(line, std::min(qualities.size(), wanted) + 1, id("length"),
            fmt::format("{} qualities than the sequence has residues ({})", relation, wanted));
  };
  for (;;) {
    const int c = peek();
    if (c < 0) {
      if (qualities.size() < wanted) fail_truncated("a record");
      return;
    }
    if (take_line_end()) break;
    const char* stop = std::find_if_not(at_, end_, [](char q) { return q >= '!' && q <= '~'; });
    // One too many is enough to know, however long the line is.
    const std::size_t count = std::min(static_cast<std::size_t>(stop - at_), wanted - qualities.size() + 1);
    if (count == 0) {
      if (is_control(static_cast<unsigned char>(c))) refuse_byte(static_cast<unsigned char>(c));
      fail("quality",
           fmt::format("{} is not a quality ('!' to '~', Phred+33)", describe_byte(static_cast<unsigned char>(c))));
    }
    qualities.append(at_, count);
    skip(count);
    if (qualities.size() > wanted) mismatch("more");
  }
  if (qualities.size() < wanted) mismatch("fewer");
}

void SequenceReader::append_run(SequenceRecord& record) {
  const char* stop =
      std::find_if(at_, end_, [this](char c) { return kinds_[static_cast<unsigned char>(c)] != Kind::residue; });
  const auto count = static_cast<std::size_t>(stop - at_);
  const std::size_t room = rules_.max_residues - record.sequence.size();
  if (count > room) {
    skip(room);
    fail("too_long", fmt::format("a sequence is longer than {} residues", rules_.max_residues));
  }
  record.sequence.append(at_, count);
  skip(count);
}

void SequenceReader::append_noted(SequenceRecord& record) {
  warn("input.sequence.replaced", rules_.noted_message);
  if (record.sequence.size() == rules_.max_residues)
    fail("too_long", fmt::format("a sequence is longer than {} residues", rules_.max_residues));
  record.sequence.push_back(*at_);
  skip(1);
}

void SequenceReader::warn(std::string_view id, const std::string& message) {
  if (rules_.strict) fail_at(line_, column(), id, message);
  const auto same = std::find_if(warnings_.begin(), warnings_.end(), [&](const Warning& w) { return w.id == id; });
  if (same != warnings_.end())
    ++same->count;
  else
    warnings_.push_back({std::string(id), file_, line_, column(), 1, message});
}

std::string SequenceReader::id(std::string_view what) const {
  return fmt::format("input.{}.{}", format_ == SequenceFormat::fasta ? "fasta" : "fastq", what);
}

void SequenceReader::fail(std::string_view what, const std::string& message, const std::string& hint) const {
  fail_at(line_, column(), id(what), message, hint);
}

void SequenceReader::fail_at(std::size_t line, std::size_t column, std::string_view id, const std::string& message,
                             const std::string& hint) const {
  throw InputError(std::string(id), file_, line, column, message, hint);
}

void SequenceReader::fail_truncated(const char* within) const {
  fail("truncated", fmt::format("the file ends within {}", within), "it may be incomplete: copy or download it again");
}

void SequenceReader::refuse_byte(unsigned char byte) const {
  if (is_control(byte) && byte != '\t') fail("binary", fmt::format("{}: this is not a text file", describe_byte(byte)));
  fail("character", fmt::format("{} is not {}", describe_byte(byte), rules_.alphabet));
}

SequenceReader open_sequences(const std::string& path, SequenceRules rules) {
  return {open_source(path), display_name(path), std::move(rules)};
}

namespace {

Sequences read_all(SequenceReader reader) {
  Sequences all;
  SequenceRecord record;
  while (reader.next(record)) all.records.push_back(std::move(record));
  all.warnings = reader.warnings();
  return all;
}

}  // namespace

Sequences parse_sequences(std::string_view bytes, const std::string& file, SequenceRules rules) {
  return read_all({memory_source(bytes, file), file, std::move(rules)});
}

Sequences read_sequences(const std::string& path, SequenceRules rules) {
  return read_all(open_sequences(path, std::move(rules)));
}

}  // namespace speedwell::io
