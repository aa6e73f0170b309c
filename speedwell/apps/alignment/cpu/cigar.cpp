// CIGARs as text, and the score of an alignment from its definition: no code is shared with the aligner.
#include <stdexcept>

#include "speedwell/apps/alignment/alignment.hpp"

namespace speedwell::alignment {

std::string cigar_string(std::span<const CigarRun> cigar) {
  std::string text;
  for (const auto& [operation, count] : cigar) (text += std::to_string(count)) += operation;
  return text;
}

std::int64_t rescore(Codes query, Codes subject, const Scoring& scoring, std::int64_t query_begin,
                     std::int64_t subject_begin, std::span<const CigarRun> cigar) {
  if (cigar.empty()) return 0;
  if (query_begin < 1 || subject_begin < 1)
    throw std::invalid_argument("an alignment that begins before its sequences");
  auto i = static_cast<std::size_t>(query_begin - 1), j = static_cast<std::size_t>(subject_begin - 1);
  std::int64_t score = 0;
  for (const auto& [operation, count] : cigar) {
    const std::string run = std::to_string(count) + operation;
    if (count < 1) throw std::invalid_argument(run + ": a run of columns must be positive");
    const auto length = static_cast<std::size_t>(count);
    const bool takes_query = operation != 'D', takes_subject = operation != 'I';
    if ((takes_query && (i > query.size() || length > query.size() - i)) ||
        (takes_subject && (j > subject.size() || length > subject.size() - j)))
      throw std::invalid_argument(run + ": the alignment leaves a sequence");
    switch (operation) {
      case '=':
      case 'X':
        for (std::size_t k = 0; k < length; ++k) {
          if ((query[i + k] == subject[j + k]) != (operation == '='))
            throw std::invalid_argument(run + ": the residues say otherwise");
          score += scoring.matrix.score(query[i + k], subject[j + k]);
        }
        break;
      case 'I':
      case 'D':
        score -= scoring.gap_open + count * scoring.gap_extend;
        break;
      default:
        throw std::invalid_argument(run + ": an operation is one of =, X, I and D");
    }
    if (takes_query) i += length;
    if (takes_subject) j += length;
  }
  return score;
}

}  // namespace speedwell::alignment
