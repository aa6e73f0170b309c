// The serial variant: what a plain program does on one core.
#pragma once

#include "speedwell/apps/alignment/alignment.hpp"

namespace speedwell::alignment {

/// find_end() row after row and cell after cell, in 32 bits. Asks for the same as find_end().
EndPoint find_end_by_cells(Codes query, Codes subject, const Scoring& scoring);

}  // namespace speedwell::alignment
