#include "speedwell/apps/alignment/sequence_file.hpp"

namespace speedwell::alignment {

io::SequenceRules sequence_rules(Alphabet alphabet) {
  io::SequenceRules rules;
  rules.allowed = [alphabet](char letter) { return encode(alphabet, letter) >= 0; };
  if (alphabet == Alphabet::protein) {
    rules.alphabet = "an amino-acid letter";
    rules.noted = [](char letter) { return letter == 'U' || letter == 'u' || letter == 'O' || letter == 'o'; };
    rules.noted_message = "selenocysteine (U) scores as C, pyrrolysine (O) as X";
  } else {
    rules.alphabet = "a nucleotide letter";
  }
  return rules;
}

SequenceSet read_sequence_set(const std::string& path, Alphabet alphabet, std::vector<io::Warning>* warnings) {
  io::SequenceReader reader = io::open_sequences(path, sequence_rules(alphabet));
  SequenceSet set(alphabet);
  for (io::SequenceRecord record; reader.next(record);) set.add(record.name, record.description, record.letters);
  if (warnings) warnings->insert(warnings->end(), reader.warnings().begin(), reader.warnings().end());
  return set;
}

}  // namespace speedwell::alignment
