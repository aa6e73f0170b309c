// Tables after 4 x 2^k updates of T[i] = i, computed from the definition by an independent program.
#pragma once

#include <cstdint>
#include <span>

namespace speedwell::gups::golden {

struct Table {
  int log2_words;
  std::uint64_t first, second, last, sum, all_xored, fnv, same;  // same: words with T[i] = i
};

inline constexpr Table tables[] = {
    {10, 0x4aeadb0b8169a800, 0x763060edd63e0800, 0x00000000000003ff, 0xac384cb84247d355, 0xffffffffffffffe1,
     0x6cf6e7b064e4db6c, 661},
    {14, 0xee2f68885f8a4000, 0xaf6b01a11a88c000, 0x0000000000003fff, 0x529b51fade9e2df3, 0xfffffffffffe0007,
     0x3f3cc97b6be4b5f6, 3066},
    {16, 0x308f0dd91bce0000, 0x8d2e6978d2240000, 0xce46748f99780000, 0xe8954eb03f1991ab, 0xfffffffffffffe19,
     0x6fb070930b0331dc, 5934},
    {20, 0x1040ea693d200000, 0x98670b6eefd00001, 0x3fa7f0d2feb00000, 0x4fd96c5f17b397e9, 0xfffffffe0001ffe1,
     0x1dbc4f22c8999550, 32475},
    {22, 0x154b376006000000, 0xd3d7acbf74c00001, 0x6cd30feb13ffffff, 0x22163ca8be12415d, 0xfffffffffffe0001,
     0x0edfc239047598a8, 98409},
    {24, 0x42a332f394000000, 0x2bd7c2b624000000, 0x95bb122fdd000000, 0x0d61f4e80cae55d5, 0xffffffffffffffe7,
     0x5d292a1763f55726, 347522},
    {25, 0x3efb401950000000, 0x402e864a54000001, 0xcb8db50389ffffff, 0xb3d3aa24d0969f02, 0x00000000000001e6,
     0xfc6def22cda3d42d, 662215},
};

/// The values of such a row for `table`, which is not empty.
inline Table row_of(int log2_words, std::span<const std::uint64_t> table) {
  Table row{log2_words, table[0], table[table.size() > 1 ? 1 : 0], table.back(), 0, 0, 1469598103934665603ull, 0};
  for (std::uint64_t i = 0; i < table.size(); ++i) {
    row.sum += table[i];
    row.all_xored ^= table[i];
    row.fnv = (row.fnv ^ table[i]) * 1099511628211ull;
    row.same += table[i] == i;
  }
  return row;
}

inline bool operator==(const Table& a, const Table& b) {
  return a.log2_words == b.log2_words && a.first == b.first && a.second == b.second && a.last == b.last &&
         a.sum == b.sum && a.all_xored == b.all_xored && a.fnv == b.fnv && a.same == b.same;
}

}  // namespace speedwell::gups::golden
