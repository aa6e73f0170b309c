# What records of a reference GPU say of the headline problems, as a table in the program: so that a machine without a GPU
# can say what one would have done. Of the variants of a problem that are Speedwell's own the fastest stands there. RECORDS
# is a .jsonl file of results/; writes OUTPUT, a C++ source.
function(speedwell_recorded records output)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${records})
  set(keys "")
  set(gpu "")
  set(day "")
  if(EXISTS ${records})
    file(STRINGS ${records} lines ENCODING UTF-8)
    foreach(line IN LISTS lines)
      # A list in CMake ends its elements at semicolons, which no key of JSON has and no record of ours holds.
      string(JSON runs GET "${line}" runs)
      string(JSON started GET "${line}" session started)
      string(SUBSTRING ${started} 0 10 day)
      string(JSON count LENGTH "${runs}")
      math(EXPR last "${count} - 1")
      foreach(i RANGE ${last})
        string(JSON kind GET "${runs}" ${i} device kind)
        string(JSON status GET "${runs}" ${i} status)
        string(JSON role GET "${runs}" ${i} variant role)
        if(kind STREQUAL "gpu" AND status STREQUAL "passed" AND NOT role STREQUAL "peer")
          string(JSON key GET "${runs}" ${i} key)
          string(JSON gpu GET "${runs}" ${i} device name)
          string(JSON seconds GET "${runs}" ${i} phases execute_s median)
          string(JSON total GET "${runs}" ${i} phases end_to_end_s median)
          string(JSON digest GET "${runs}" ${i} source_digest)
          list(FIND keys "${key}" at)
          if(at EQUAL -1)
            list(LENGTH keys at)
            list(APPEND keys "${key}")
            set(seconds_${at} inf)
          endif()
          if(seconds LESS seconds_${at})
            set(seconds_${at} ${seconds})
            set(row_${at} "    {\"${key}\", ${seconds}, ${total}, \"${digest}\"},\n")
          endif()
        endif()
      endforeach()
    endforeach()
  endif()
  set(rows "")
  list(LENGTH keys count)
  foreach(at RANGE ${count})  # up to one too many, whose row is empty
    string(APPEND rows "${row_${at}}")
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [=[
// Generated from results/ by cmake/SpeedwellRecorded.cmake.
#include "speedwell/harness/report/recorded.hpp"

#include <array>

namespace speedwell::harness::report {
namespace {

constexpr RecordedRun none{"", 0, 0, ""};
constexpr RecordedRun rows[] = {
@rows@    none};

}  // namespace

Recorded recorded() { return {"@gpu@", "@day@", std::span(rows).first(std::size(rows) - 1)}; }

}  // namespace speedwell::harness::report
]=])
endfunction()
