// One pair of long sequences on several GPUs of this process: a host thread for each GPU, whose kernels pass the last
// rows of their bands to each other through peer memory.
#pragma once

#include <cstddef>
#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"

namespace speedwell::alignment {

/// Whether a pair is so large that several devices are faster than one: both sequences have at least 200,000 residues,
/// and the table has more than 10^12 cells.
bool is_for_several_devices(std::size_t query_length, std::size_t subject_length);
/// Whether these CUDA devices, 2 to 16 different ones, can read and write each other's memory. They must be of one
/// model, since each chooses the height of bands by itself; this is not checked.
bool can_share_pairs(const std::vector<int>& devices);

/// GpuPair's find_end() and align() on devices for which can_share_pairs() holds; the sequences are in host memory. The
/// query's rows are divided into bands of equal height, and the devices take the bands in turn. The results are those
/// of one device. The rows that the traceback starts from are stored in the memory of devices[0]. Both wait for the
/// result, and calls in one process are executed one after the other. The current device of the calling thread is
/// devices[0] afterwards. Throw as GpuPair, and core::DeviceError if a device fails while others wait for it.
EndPoint find_end_on_devices(const std::vector<int>& devices, Codes query, Codes subject, const Scoring& scoring);
Alignment align_on_devices(const std::vector<int>& devices, Codes query, Codes subject, const Scoring& scoring,
                           const AlignOptions& options = {});

}  // namespace speedwell::alignment
