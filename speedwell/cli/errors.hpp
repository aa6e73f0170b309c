// Mistakes on a command line and what failures mean to the shell, under the names that the commands use.
#pragma once

#include "speedwell/process/failure.hpp"

namespace speedwell::cli {

using process::Failure;
using process::failure_of;
using process::text_of;
using process::UsageError;

}  // namespace speedwell::cli
