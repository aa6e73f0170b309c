// Compares two alignments in everything that a user sees.
#pragma once

#include <gtest/gtest.h>

#include "speedwell/apps/alignment/alignment.hpp"

namespace speedwell::alignment::test {

inline void expect_same(const Alignment& got, const Alignment& expected, Codes query, Codes subject,
                        const Scoring& scoring) {
  EXPECT_EQ(got.score, expected.score);
  EXPECT_EQ(got.query_begin, expected.query_begin);
  EXPECT_EQ(got.query_end, expected.query_end);
  EXPECT_EQ(got.subject_begin, expected.subject_begin);
  EXPECT_EQ(got.subject_end, expected.subject_end);
  EXPECT_EQ(got.identities, expected.identities);
  EXPECT_EQ(got.positives, expected.positives);
  EXPECT_TRUE(got.cigar == expected.cigar) << "another alignment: " << query.size() << " x " << subject.size()
                                           << ", gaps " << scoring.gap_open << "," << scoring.gap_extend;
}

}  // namespace speedwell::alignment::test
