// Outcomes as text: the tables that the commands print.
#pragma once

#include <string>
#include <vector>

#include "speedwell/harness/measurement/experiment.hpp"

namespace speedwell::harness {

/// One problem, its variants side by side: times, rate, share of the limit, verdict, and the speedups of both phases,
/// each over the variant that is best in that phase on all cores or, if nothing ran on a GPU, on one core. Planning and
/// energy have columns where some variant has them. What was skipped is told below, each reason once. Fits 80 columns
/// where the names of variants have up to 12 letters, except for what models foresaw.
std::string comparison_table(const std::vector<Outcome>& outcomes, const machine::Machine& machine);

/// The GPU steps in order, each with its gain over the step before that passed, and what it adds.
std::string ladder_table(const std::vector<Outcome>& outcomes, const machine::Machine& machine);

/// One line per problem: the best own variant on the GPU against the best own one of the same algorithm on the host,
/// execute and end to end; then the best on either, peers included, named under the table where they are others.
std::string summary_table(const std::vector<std::vector<Outcome>>& problems, const machine::Machine& machine);

/// The rate that tells most: the application's own, else bandwidth, else operations. "4310 GB/s"; "" without samples.
std::string rate_text(const Outcome& outcome);

/// Columns padded to their widest cell; the first `left` columns are left-aligned, the others right.
std::string columns(const std::vector<std::vector<std::string>>& rows, std::size_t left);

/// Words of `text` in lines of at most `width` columns; lines after the first begin with `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = 80);

/// The application and the parameters in which its problems among `all` differ: "stream kernel=triad n=64".
std::string short_name(const Problem& problem, const std::vector<Problem>& all);

/// "  one, two: why": the variants that are skipped or failed, each reason once.
std::string reasons(const std::vector<Outcome>& outcomes);

/// Text of a user's for terminals: io::escape().
std::string printable(std::string_view text);

}  // namespace speedwell::harness
