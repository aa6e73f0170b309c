// Tests that run in single and in double precision.
#pragma once

#include <gtest/gtest.h>

namespace speedwell::test {

/// The types of TYPED_TEST_SUITE().
using Precisions = testing::Types<float, double>;

/// A fixture for each precision without members, to which a suite gives its name:
///   template <class T>
///   using MatvecCpu = test::EachPrecision<T>;
///   TYPED_TEST_SUITE(MatvecCpu, test::Precisions);
template <class T>
class EachPrecision : public testing::Test {};

}  // namespace speedwell::test
