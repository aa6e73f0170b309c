// The output formats of a search: BLAST's tables, SAM and text to read, to a file or a stream.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/database_search/hit_writer.hpp"
#include "speedwell/io/blast_tabular.hpp"

namespace speedwell::search {

enum class Format { tab, comments, sam, pairwise };  // comments: tabular with lines of comment
inline bool is_tabular(Format format) { return format == Format::tab || format == Format::comments; }

/// What BLAST's option -outfmt says: a format, and the columns of a tabular one, or none.
struct Outfmt {
  Format format = Format::tab;
  std::string columns{};
};
/// Reads BLAST's number of a format with the columns after it, as in "6 qseqid score": 0, 6, 7, 17, or DIAMOND's 101.
/// Throws std::invalid_argument for other formats, columns that do not exist, and columns of a format without them.
Outfmt parse_outfmt(const std::string& text);

struct OutputOptions {
  Format format = Format::tab;
  std::string columns{};  // of the tabular formats: see io::blast_columns(); without it the usual ones
  bool sam_md = false;    // SAM: with the tag MD
  std::string path{};     // a file in place of the stream, which appears when it is complete
  std::string program_version{}, command_line{};  // for SAM's header and lines of comment
};

/// A writer of the format to options.path, which is opened by begin() and appears in end(), or else to `out`. Throws
/// std::invalid_argument for columns that do not exist. Its functions throw io::OutputError.
std::unique_ptr<database_search::HitWriter> make_writer(const OutputOptions& options, std::ostream& out);

}  // namespace speedwell::search
