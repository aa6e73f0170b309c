// Score lookup of the sweep of one pair (band.hpp): the scores of two cells with one or two loads and without an
// instruction of the integer units. Tables in shared memory hold every entry 32 times, once per bank, so that 32 lanes
// with 32 different residues have no bank conflicts. An address is the sum of an offset of the row and one of the
// column. Scores have open + extend added, as strips.hpp needs them.
//
// Residues are represented by classes with equal scores, the last of which is padding.
#pragma once

#include <cstdint>

#include "speedwell/apps/alignment/gpu/cell.hpp"

namespace speedwell::alignment {

/// Bytes between two entries of a table: one word per lane.
inline constexpr std::uint32_t entry_bytes = 128;

namespace detail {
/// a + b, both below 2^22. As floats these bits are subnormal numbers, which add like integers: the single-precision
/// units are otherwise idle.
SPEEDWELL_HD
inline std::uint32_t add_offsets(std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
  std::uint32_t sum;
  asm("add.rn.f32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
  return sum;
#else
  return a + b;
#endif
}
/// The word at a byte offset of a table.
SPEEDWELL_HD
inline std::uint32_t table_word(const char* table, std::uint32_t row_offset, std::uint32_t column_offset) {
  return *reinterpret_cast<const std::uint32_t*>(table + add_offsets(row_offset, column_offset));
}
}  // namespace detail

/// One entry for two query residues and two subject residues, one of each for the low half and one for the high half:
/// classes^4 entries, 80,000 bytes for four residues and padding.
struct PairScores {
  static constexpr int max_classes = 6;
  struct Row {
    std::uint32_t offset;
  };
  struct Column {
    std::uint32_t offset;
  };
  static SPEEDWELL_HD
  int entries(int classes) { return classes * classes * classes * classes; }
  /// The entry of `columns` for the residues of this column and of that two columns before.
  static SPEEDWELL_HD
  std::uint16_t column_entry(int residue, int residue_2_before, int classes) {
    return static_cast<std::uint16_t>((residue * classes + residue_2_before) * static_cast<int>(entry_bytes));
  }
  static SPEEDWELL_HD
  Row row(int low, int high, int classes, int lane) {
    return {static_cast<std::uint32_t>((low * classes + high) * classes * classes) * entry_bytes +
            static_cast<std::uint32_t>(lane) * 4};
  }
  static SPEEDWELL_HD
  Column column(const std::uint16_t* entry) { return {entry[0]}; }
  static SPEEDWELL_HD
  std::uint32_t get(const char* table, Row row, Column column, const CellConstants&) {
    return detail::table_word(table, row.offset, column.offset);
  }
  /// `added`: added to every score.
  static SPEEDWELL_HD
  std::uint32_t entry(int index, const std::int8_t* scores, int classes, std::int32_t added) {
    const int high_s = index % classes, low_s = index / classes % classes;
    const int high_q = index / classes / classes % classes, low_q = index / classes / classes / classes;
    return detail::pack(scores[low_q * classes + low_s] + added, scores[high_q * classes + high_s] + added);
  }
};

/// One entry for a query residue and a subject residue, loaded twice: classes^2 entries, for any alphabet.
struct ResidueScores {
  static constexpr int max_classes = 33;
  struct Row {
    std::uint32_t low, high;
  };
  struct Column {
    std::uint32_t low, high;
  };
  static SPEEDWELL_HD
  int entries(int classes) { return classes * classes; }
  static SPEEDWELL_HD
  std::uint16_t column_entry(int residue, int, int) {
    return static_cast<std::uint16_t>(residue * static_cast<int>(entry_bytes));
  }
  static SPEEDWELL_HD
  Row row(int low, int high, int classes, int lane) {
    const auto offset = [&](int residue) {
      return static_cast<std::uint32_t>(residue * classes) * entry_bytes + static_cast<std::uint32_t>(lane) * 4;
    };
    return {offset(low), offset(high)};
  }
  static SPEEDWELL_HD
  Column column(const std::uint16_t* entry) { return {entry[0], entry[-2]}; }
  static SPEEDWELL_HD
  std::uint32_t get(const char* table, Row row, Column column, const CellConstants& k) {
    return detail::table_word(table, row.high, column.high) * k.up16 + detail::table_word(table, row.low, column.low);
  }
  static SPEEDWELL_HD
  std::uint32_t entry(int index, const std::int8_t* scores, int, std::int32_t added) {
    return detail::pack(scores[index] + added, 0);
  }
};

/// Fills a table of entries(classes) * 32 words with the classes' scores, classes x classes, each plus `added`.
template <class Scores>
SPEEDWELL_HD
void fill_table(std::uint32_t* table, const std::int8_t* scores, int classes, std::int32_t added, int thread,
                int threads) {
  const int words = Scores::entries(classes) * 32;
  for (int i = thread; i < words; i += threads) table[i] = Scores::entry(i / 32, scores, classes, added);
}

}  // namespace speedwell::alignment
