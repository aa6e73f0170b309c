#include "speedwell/search/writers.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <ostream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "speedwell/apps/alignment/database_search/pairwise.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/escape.hpp"
#include "speedwell/io/sam.hpp"

namespace speedwell::search {
namespace {

using database_search::DatabaseSummary;
using database_search::Hit;
using database_search::HitWriter;
using database_search::SearchedFiles;

// The destination of the result: a file that appears when it is complete, or a stream.
class Output {
 public:
  Output(std::string path, std::ostream& stream) : path_(path == "-" ? "" : std::move(path)), stream_(stream) {}
  void open() {
    if (!path_.empty()) file_ = std::make_unique<io::AtomicFile>(path_);
  }
  void write(const std::string& text) {
    if (file_)
      file_->write(text);
    else if (!stream_.write(text.data(), static_cast<std::streamsize>(text.size())))
      throw io::OutputError("output.write", "<stdout>", "cannot be written");
  }
  void finish() {
    if (file_)
      file_->commit();
    else if (!stream_.flush())
      throw io::OutputError("output.write", "<stdout>", "cannot be written");
  }

 private:
  std::string path_;
  std::ostream& stream_;
  std::unique_ptr<io::AtomicFile> file_;
};

class TextWriter : public HitWriter {
 public:
  TextWriter(const OutputOptions& options, std::ostream& out) : options_(options), output_(options.path, out) {}
  void begin(const DatabaseSummary& database) override {
    output_.open();
    output_.write(head(database));
  }
  void write(const SearchedFiles& files, std::size_t query, std::span<const Hit> hits) override {
    output_.write(text(files, query, hits));
  }
  void end(std::size_t queries) override {
    output_.write(tail(queries));
    output_.finish();
  }

 protected:
  virtual std::string head(const DatabaseSummary&) const { return {}; }
  virtual std::string text(const SearchedFiles& files, std::size_t query, std::span<const Hit> hits) const = 0;
  virtual std::string tail(std::size_t) const { return {}; }

  const OutputOptions options_;

 private:
  Output output_;
};

class TabularWriter final : public TextWriter {
 public:
  TabularWriter(const OutputOptions& options, std::ostream& out)
      : TextWriter(options, out), columns_(io::blast_columns(options.columns.empty() ? "std" : options.columns)) {}
  bool needs_alignments() const override { return io::needs_alignment(columns_); }

 private:
  std::string text(const SearchedFiles& files, std::size_t query, std::span<const Hit> hits) const override {
    std::string lines;
    if (options_.format == Format::comments)
      lines = io::blast_comment_lines({.program = "speedwell align " + options_.program_version,
                                       .query = database_search::title(files.queries.set, query),
                                       .database = files.database.file},
                                      columns_, hits.size());
    for (const Hit& hit : hits)
      lines += io::blast_line(database_search::blast_hit(files, query, hit, columns_), columns_);
    return lines;
  }
  std::string tail(std::size_t queries) const override {
    return options_.format == Format::comments ? io::blast_last_comment_line("speedwell align", queries) : "";
  }

  std::vector<io::BlastColumn> columns_;
};

class SamWriter final : public TextWriter {
 public:
  using TextWriter::TextWriter;
  bool needs_sam_names() const override { return true; }

 private:
  std::string head(const DatabaseSummary& database) const override {
    return io::sam_header(database.references,
                          {"speedwell", options_.program_version, io::escape(options_.command_line)});
  }
  std::string text(const SearchedFiles& files, std::size_t query, std::span<const Hit> hits) const override {
    std::string lines;
    for (const io::SamRecord& record : database_search::sam_records(files, query, hits, options_.sam_md))
      lines += io::sam_line(record);
    return lines;
  }
};

class PairwiseWriter final : public TextWriter {
 public:
  using TextWriter::TextWriter;

 private:
  std::string text(const SearchedFiles& files, std::size_t query, std::span<const Hit> hits) const override {
    return database_search::pairwise_text(files, query, hits);
  }
};

}  // namespace

Outfmt parse_outfmt(const std::string& text) {
  std::istringstream words(text);
  std::string number;
  if (!(words >> number)) number = text;  // for the message
  Outfmt outfmt;
  if (number == "0")
    outfmt.format = Format::pairwise;
  else if (number == "6")
    outfmt.format = Format::tab;
  else if (number == "7")
    outfmt.format = Format::comments;
  else if (number == "17" || number == "101")  // BLAST's SAM, and DIAMOND's
    outfmt.format = Format::sam;
  else
    throw std::invalid_argument(
        fmt::format("'{}' is not written here, but 0 (pairwise), 6 (tabular), 7 (tabular "
                    "with comment lines) and 17 (SAM)",
                    number));
  for (std::string word; words >> word;) {
    if (word.starts_with("delim=")) throw std::invalid_argument("a tab is between columns, nothing else");
    outfmt.columns += (outfmt.columns.empty() ? "" : " ") + word;
  }
  if (outfmt.columns.empty()) return outfmt;
  if (!is_tabular(outfmt.format)) throw std::invalid_argument(number + " has no columns; 6 and 7 have");
  io::blast_columns(outfmt.columns);  // throws for one that does not exist
  return outfmt;
}

std::unique_ptr<HitWriter> make_writer(const OutputOptions& options, std::ostream& out) {
  if (options.format == Format::sam) return std::make_unique<SamWriter>(options, out);
  if (options.format == Format::pairwise) return std::make_unique<PairwiseWriter>(options, out);
  return std::make_unique<TabularWriter>(options, out);
}

}  // namespace speedwell::search
