// cuda-sections: the overlapping search of the dissertation of 2012 (section 4.3.4) with a section for each warp, which
// keeps the cells of a column in its registers, as GpuTable does (kernel1_sections.hpp), but with the overlap that the
// longest possible alignment needs, one section in 32 bits, and a test of every step.
//
// The limit is arithmetic, 10 operations a cell; the cells of the overlaps are computed in addition.
#include <type_traits>

#include "speedwell/apps/alignment/gpu/device_warp.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_steps.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::ssca1 {
namespace {

constexpr int threads = 32 * section_warps;

/// Two blocks fit a multiprocessor: for 64 codons a block has 98 KiB of shared memory.
template <int R>
__global__ void __launch_bounds__(threads, 2)
    sections_kernel(const __grid_constant__ SectionRound round, const __grid_constant__ CandidateList list) {
  extern __shared__ __align__(128) char profile[];
  alignment::DeviceWarp warp{static_cast<int>(threadIdx.x % 32)};
  RefineMemory<R>& memory =
      reinterpret_cast<RefineMemory<R>*>(profile + section_profile_bytes(R, round.symbols))[threadIdx.x / 32];
  // Neighbouring sections are on different multiprocessors.
  const auto section = static_cast<std::int32_t>(threadIdx.x / 32 * gridDim.x + blockIdx.x);
  for (std::int32_t tile = 0; tile < round.tiles; ++tile) {
    build_section_profile<alignment::Single32, R>(profile, round, tile, static_cast<int>(threadIdx.x), threads);
    __syncthreads();
    if (section < round.sections)
      search_overlapping_section<alignment::Single32, R>(warp, round, list, tile, section, profile, memory);
    __syncthreads();  // the profile may be overwritten
  }
}

template <int R>
void launch_sections(const StepLaunch& launch, const core::Stream& stream) {
  const int bytes = overlapping_shared_bytes(R, launch.round.symbols);
  core::check(cudaFuncSetAttribute(sections_kernel<R>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const auto blocks = static_cast<unsigned>(core::blocks_for(launch.round.sections, section_warps));
  sections_kernel<R><<<blocks, threads, static_cast<std::size_t>(bytes), stream.get()>>>(launch.round, launch.list);
  core::check(cudaGetLastError());
}

}  // namespace

std::int64_t enqueue_sections(const StepLaunch& launch, const core::Stream& stream) {
  if (launch.strip_rows == 16)
    launch_sections<16>(launch, stream);
  else
    launch_sections<8>(launch, stream);
  return 1;
}

}  // namespace speedwell::ssca1
