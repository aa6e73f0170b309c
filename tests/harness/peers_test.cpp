// The libraries of NVIDIA's that variants call are found, with every function: that needs no GPU.
#include <gtest/gtest.h>

#include <string>

#include "speedwell/core/cuda/cublas.hpp"
#include "speedwell/harness/peers/cufft.hpp"
#include "speedwell/harness/peers/cusparse.hpp"

namespace speedwell::harness {
namespace {

using core::check;
using core::cublas_missing;
using harness::check;

TEST(Peers, CublasIsLoadedAndSaysWhatFails) {
  ASSERT_FALSE(cublas_missing()) << *cublas_missing();
  check(CUBLAS_STATUS_SUCCESS);
  try {
    check(CUBLAS_STATUS_INVALID_VALUE);
    FAIL() << "an invalid value is an error";
  } catch (const core::DeviceError& error) {
    EXPECT_EQ(std::string(error.what()).find("cublas: "), 0u) << error.what();
  }
}

TEST(Peers, CusparseIsLoadedAndSaysWhatFails) {
  ASSERT_FALSE(cusparse_missing()) << *cusparse_missing();
  check(CUSPARSE_STATUS_SUCCESS);
  EXPECT_THROW(check(CUSPARSE_STATUS_INVALID_VALUE), core::DeviceError);
}

TEST(Peers, CufftIsLoadedAndHasTheVersionThatItWasCompiledFor) {
  ASSERT_FALSE(cufft_missing()) << *cufft_missing();
  int version = 0;
  check(cufft().get_version(&version));
  EXPECT_EQ(version / 1000, CUFFT_VER_MAJOR);
  EXPECT_THROW(check(CUFFT_INVALID_VALUE), core::DeviceError);
}

}  // namespace
}  // namespace speedwell::harness
