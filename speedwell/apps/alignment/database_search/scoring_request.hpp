// From a request, which may leave most of it open, to a scoring system and its statistics: the customary matrix and gap
// costs of an alphabet, and the parameters that are published for them.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "speedwell/apps/alignment/scoring/scoring.hpp"
#include "speedwell/apps/alignment/scoring/statistics.hpp"

namespace speedwell::database_search {

/// karlin_altschul: with the length adjustment; none: hits have neither bit scores nor E-values.
enum class EvalueMethod { finite_size, karlin_altschul, none };

/// How hits are scored. Whatever is left open is customary for the alphabet.
struct ScoringRequest {
  std::string matrix{};                    // a published name, or a file
  std::optional<int> match{}, mismatch{};  // DNA: in place of a matrix
  std::optional<int> gap_open{}, gap_extend{};
  bool gap_first = false;  // gap_open is the cost of the first residue of a gap
  std::optional<alignment::Alphabet> alphabet{};
  std::optional<EvalueMethod> evalue_method{};  // without it the finite-size correction for proteins, the other for DNA
  std::optional<double> max_evalue{};           // without it 10, where statistics are published
};

/// The names by which messages call what is asked for. By default these are the members of the requests.
struct RequestNames {
  std::string matrix = "matrix", match = "match", mismatch = "mismatch";
  std::string gap_open = "gap_open", gap_extend = "gap_extend", gap_convention = "gap_convention";
  std::string alphabet = "alphabet", strands = "strands", masking = "masking";
  std::string evalue_method = "evalue_method", max_evalue = "max_evalue";
  // Values of evalue_method.
  std::string finite_size = "finite_size", karlin_altschul = "karlin_altschul";
  std::string min_score = "min_score", max_hits = "max_hits", format = "format", output = "output";
};

/// Thrown for requests that contradict each other, the alphabet or the files, with what to ask for instead, if
/// anything.
class RequestError : public std::invalid_argument {
 public:
  RequestError(const std::string& message, std::string hint) : std::invalid_argument(message), hint_(std::move(hint)) {}
  const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

struct ResolvedScoring {
  alignment::Scoring scoring;
  std::string name;  // "BLOSUM62", "match 2, mismatch -3"
  std::optional<alignment::ScoreStatistics> statistics{};
  bool finite_size = false;            // which E-value
  std::optional<double> max_evalue{};  // the largest to report
  std::string note{};                  // why there are no E-values although the request does not exclude them, or empty
};

/// The alphabet that the request decides without the sequences.
std::optional<alignment::Alphabet> alphabet_of(const ScoringRequest& request);

/// Throws RequestError where members contradict each other or the alphabet, gaps are free, or E-values are requested
/// for which no parameters have been published; std::invalid_argument for a matrix that is neither published nor a
/// file; io::InputError for a matrix file.
ResolvedScoring resolve_scoring(const ScoringRequest& request, alignment::Alphabet alphabet,
                                const RequestNames& names = {});

/// "BLOSUM62, gaps of 1 and 2 residues cost 12 and 13 (11 + k * 1)".
std::string describe(const ResolvedScoring& resolved);

}  // namespace speedwell::database_search
