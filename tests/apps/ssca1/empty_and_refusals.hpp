// What every implementation of kernel 1 on a GPU answers to empty sequences, and what it refuses.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/apps/ssca1/golden.hpp"
#include "tests/apps/ssca1/random_data.hpp"

namespace speedwell::ssca1::test {

/// `find`(main, match, scoring, rules) returns the endpoints. There are none of an empty sequence; a symbol that the
/// scoring does not have, and a score that does not fit 16 bits, are refused.
template <class Find>
void expect_empty_and_refusals(const Find& find) {
  const Sequence some = {0, 1, 2}, none, wrong = {9};
  const Scoring flat = flat_scoring(4, 5, -3, 8, 1);
  const EndpointRules rules;
  EXPECT_TRUE(find(some, none, flat, rules).accepted.empty());
  EXPECT_TRUE(find(none, some, flat, rules).accepted.empty());
  EXPECT_THROW(find(wrong, some, flat, rules), std::invalid_argument);
  EXPECT_THROW(find(some, some, flat_scoring(4, 20000, -3, 8, 1), rules), std::invalid_argument);
}

}  // namespace speedwell::ssca1::test
