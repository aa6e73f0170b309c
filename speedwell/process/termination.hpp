// Terminations of the process that main() cannot handle: an exception that may not leave a thread, a parallel region or
// a destructor; a library that calls exit(), as GNU OpenMP does without resources for a thread; and too little memory
// for an error message. Each prints one line and has an exit status of docs/errors.md, as failures in main() do.
#pragma once

namespace speedwell::process {

/// Installs the handlers that do so. With `json`, standard output gets the document of the error, too.
void handle_termination(bool json);
/// Declares that the program itself is about to call exit() or to return from main(): exit() is no failure from here
/// on.
void expect_exit();
/// Ends the process with a message and status 4. Allocates no memory.
[[noreturn]] void exit_out_of_memory();

}  // namespace speedwell::process
