#include "speedwell/apps/alignment/sequences/sequence_file.hpp"

namespace speedwell::alignment {

io::SequenceRules sequence_rules(Alphabet alphabet) {
  io::SequenceRules rules;
  rules.allowed = [alphabet](char symbol) { return encode(alphabet, symbol) >= 0; };
  if (alphabet == Alphabet::protein) {
    rules.alphabet = "an amino-acid symbol";
    rules.noted = [](char symbol) { return symbol == 'U' || symbol == 'u' || symbol == 'O' || symbol == 'o'; };
    rules.noted_message = "selenocysteine (U) scores as C, pyrrolysine (O) as X";
  } else {
    rules.alphabet = "a nucleotide symbol";
  }
  return rules;
}

SequenceSet read_sequence_set(const std::string& path, Alphabet alphabet, std::vector<io::Warning>* warnings) {
  io::SequenceReader reader = io::open_sequences(path, sequence_rules(alphabet));
  SequenceSet set(alphabet);
  for (io::SequenceRecord record; reader.next(record);) set.add(record.name, record.description, record.sequence);
  if (warnings) warnings->insert(warnings->end(), reader.warnings().begin(), reader.warnings().end());
  return set;
}

}  // namespace speedwell::alignment
