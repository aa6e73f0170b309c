// The output formats of a search: BLAST's tabular and pairwise formats, and SAM, written to a file or a stream.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/database_search/hit_writer.hpp"
#include "speedwell/io/blast_tabular.hpp"

namespace speedwell::search {

enum class Format { tab, comments, sam, pairwise };  // comments: tabular with comment lines
inline bool is_tabular(Format format) { return format == Format::tab || format == Format::comments; }

/// The value of BLAST's option -outfmt: a format, and the columns of a tabular one, empty if none are named.
struct Outfmt {
  Format format = Format::tab;
  std::string columns{};
};
/// Reads BLAST's number of a format with the columns after it, as in "6 qseqid score": 0 (pairwise), 6 (tabular),
/// 7 (tabular with comment lines), 17 or DIAMOND's 101 (SAM).
/// Throws std::invalid_argument for other formats, columns that do not exist, and columns of a format without them.
Outfmt parse_outfmt(const std::string& text);

struct OutputOptions {
  Format format = Format::tab;
  std::string columns{};  // of the tabular formats, as io::blast_columns() reads them; empty: BLAST's twelve
  bool sam_md = false;    // SAM records have the tag MD
  std::string path{};     // of a file that is written in place of the stream; empty or "-": none
  std::string program_version{}, command_line{};  // for SAM's header and BLAST's comment lines
};

/// A writer of the format to the file options.path, which appears under that name when end() has completed it, or to
/// `out`, which must outlive the writer. Throws std::invalid_argument for columns that do not exist. The functions of
/// the writer throw io::OutputError.
std::unique_ptr<database_search::HitWriter> make_writer(const OutputOptions& options, std::ostream& out);

}  // namespace speedwell::search
