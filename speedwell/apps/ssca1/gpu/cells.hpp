// The cells of alignment's search that kernels 1, 3 and 4 compute with on a GPU.
#pragma once

#include "speedwell/apps/alignment/gpu/cell.hpp"
#include "speedwell/apps/alignment/gpu/tile.hpp"

namespace speedwell::ssca1 {

using alignment::Border;
using alignment::Borders;
using alignment::CellConstants;
using alignment::padding_score;
using alignment::Pair11;
using alignment::Pair16;
using alignment::profile_bytes;
using alignment::ProfileLayout;
using alignment::ProfileRows;
using alignment::Single32;
using alignment::Strip;
using alignment::Words4;

}  // namespace speedwell::ssca1
