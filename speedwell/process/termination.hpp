// Ends that no exception leads to main(): of an exception that may not leave a thread, a parallel region or a
// destructor, of a library that calls exit() (GNU OpenMP without resources for a thread), and of memory that does not
// suffice for an error message. Each is one line and a documented status, too.
#pragma once

namespace speedwell::process {

/// From here on such ends are told. `json`: standard output gets the document of an error.
void guard_ends(bool json);
/// From here on exit() is called by the program itself.
void leave_in_order();
/// Status 4, without any memory.
[[noreturn]] void end_without_memory();

}  // namespace speedwell::process
