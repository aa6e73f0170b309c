// From outcomes to records: the JSON of docs/records.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "speedwell/harness/measurement/experiment.hpp"
#include "speedwell/machine/ceilings.hpp"
#include "speedwell/machine/machine.hpp"

namespace speedwell::harness {

using Json = nlohmann::ordered_json;

/// What is the same for every run of one command.
struct Session {
  std::string command_line;
  std::string started;  // UTC, ISO 8601
  std::uint64_t order_seed = 1;
};

/// One run.
Json record_of(const Outcome& outcome, const machine::Machine& machine);

/// A document without runs: schema, machine, build, session.
Json document(const machine::Machine& machine, const machine::Ceilings& ceilings, const Session& session);

/// The schema's first line, alone, for a command that failed before it had a machine to describe.
Json error_document(int status, const std::string& id, const std::string& message, const std::string& hint,
                    const std::string& file, std::size_t line, std::size_t column);

/// Text that is valid UTF-8 whatever the JSON holds (a user's file name may not be): `indent` spaces for each level,
/// with an array of numbers or texts on one line; all on one line if `indent` is negative.
std::string dump(const Json& json, int indent = 2);

/// Now, in UTC; SOURCE_DATE_EPOCH if that is set.
std::string utc_now();

}  // namespace speedwell::harness
