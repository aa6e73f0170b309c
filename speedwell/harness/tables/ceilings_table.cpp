#include "speedwell/harness/tables/ceilings_table.hpp"

#include <fmt/format.h>

#include <vector>

#include "speedwell/core/units.hpp"
#include "speedwell/harness/tables/table.hpp"

namespace speedwell::harness {

std::string ceilings_table(const machine::Ceilings& ceilings) {
  std::vector<std::vector<std::string>> rows = {{"ceiling", "what", "unit", "value", "low", "high", "n", ""}};
  for (const auto& c : ceilings.entries)
    rows.push_back({c.name, machine::words_of_ceiling(c.name), c.unit, core::format_number(c.value),
                    core::format_number(c.low), core::format_number(c.high), fmt::format("{}", c.samples.size()),
                    machine::is_stable(c) ? "" : "not stable"});
  return columns(rows, 3);
}

// Only words contain commas.
std::string ceilings_csv(const machine::Ceilings& ceilings) {
  std::string text = "ceiling,what,unit,value,low,high,samples,stable\r\n";
  for (const auto& c : ceilings.entries)
    text += fmt::format("{},\"{}\",{},{},{},{},{},{}\r\n", c.name, machine::words_of_ceiling(c.name), c.unit, c.value,
                        c.low, c.high, c.samples.size(), machine::is_stable(c));
  return text;
}

}  // namespace speedwell::harness
