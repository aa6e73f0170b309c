// FASTA and FASTQ, plain or gzip. The first byte of the input picks the rules, the rest is the file. Every file is read
// twice, in one piece and in scraps of a few bytes: both must give the same records or the same error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/properties.hpp"
#include "speedwell/io/fasta.hpp"

namespace {

using namespace speedwell::io;
using namespace speedwell::fuzz;

struct Outcome {
  std::vector<SequenceRecord> records;
  std::string error;  // "id what()", or empty
  std::size_t warnings = 0;
};

bool is_nucleotide(char c) {
  return std::string_view("ACGTURYSWKMBDHVNacgturyswkmbdhvn").find(c) != std::string_view::npos;
}

SequenceRules rules_of(std::uint8_t choice) {
  SequenceRules rules;
  if (choice & 1) rules.allowed = is_nucleotide;
  if (choice & 2) rules.noted = [](char c) { return c == 'U' || c == 'u'; };
  rules.strict = (choice & 4) != 0;
  rules.max_residues = (choice & 8) != 0 ? 20 : 1 << 20;
  return rules;
}

Outcome read(std::unique_ptr<Source> source, const SequenceRules& rules) {
  Outcome outcome;
  try {
    SequenceReader reader(std::move(source), "fuzz", rules);
    SequenceRecord record;
    while (reader.next(record)) {
      require(!record.name.empty(), "a record has a name");
      require(record.sequence.size() <= rules.max_residues, "the limit of residues holds");
      require(record.qualities.empty() || reader.format() == SequenceFormat::fastq, "FASTA has no qualities");
      require(reader.format() == SequenceFormat::fasta || record.qualities.size() == record.sequence.size(),
              "one quality a residue");
      for (const char c : record.sequence)
        require((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '*', "residues are symbols");
      if (rules.allowed)
        require(std::all_of(record.sequence.begin(), record.sequence.end(), rules.allowed), "and allowed");
      outcome.records.push_back(record);
    }
    for (const Warning& warning : reader.warnings()) outcome.warnings += warning.count;
    require(!rules.strict || outcome.warnings == 0, "strict leaves no warnings");
  } catch (const InputError& error) {
    require((error.line() == 0) == (error.column() == 0), "a place has a line and a column, or there is none");
    outcome.error = checked_text(error);
  }
  return outcome;
}

bool same(const SequenceRecord& a, const SequenceRecord& b) {
  return a.name == b.name && a.description == b.description && a.sequence == b.sequence && a.qualities == b.qualities &&
         a.line == b.line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const SequenceRules rules = rules_of(data[0]);
  const std::string_view file(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome whole = read(memory_source(file, "fuzz"), rules);
  const Outcome scraps = read(decompressed(std::make_unique<Scraps>(file), "fuzz"), rules);
  // Damaged gzip data may surface a little earlier or later in the decompressed bytes; all else is exact.
  if (whole.error.find("input.gzip") != std::string::npos || scraps.error.find("input.gzip") != std::string::npos)
    return 0;
  require(whole.error == scraps.error, "the same error however the bytes arrive");
  require(whole.warnings == scraps.warnings, "the same warnings");
  require(std::equal(whole.records.begin(), whole.records.end(), scraps.records.begin(), scraps.records.end(), same),
          "the same records");
  return 0;
}
