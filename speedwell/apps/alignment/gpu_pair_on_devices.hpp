// One huge pair on several GPUs of this process.
#pragma once

#include <cstddef>
#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"

namespace speedwell::alignment {

/// Whether a pair is so large that several devices compute it faster together than one of them.
bool is_for_several_devices(std::size_t query_length, std::size_t subject_length);
/// Whether these are 2 to 16 different devices that reach each other's memory.
bool can_share_pairs(const std::vector<int>& devices);

/// GpuPair's find_end() and align() on devices for which can_share_pairs() holds, by a thread for each: they take the
/// bands of the table in turn. The results are those of one device; special rows are in the memory of the first. Throws
/// as GpuPair, and core::DeviceError if a device fails while others wait for it.
EndPoint find_end_on_devices(const std::vector<int>& devices, Codes query, Codes subject, const Scoring& scoring);
Alignment align_on_devices(const std::vector<int>& devices, Codes query, Codes subject, const Scoring& scoring,
                           const AlignOptions& options = {});

}  // namespace speedwell::alignment
