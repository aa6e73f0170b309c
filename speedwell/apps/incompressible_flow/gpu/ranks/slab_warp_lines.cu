// Systems of 64 to 1024 planes of a slab (powers of two), without cosines: a warp for each, with all its rows in shared
// memory. With messages one kernel does all in one pass over memory: while a block waits for the ends of the other
// slabs, others on its multiprocessor compute. Blocks take their modes in the order in which they start, so that the
// block that all wait for is running, or next, on every rank.
#include "speedwell/apps/incompressible_flow/gpu/direct/warp_systems.hpp"
#include "speedwell/apps/incompressible_flow/gpu/ranks/slab_chunks.hpp"
#include "speedwell/apps/incompressible_flow/gpu/ranks/slab_lines.hpp"

namespace speedwell::incompressible_flow::gpu {
namespace {

enum class Stage { ends, solution, both };
/// Whether one kernel sends messages and waits for them, and not a second one that computes the ends again.
constexpr bool in_one_kernel = true;

/// The unknowns beside a slab.
template <class T>
struct Beside {
  ComplexOf<T> below = {T(0), T(0)}, above = {T(0), T(0)};
};

/// Lane w sends word w of this slab's ends to every other rank.
template <class T>
__device__ __forceinline__ void send_ends(const SlabLines<T>& s, std::int64_t line, int lane, ComplexOf<T> first,
                                          ComplexOf<T> last, unsigned number) {
  if (lane >= 4 * words_of<T>) return;
  const int value = lane / words_of<T>;
  const T of_value = value == 0 ? first.re : value == 1 ? first.im : value == 2 ? last.re : last.im;
  const unsigned long long word = word_of(of_value, lane % words_of<T>, number);
  for (int k = 1; k < s.ranks; ++k) {
    const int to = s.rank + k < s.ranks ? s.rank + k : s.rank + k - s.ranks;
    send_word(words_at(s, to, s.rank, line, s.all_lines(), 4, number) + lane, word);
  }
}

/// For all lanes: from the ends of all slabs, of which those of this one are given, and come first. What does not
/// depend on the ends of others is loaded while they travel.
template <class T, bool Messages>
__device__ __forceinline__ Beside<T> receive(const SlabLines<T>& s, std::int64_t line, int lane, ComplexOf<T> first,
                                             ComplexOf<T> last, unsigned number) {
  Beside<T> x;
  const std::int64_t lines = s.all_lines();
  for (int k = 0; k < s.ranks; ++k) {
    const int r = s.rank + k < s.ranks ? s.rank + k : s.rank + k - s.ranks;
    const auto factor = [&](int side, int end) {
      return s.coupling[(static_cast<std::int64_t>(side) * 2 * s.ranks + 2 * r + end) * lines + line];
    };
    const T below_first = factor(0, 0), below_last = factor(0, 1), above_first = factor(1, 0),
            above_last = factor(1, 1);
    T ends[4] = {first.re, first.im, last.re, last.im};
    if (k > 0) {
      if constexpr (Messages) {
        unsigned long long word = 0;
        if (lane < 4 * words_of<T>)
          word = wait_for_word(words_at(s, s.rank, r, line, lines, 4, number) + lane, number, s.messages.timed_out);
#pragma unroll
        for (int v = 0; v < 4; ++v)
          ends[v] = value_of<T>(__shfl_sync(whole_warp, word, v * words_of<T>),
                                __shfl_sync(whole_warp, word, v * words_of<T> + words_of<T> - 1));
      } else {
#pragma unroll
        for (int v = 0; v < 4; ++v) ends[v] = s.all_ends[(r * lines + line) * 4 + v];
      }
    }
    x.below.re += below_first * ends[0] + below_last * ends[2];
    x.below.im += below_first * ends[1] + below_last * ends[3];
    x.above.re += above_first * ends[0] + above_last * ends[2];
    x.above.im += above_first * ends[1] + above_last * ends[3];
  }
  return x;
}

/// Blocks per multiprocessor, so that others compute while one waits: as many as fit with few registers spilled.
template <class T, int M, Stage stage>
constexpr int min_blocks = stage != Stage::both || M > 16 ? 1
                           : sizeof(T) == 8 && M <= 8     ? 3
                                                          : 2;

template <class T, int M, Stage stage, bool Messages>
__global__ void __launch_bounds__(width<T>* lanes, min_blocks<T, M, stage>)
    slab_warp_lines_kernel(const __grid_constant__ SlabLines<T> s) {
  extern __shared__ __align__(16) unsigned char memory[];
  const Lines<T>& l = s.lines;
  const WarpThread thread;
  const int lane = thread.lane, modes = l.nx / 2 + 1;
  unsigned block = blockIdx.x;
  unsigned number = 0;
  if constexpr (stage == Stage::both) {
    __shared__ unsigned ticket;
    if (thread.index == 0) ticket = static_cast<unsigned>(atomicAdd(s.messages.tickets, 1ull) % gridDim.x);
    __syncthreads();
    block = ticket;
  }
  if constexpr (Messages) number = static_cast<unsigned>(s.messages.number.get());
  const int of_row = (modes + width<T> - 1) / width<T>;  // blocks
  const int y = static_cast<int>(block) / of_row, first = (static_cast<int>(block) - y * of_row) * width<T>;
  const WarpSystems<T, M> systems(l, memory, thread, modes, first, y);
  systems.load(l);

  // Modes after the last use its eigenvalue, because all lanes must take part.
  const bool is_mode = first + thread.warp < modes;
  const int mode = is_mode ? first + thread.warp : modes - 1;
  const std::int64_t line = static_cast<std::int64_t>(y) * modes + mode;
  const T lambda = l.lambda_x[2 * mode] + l.lambda_y[y];
  const bool pins = s.has_first && lambda == T(0) && lane == 0;  // the constant mode: its first unknown is 0
  with_lane_rows(systems, lambda, pins, [&](const auto& row, const auto& right, const auto& value, const auto& keep) {
    Chunk<T, M> chunk;
    const FirstRowEquation<T> first_row_equation = chunk.first_row_equation(row, right);
    Equation<T> e = chunk.last_row_equation(row, right, keep);
    const FirstRowEquation<T> next = from_lane(first_row_equation, (lane + 1) % lanes);
    if (lane < lanes - 1) e = reduced_equation(e, next);
#pragma unroll
    for (int distance = 1; distance < lanes; distance *= 2)
      e = slab_pcr_step(e, from_lane(e, (lane + lanes - distance) % lanes), lane >= distance,
                        from_lane(e, (lane + distance) % lanes), lane + distance < lanes);
    const SlabUnknown<T> own = unknown_of(e);
    const SlabEnd<T> begin = first_end(first_row_equation, own);  // of use in the first lane
    const ComplexOf<T> first_end_of_slab = {__shfl_sync(whole_warp, begin.re, 0), __shfl_sync(whole_warp, begin.im, 0)};
    const ComplexOf<T> last_end_of_slab = {__shfl_sync(whole_warp, own.re, lanes - 1),
                                           __shfl_sync(whole_warp, own.im, lanes - 1)};
    [[maybe_unused]] const unsigned long long waits_from = Messages ? comm::nanoseconds() : 0;
    if constexpr (Messages && stage != Stage::solution)
      if (is_mode) send_ends(s, line, lane, first_end_of_slab, last_end_of_slab, number);
    if constexpr (stage == Stage::ends) {
      if (!Messages && is_mode && lane < 4)
        s.ends[line * 4 + lane] = lane == 0   ? first_end_of_slab.re
                                  : lane == 1 ? first_end_of_slab.im
                                  : lane == 2 ? last_end_of_slab.re
                                              : last_end_of_slab.im;
      return;
    }
    const Beside<T> beside = receive<T, Messages>(s, line, lane, first_end_of_slab, last_end_of_slab, number);
    if constexpr (Messages)
      if (thread.index == 0) atomicAdd(s.messages.waited, comm::nanoseconds() - waits_from);

    const T re = own.re - own.below * beside.below.re - own.above * beside.above.re;
    const T im = own.im - own.below * beside.below.im - own.above * beside.above.im;
    const int before = (lane + lanes - 1) % lanes;
    const T before_re = __shfl_sync(whole_warp, re, before), before_im = __shfl_sync(whole_warp, im, before);
    chunk.back_substitute(row, lane == 0 ? beside.below.re : before_re, lane == 0 ? beside.below.im : before_im, re, im,
                          value, keep, keep);
    if (s.has_above && is_mode && lane == 0) l.spectrum[systems.rows * systems.plane + line] = beside.above;
    systems.store(l);
  });
}

template <class T, Stage stage, bool Messages>
void launch(const SlabLines<T>& s, const core::Stream& stream) {
  with_rows_per_lane<T>(s.lines.nz, [&]<int M>() {
    constexpr std::size_t bytes = shared_bytes<T, M>();
    const auto kernel = slab_warp_lines_kernel<T, M, stage, Messages>;
    core::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    kernel<<<static_cast<unsigned>(warp_blocks(s)), width<T> * lanes, bytes, stream.get()>>>(s);
    core::check(cudaGetLastError());
  });
}

}  // namespace

template <class T>
bool is_for_warps(const SlabLines<T>& s) {
  return s.lines.by_warps && !s.lines.pairs_of_modes && !s.has_cosines() &&
         with_rows_per_lane<T>(s.lines.nz, [&]<int M>() {});
}

template <class T>
std::int64_t warp_blocks(const SlabLines<T>& s) {
  return core::blocks_for(s.lines.modes(), width<T>) * s.lines.ny;
}

template <class T>
void enqueue_ends_in_warps(const SlabLines<T>& s, const core::Stream& stream) {
  if (!s.has_messages)
    launch<T, Stage::ends, false>(s, stream);
  else if constexpr (!in_one_kernel)
    launch<T, Stage::ends, true>(s, stream);
}
template <class T>
void enqueue_solution_in_warps(const SlabLines<T>& s, const core::Stream& stream) {
  s.has_messages ? launch<T, in_one_kernel ? Stage::both : Stage::solution, true>(s, stream)
                 : launch<T, Stage::solution, false>(s, stream);
}

template bool is_for_warps(const SlabLines<float>&);
template bool is_for_warps(const SlabLines<double>&);
template std::int64_t warp_blocks(const SlabLines<float>&);
template std::int64_t warp_blocks(const SlabLines<double>&);
template void enqueue_ends_in_warps(const SlabLines<float>&, const core::Stream&);
template void enqueue_ends_in_warps(const SlabLines<double>&, const core::Stream&);
template void enqueue_solution_in_warps(const SlabLines<float>&, const core::Stream&);
template void enqueue_solution_in_warps(const SlabLines<double>&, const core::Stream&);

}  // namespace speedwell::incompressible_flow::gpu
