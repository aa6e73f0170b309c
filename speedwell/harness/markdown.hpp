// Tables for READMEs, made from records: nobody types a figure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/harness/record_reader.hpp"

namespace speedwell::harness {

/// The table that a marker "<!-- results:NAME -->" asks for; empty where no record has such runs: a document may be
/// ahead of its records. By its first word NAME is one of the four below, of which each throws std::invalid_argument
/// for words that it cannot read. SIZES are names that applications were run with, with commas between.
std::string table_of(const std::vector<records::Document>& documents, const std::string& name);

/// "APPLICATION" or "APPLICATION SIZES": for each machine a row for each variant of each problem (of more than four
/// problems that differ in one number, the largest), then a line with machine, driver, compiler and commits. Speedups
/// are over the fastest variant on all cores, or on one core if nothing ran on all. Runs that did not pass stand with
/// their outcome and without figures; a variant that was skipped here and ran on another problem does not stand here.
std::string results_table(const std::vector<records::Document>& documents, const std::string& name);

/// "summary" or "summary SIZES": one row for each problem (of problems that differ in one number, the largest): the
/// best on the host against the best on a GPU, with both speedups, the share of the limit and, where a library ran
/// there too, how many times faster than it.
std::string summary_table(const std::vector<records::Document>& documents, const std::string& name = "summary");

/// A row for each problem of some sizes and a column for each variant or pair of them: "columns wavefront table2,table3
/// end_to_end serial cuda/serial" has the medians of `serial` and how many times as fast `cuda` is. Phases are execute
/// and end_to_end.
std::string columns_table(const std::vector<records::Document>& documents, const std::string& name);

/// A row for each timed run of some sizes and what the runs said of themselves: "figures blast_wave standard iterations
/// lhs_s" has the choices `iterations` and `lhs_s` of every variant.
std::string figures_table(const std::vector<records::Document>& documents, const std::string& name);

/// `text` with what stands between "<!-- results:NAME -->" and the next "<!-- /results -->" (each alone on its line)
/// replaced by tables[NAME]; names that `tables` does not have stay as they are, and so does what is inside a fenced
/// code block. Throws std::invalid_argument for a marker that is not closed, opened twice or closed unopened, and for a
/// table without a marker.
std::string update_markers(std::string_view text, const std::map<std::string, std::string>& tables);

/// Of the tables that `text` has a place for, in order. Throws as update_markers() does.
std::vector<std::string> marker_names(std::string_view text);

}  // namespace speedwell::harness
