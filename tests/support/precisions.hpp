// Tests that run in single and in double precision.
#pragma once

#include <gtest/gtest.h>

namespace speedwell::test {

/// The types of TYPED_TEST_SUITE().
using Precisions = testing::Types<float, double>;

/// A fixture without members: SPEEDWELL_EACH_PRECISION() gives it the name of a suite.
template <class T>
class EachPrecision : public testing::Test {};

}  // namespace speedwell::test

/// Declares a suite for TYPED_TEST() whose tests run in each precision, TypeParam, and share no members.
#define SPEEDWELL_EACH_PRECISION(Suite)            \
  template <class T>                               \
  using Suite = speedwell::test::EachPrecision<T>; \
  TYPED_TEST_SUITE(Suite, speedwell::test::Precisions)
