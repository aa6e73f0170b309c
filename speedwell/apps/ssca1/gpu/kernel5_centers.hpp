// Kernel 5 on a GPU: the work of one block for a set. Each thread sums the differences of a member, determines its
// rank, and aligns it with the centre; then rows are written and their costs summed. The rules are those of
// cpu/kernel5_stars.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "speedwell/apps/ssca1/gpu/atomic_extremes.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::ssca1 {

inline constexpr std::uint8_t device_space = 255;  // the code of a space in a row

struct StarMember {
  std::int64_t offset = 0;  // offset of its symbols, which are below 4
  std::int32_t length = 0;
};
struct StarSet {
  std::int64_t first_member = 0, first_pair = 0;    // indices among those of all sets
  std::int64_t first_position = 0, first_cell = 0;  // offsets in the scratch memory
  std::int32_t members = 0, longest = 0;
};
/// The results of a set except for the order of its rows.
struct StarFound {
  std::int64_t first = -1;  // offset of the rows' symbols; -1: there was no room
  std::int64_t sum_of_pairs = 0;
  std::int32_t columns = 0;
};

struct StarProblem {
  const std::uint8_t* symbols = nullptr;
  const StarMember* members = nullptr;
  const StarSet* sets = nullptr;
  const std::int32_t* differences = nullptr;  // as Differences::upper, one set after the other
  std::int32_t mismatch = 0, space = 0;
  // Scratch memory. A position is an index in a member or the centre; the members of a set are interleaved.
  std::int64_t* sums = nullptr;        // per member
  std::int32_t* costs = nullptr;       // per position and member
  std::int32_t* before = nullptr;      // per position and member: symbols before this symbol of the centre
  std::uint8_t* under = nullptr;       // per position and member: the aligned symbol, or device_space
  std::int32_t* widths = nullptr;      // per position: the maximum number of symbols before it
  std::uint8_t* directions = nullptr;  // per cell and member
  std::int32_t* order = nullptr;       // the member in each row
  StarFound* found = nullptr;          // per set
  std::uint8_t* rows = nullptr;
  unsigned long long* rows_used = nullptr;  // may exceed the capacity
  unsigned long long capacity = 0;
};

/// Positions and cells of a set in the scratch memory.
constexpr std::int64_t star_positions(std::int64_t longest, std::int64_t members) { return (longest + 1) * members; }
constexpr std::int64_t star_cells(std::int64_t longest, std::int64_t members) {
  return (longest + 1) * (longest + 1) * members;
}

namespace centers_detail {
enum : std::uint8_t { pair, center_alone, other_alone };
SPEEDWELL_HD
inline std::int32_t smaller(std::int32_t a, std::int32_t b) { return a < b ? a : b; }
template <class T>
SPEEDWELL_HD
T take(T* total, T amount) {
#ifdef __CUDA_ARCH__
  return atomicAdd(total, amount);
#else
  return std::atomic_ref(*total).fetch_add(amount);
#endif
}
using atomic_extremes::raise;
SPEEDWELL_HD
inline std::int32_t difference(const std::int32_t* upper, std::int64_t k, std::int64_t i, std::int64_t j) {
  if (i == j) return 0;
  const std::int64_t a = i < j ? i : j, b = i < j ? j : i;
  return upper[a * (2 * k - a - 1) / 2 + b - a - 1];
}
}  // namespace centers_detail

/// Aligns row r's member with the centre, traced back from the last cell; a pair is preferred to an unpaired symbol of
/// the centre, and this to one of the member.
SPEEDWELL_HD
inline void align_with_center(const StarProblem& problem, const StarSet& set, const StarMember& center,
                              const StarMember& other, std::int64_t r) {
  using namespace centers_detail;
  const std::int64_t k = set.members;
  const std::uint8_t *const a = problem.symbols + center.offset, *const b = problem.symbols + other.offset;
  std::int32_t* const costs = problem.costs + set.first_position + r;  // position p: costs[p * k]
  std::int32_t* const before = problem.before + set.first_position + r;
  std::uint8_t* const under = problem.under + set.first_position + r;
  std::uint8_t* const directions = problem.directions + set.first_cell + r;
  const std::int64_t columns = other.length + 1;
  for (std::int64_t y = 0; y < columns; ++y) {
    costs[y * k] = static_cast<std::int32_t>(y) * problem.space;
    directions[y * k] = other_alone;
  }
  for (std::int64_t x = 1; x <= center.length; ++x) {
    const std::uint8_t symbol = a[x - 1];
    std::int32_t diagonal = costs[0], left = diagonal + problem.space;
    costs[0] = left;
    directions[x * columns * k] = center_alone;
    for (std::int64_t y = 1; y < columns; ++y) {
      const std::int32_t above = costs[y * k];
      const std::int32_t paired = diagonal + (symbol == b[y - 1] ? 0 : problem.mismatch);
      const std::int32_t center_cost = above + problem.space;
      left = smaller(smaller(paired, center_cost), left + problem.space);
      costs[y * k] = left;
      directions[(x * columns + y) * k] = left == paired ? pair : left == center_cost ? center_alone : other_alone;
      diagonal = above;
    }
  }
  for (std::int64_t x = 0; x <= center.length; ++x) before[x * k] = 0;
  std::int64_t x = center.length, y = other.length;
  while (x > 0 || y > 0) {
    switch (directions[(x * columns + y) * k]) {
      case pair:
        --x, --y;
        under[x * k] = b[y];
        break;
      case center_alone:
        --x;
        under[x * k] = device_space;
        break;
      default:
        ++before[x * k];
        --y;
    }
  }
}

/// Aligns one set of at least two members. `Block`: see kernel3_regions.hpp.
template <class Block>
SPEEDWELL_HD
void align_set(const Block& block, const StarProblem& problem, std::int64_t number) {
  using namespace centers_detail;
  const StarSet set = problem.sets[number];
  const std::int64_t k = set.members, step = block.threads();
  const StarMember* const members = problem.members + set.first_member;
  const std::int32_t* const upper = problem.differences + set.first_pair;
  std::int64_t* const sums = problem.sums + set.first_member;
  std::int32_t* const order = problem.order + set.first_member;
  std::int32_t* const widths = problem.widths + set.first_position;
  StarFound* const found = problem.found + number;

  block.each([&](int thread) {
    for (std::int64_t i = thread; i < k; i += step) {
      std::int64_t sum = 0;
      for (std::int64_t j = 0; j < k; ++j) sum += difference(upper, k, i, j);
      sums[i] = sum;
    }
  });
  block.each([&](int thread) {
    if (thread != 0) return;
    std::int32_t center = 0;
    for (std::int32_t i = 1; i < k; ++i)
      if (sums[i] < sums[center]) center = i;
    order[0] = center;
  });
  const std::int32_t center = order[0];
  const StarMember center_member = members[center];
  block.each([&](int thread) {
    for (std::int64_t i = thread; i < k; i += step) {
      if (i == center) continue;
      const std::int32_t mine = difference(upper, k, center, i);
      std::int64_t rank = 1;
      for (std::int64_t j = 0; j < k; ++j) {
        const std::int32_t other = difference(upper, k, center, j);
        rank += j != center && (other < mine || (other == mine && j < i));
      }
      order[rank] = static_cast<std::int32_t>(i);
    }
    for (std::int64_t p = thread; p <= center_member.length; p += step) widths[p] = 0;
  });
  block.each([&](int thread) {
    for (std::int64_t r = thread; r < k; r += step) {
      if (r == 0) {
        for (std::int64_t p = 0; p <= center_member.length; ++p) {
          problem.before[set.first_position + p * k] = 0;
          if (p < center_member.length)
            problem.under[set.first_position + p * k] = problem.symbols[center_member.offset + p];
        }
        continue;
      }
      align_with_center(problem, set, center_member, members[order[r]], r);
      for (std::int64_t p = 0; p <= center_member.length; ++p)
        raise(widths + p, problem.before[set.first_position + p * k + r]);
    }
  });
  block.each([&](int thread) {
    if (thread != 0) return;
    std::int32_t columns = center_member.length;
    for (std::int64_t p = 0; p <= center_member.length; ++p) columns += widths[p];
    const auto size = static_cast<unsigned long long>(k * columns);
    const unsigned long long first = take(problem.rows_used, size);
    *found = {first + size <= problem.capacity ? static_cast<std::int64_t>(first) : -1, 0, columns};
  });
  const std::int64_t columns = found->columns, first = found->first;
  if (first < 0) return;
  std::uint8_t* const rows = problem.rows + first;
  block.each([&](int thread) {
    for (std::int64_t r = thread; r < k; r += step) {
      const std::uint8_t* next = problem.symbols + members[order[r]].offset;
      std::uint8_t* to = rows + r * columns;
      for (std::int64_t p = 0; p <= center_member.length; ++p) {
        const std::int64_t position = set.first_position + p * k + r;
        const std::int32_t symbols = problem.before[position];
        for (std::int32_t column = 0; column < widths[p]; ++column) *to++ = column < symbols ? *next++ : device_space;
        if (p == center_member.length) break;
        *to++ = problem.under[position];
        next += problem.under[position] != device_space;
      }
    }
  });
  block.each([&](int thread) {
    unsigned long long sum = 0;
    for (std::int64_t column = thread; column < columns; column += step) {
      std::int64_t count[4] = {};
      for (std::int64_t r = 0; r < k; ++r) {
        const std::uint8_t symbol = rows[r * columns + column];
#pragma unroll
        for (int s = 0; s < 4; ++s) count[s] += symbol == s;
      }
      std::int64_t symbols = 0, equal_pairs = 0;
      for (int s = 0; s < 4; ++s) {
        symbols += count[s];
        equal_pairs += count[s] * (count[s] - 1) / 2;
      }
      sum += static_cast<unsigned long long>((symbols * (symbols - 1) / 2 - equal_pairs) * problem.mismatch +
                                             symbols * (k - symbols) * problem.space);
    }
    take(reinterpret_cast<unsigned long long*>(&found->sum_of_pairs), sum);
  });
}

}  // namespace speedwell::ssca1
